// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/log_model.h"

#include <QBrush>
#include <QGuiApplication>
#include <QLocale>
#include <QPalette>
#include <algorithm>
#include <tuple>

#include "ui/number_text.h"
#include "ui/theme/palette.h"

namespace trainscope::ui {

namespace {

QString eventText(const std::string& what) {
    return what == "micro_batch"
               ? LogModel::tr("micro-batch")
               : QString::fromStdString(what).replace(QLatin1Char('_'), QLatin1Char(' '));
}

}  // namespace

void LogModel::setTelemetry(std::shared_ptr<const Telemetry> telemetry) {
    beginResetModel();
    telemetry_ = std::move(telemetry);
    rows_.clear();
    annotations_ = 0;
    evaluations_ = 0;
    endResetModel();
    refresh();
}

bool LogModel::refresh() {
    if (telemetry_ == nullptr) {
        return false;
    }
    bool any = false;
    if (telemetry_->annotation_count() > annotations_) {
        for (const Annotation& annotation : telemetry_->annotations(annotations_)) {
            insert(rowOf(annotation));
            ++annotations_;
            any = true;
        }
    }
    const std::size_t evaluations = telemetry_->evaluations().size();
    for (; evaluations_ < evaluations; ++evaluations_) {
        insert(rowOf(telemetry_->evaluations()[evaluations_]));
        any = true;
    }
    return any;
}

LogModel::Row LogModel::rowOf(const Annotation& annotation) {
    Row row{.step = annotation.step,
            .samples = annotation.samples,
            .seconds = annotation.active_seconds};
    const QString from = QString::fromStdString(annotation.from);
    const QString to = QString::fromStdString(annotation.to);
    const QString reason = QString::fromStdString(annotation.reason);
    row.event = eventText(annotation.what);
    if (annotation.kind != AnnotationKind::knob) {
        row.bad = annotation.kind == AnnotationKind::error;
        row.details = reason;
        return row;
    }
    row.details = from.isEmpty() ? to : tr("%1 \u2192 %2").arg(from, to);
    if (annotation.refused) {
        row.bad = true;
        row.details = tr("%1 refused: %2").arg(row.details, reason);
    }
    return row;
}

LogModel::Row LogModel::rowOf(const EvaluationSample& evaluation) {
    Row row{.step = evaluation.step,
            .samples = evaluation.samples,
            .seconds = evaluation.active_seconds,
            .event = tr("evaluation"),
            .evaluation = true};
    row.details =
        tr("accuracy %1, loss %2")
            .arg(percentText(evaluation.accuracy), QLocale().toString(evaluation.loss, 'f', 4));
    return row;
}

void LogModel::insert(Row row) {
    // Two lists are read one after the other, so that a row may be older than the last one.
    const auto place =
        std::upper_bound(rows_.begin(), rows_.end(), row, [](const Row& a, const Row& b) {
            return std::tie(a.step, a.seconds) < std::tie(b.step, b.seconds);
        });
    const int at = static_cast<int>(place - rows_.begin());
    beginInsertRows({}, at, at);
    rows_.insert(place, std::move(row));
    endInsertRows();
}

std::int64_t LogModel::stepOf(int row) const {
    return static_cast<std::int64_t>(rows_.at(static_cast<std::size_t>(row)).step);
}

QString LogModel::textOf(int row) const {
    QStringList parts;
    for (int column = 0; column < columns; ++column) {
        parts << text(rows_.at(static_cast<std::size_t>(row)), column);
    }
    return parts.join(QLatin1Char('\t'));
}

QString LogModel::text(const Row& row, int column) const {
    switch (column) {
        case time:
            return durationText(row.seconds);
        case step:
            return countText(static_cast<std::int64_t>(row.step));
        case samples:
            return countText(static_cast<std::int64_t>(row.samples));
        case event:
            return row.event;
        case details:
            return row.details;
        default:
            return {};
    }
}

int LogModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int LogModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : columns;
}

QVariant LogModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) {
        return {};
    }
    const Row& row = rows_.at(static_cast<std::size_t>(index.row()));
    switch (role) {
        case Qt::DisplayRole:
            return text(row, index.column());
        case Qt::ToolTipRole:
            return index.column() == details ? QVariant(row.details) : QVariant();
        case Qt::TextAlignmentRole:
            return QVariant::fromValue((index.column() < event ? Qt::AlignRight : Qt::AlignLeft) |
                                       Qt::AlignVCenter);
        case Qt::ForegroundRole:
            if (row.bad) {
                return QBrush(colorsFor(QGuiApplication::palette()).error_text);
            }
            // There are many of them, one an epoch or more: what was turned stands out.
            return row.evaluation
                       ? QVariant(QBrush(colorsFor(QGuiApplication::palette()).quiet_text))
                       : QVariant();
        default:
            return {};
    }
}

QVariant LogModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Vertical) {
        return role == Qt::DisplayRole ? QVariant(section + 1) : QVariant();
    }
    if (role == Qt::DisplayRole) {
        switch (section) {
            case time:
                return tr("Time");
            case step:
                return tr("Step");
            case samples:
                return tr("Samples");
            case event:
                return tr("Event");
            case details:
                return tr("Details");
            default:
                return {};
        }
    }
    if (role == Qt::ToolTipRole && section == time) {
        return tr("Time spent training, without pauses and evaluations");
    }
    if (role == Qt::TextAlignmentRole) {
        return QVariant::fromValue((section < event ? Qt::AlignRight : Qt::AlignLeft) |
                                   Qt::AlignVCenter);
    }
    return {};
}

}  // namespace trainscope::ui
