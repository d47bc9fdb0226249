// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/operator_model.h"

#include <QLocale>
#include <array>
#include <cmath>
#include <utility>

#include "ui/number_text.h"

namespace trainscope::ui {

namespace {

struct ColumnInfo {
    const char* title;
    const char* tip;
    bool number;
};

constexpr std::array<ColumnInfo, OperatorModel::columns> infos = {{
    {QT_TRANSLATE_NOOP("trainscope::ui::OperatorModel", "Layer"),
     QT_TRANSLATE_NOOP("trainscope::ui::OperatorModel",
                       "Several where one kernel computes them together."),
     false},
    {QT_TRANSLATE_NOOP("trainscope::ui::OperatorModel", "Operator"), "", false},
    {QT_TRANSLATE_NOOP("trainscope::ui::OperatorModel", "Variant"), "", false},
    {QT_TRANSLATE_NOOP("trainscope::ui::OperatorModel", "Forward"),
     QT_TRANSLATE_NOOP("trainscope::ui::OperatorModel", "For a micro-batch; a median."), true},
    {QT_TRANSLATE_NOOP("trainscope::ui::OperatorModel", "Backward"),
     QT_TRANSLATE_NOOP("trainscope::ui::OperatorModel", "For a micro-batch; a median."), true},
    {QT_TRANSLATE_NOOP("trainscope::ui::OperatorModel", "Share"),
     QT_TRANSLATE_NOOP("trainscope::ui::OperatorModel", "Of the time of all layers."), true},
    {QT_TRANSLATE_NOOP("trainscope::ui::OperatorModel", "Before"),
     QT_TRANSLATE_NOOP("trainscope::ui::OperatorModel",
                       "Both passes, before the last knob was turned."),
     true},
    {QT_TRANSLATE_NOOP("trainscope::ui::OperatorModel", "Change"),
     QT_TRANSLATE_NOOP("trainscope::ui::OperatorModel",
                       "Of the time of both passes by the last knob: less than 0 is faster."),
     true},
}};

const ColumnInfo& info(int column) {
    return infos.at(static_cast<std::size_t>(column));
}

// How much more time it takes than before, of 1.
std::optional<double> changeOf(const OperatorSummary& row) {
    const std::optional<double> now = row.total();
    return now && row.before && *row.before > 0 ? std::optional(*now / *row.before - 1)
                                                : std::nullopt;
}

QString changeText(std::optional<double> change) {
    if (!change) {
        return {};
    }
    const QLocale locale;
    const QString sign = *change > 0 ? locale.positiveSign() : QString();
    return QStringLiteral("%1%2\u00a0%3")
        .arg(sign, locale.toString(std::round(*change * 100), 'f', 0), locale.percent());
}

QString timeOr(std::optional<double> seconds) {
    return seconds ? timeText(*seconds) : QString();
}

}  // namespace

void OperatorModel::show(OperatorsSummary summary,
                         const std::map<std::string, std::string>& variants) {
    // The rows change where layers are fused; else only what stands in them.
    const bool same = summary.layers.size() == summary_.layers.size();
    if (!same) {
        beginResetModel();
    }
    summary_ = std::move(summary);
    variants_ = variants;
    if (!same) {
        endResetModel();
    } else if (rowCount() > 0) {
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columns - 1));
    }
}

int OperatorModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(summary_.layers.size());
}

int OperatorModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : columns;
}

QString OperatorModel::text(const OperatorSummary& row, int column) const {
    switch (column) {
        case layer:
            return QString::fromStdString(row.layer);
        case op:
            return QString::fromStdString(row.op);
        case variant: {
            const auto found = variants_.find(row.op);
            return found == variants_.end() ? QString() : QString::fromStdString(found->second);
        }
        case forward:
            return timeOr(row.forward);
        case backward:
            return timeOr(row.backward);
        case share:
            return row.total() && summary_.seconds > 0
                       ? percentText(std::round(*row.total() / summary_.seconds * 1000) / 1000)
                       : QString();
        case before:
            return timeOr(row.before);
        default:
            return changeText(changeOf(row));
    }
}

QVariant OperatorModel::sortKey(const OperatorSummary& row, int column) const {
    switch (column) {
        case forward:
            return row.forward.value_or(0);
        case backward:
            return row.backward.value_or(0);
        case share:
            return row.total().value_or(0);
        case before:
            return row.before.value_or(0);
        case change:
            return changeOf(row).value_or(0);
        default:
            return text(row, column);
    }
}

QVariant OperatorModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) {
        return {};
    }
    const OperatorSummary& row = summary_.layers[static_cast<std::size_t>(index.row())];
    switch (role) {
        case Qt::DisplayRole:
        case Qt::ToolTipRole:  // whole where the column is narrow
            return text(row, index.column());
        case sortRole:
            return sortKey(row, index.column());
        case Qt::TextAlignmentRole:
            return QVariant(Qt::AlignVCenter |
                            (info(index.column()).number ? Qt::AlignRight : Qt::AlignLeft));
        default:
            return {};
    }
}

QVariant OperatorModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::DisplayRole) {
        return tr(info(section).title);
    }
    if (role == Qt::ToolTipRole && *info(section).tip != '\0') {
        return tr(info(section).tip);
    }
    if (role == Qt::TextAlignmentRole) {
        return QVariant(Qt::AlignVCenter | (info(section).number ? Qt::AlignRight : Qt::AlignLeft));
    }
    return {};
}

}  // namespace trainscope::ui
