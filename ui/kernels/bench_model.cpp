// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kernels/bench_model.h"

#include <QGuiApplication>
#include <QLocale>
#include <array>
#include <cmath>
#include <limits>

#include "ui/kernels/bench_text.h"
#include "ui/number_text.h"
#include "ui/theme/palette.h"

namespace trainscope::ui {

namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();  // sorts behind all

struct ColumnInfo {
    const char* title;
    const char* tip;
    bool number;
};

constexpr std::array<ColumnInfo, BenchModel::columns> infos = {{
    {QT_TRANSLATE_NOOP("trainscope::ui::BenchModel", "Layer"), "", false},
    {QT_TRANSLATE_NOOP("trainscope::ui::BenchModel", "Operator"), "", false},
    {QT_TRANSLATE_NOOP("trainscope::ui::BenchModel", "Variant"), "", false},
    {QT_TRANSLATE_NOOP("trainscope::ui::BenchModel", "Pass"), "", false},
    {QT_TRANSLATE_NOOP("trainscope::ui::BenchModel", "Median"),
     QT_TRANSLATE_NOOP("trainscope::ui::BenchModel",
                       "Median time of a run, with the caches cold before each."),
     true},
    {QT_TRANSLATE_NOOP("trainscope::ui::BenchModel", "Quartiles"),
     QT_TRANSLATE_NOOP("trainscope::ui::BenchModel", "Half of the runs took a time between these."),
     true},
    {QT_TRANSLATE_NOOP("trainscope::ui::BenchModel", "GFLOP/s"),
     QT_TRANSLATE_NOOP("trainscope::ui::BenchModel",
                       "Multiplications and additions of the definition by the median time."),
     true},
    {QT_TRANSLATE_NOOP("trainscope::ui::BenchModel", "Matrix"),
     QT_TRANSLATE_NOOP("trainscope::ui::BenchModel",
                       "Share of the best matrix product measured on this device."),
     true},
    {QT_TRANSLATE_NOOP("trainscope::ui::BenchModel", "GB/s"),
     QT_TRANSLATE_NOOP("trainscope::ui::BenchModel",
                       "Each tensor read or written once, by the median time."),
     true},
    {QT_TRANSLATE_NOOP("trainscope::ui::BenchModel", "Copy"),
     QT_TRANSLATE_NOOP("trainscope::ui::BenchModel",
                       "Share of the best copy measured on this device."),
     true},
    {QT_TRANSLATE_NOOP("trainscope::ui::BenchModel", "Error"),
     QT_TRANSLATE_NOOP("trainscope::ui::BenchModel",
                       "Relative L2 error against the float64 reference, of the tensor that is "
                       "worst by the bound that the tests allow."),
     true},
    {QT_TRANSLATE_NOOP("trainscope::ui::BenchModel", "Workspace"), "", true},
    {QT_TRANSLATE_NOOP("trainscope::ui::BenchModel", "Shape"), "", false},
    {QT_TRANSLATE_NOOP("trainscope::ui::BenchModel", "Note"), "", false},
}};

const ColumnInfo& info(int column) {
    return infos.at(static_cast<std::size_t>(column));
}

QString shareText(double share) {
    return share > 0 ? QStringLiteral("%1\u00a0%").arg(threeDigits(share * 100, QLocale()))
                     : QString();
}

QString timesText(const BenchRow& row, int column) {
    const QLocale locale;
    if (!row.times) {
        return {};
    }
    switch (column) {
        case BenchModel::median:
            return timeText(row.times->median, locale);
        case BenchModel::quartiles:
            return QStringLiteral("%1 – %2").arg(timeText(row.times->lower_quartile, locale),
                                                 timeText(row.times->upper_quartile, locale));
        case BenchModel::flops:
            return threeDigits(row.flops_per_second() * 1e-9, locale);
        default:
            return threeDigits(row.bytes_per_second() * 1e-9, locale);
    }
}

}  // namespace

void BenchModel::setReport(BenchReport report) {
    beginResetModel();
    report_ = std::move(report);
    endResetModel();
}

bool BenchModel::hasSeveralItems() const {
    for (const BenchRow& row : report_.rows) {
        if (!sameItem(row, report_.rows.front())) {
            return true;
        }
    }
    return false;
}

int BenchModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(report_.rows.size());
}

int BenchModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : columns;
}

QString BenchModel::text(const BenchRow& row, int column) const {
    switch (column) {
        case variant:
            return QString::fromStdString(row.variant);
        case pass:
            return passText(row.pass);
        case median:
        case quartiles:
        case flops:
        case bytes:
            return timesText(row, column);
        case matrix:
            return shareText(report_.share_of_matrix(row));
        case copy:
            return shareText(report_.share_of_copy(row));
        case workspace:
            return row.refusal.empty() ? bytesText(row.workspace_bytes) : QString();
        case error:
            return row.error ? errorText(*row.error) : QString();
        case layer:
            return QString::fromStdString(row.layer);
        case op:
            return QString::fromStdString(row.op);
        case shape:
            return QString::fromStdString(row.shape);
        default:
            return noteText(row);
    }
}

QString BenchModel::toolTip(const BenchRow& row, int column) const {
    if (column == error && row.error) {
        return tr("error %1 of at most %2 (%3)")
            .arg(errorText(*row.error), QString::number(row.error->bound, 'e', 1),
                 QString::fromStdString(row.error->tensor));
    }
    return QStringLiteral("%1\n%2").arg(itemText(row), noteText(row)).trimmed();
}

QVariant BenchModel::sortKey(const BenchRow& row, int column) const {
    switch (column) {
        case median:
            return row.times ? row.times->median : unknown;
        case quartiles:
            return row.times ? row.times->upper_quartile - row.times->lower_quartile : unknown;
        case flops:
        case matrix:
            return row.flops_per_second();
        case bytes:
        case copy:
            return row.bytes_per_second();
        case workspace:
            return static_cast<qlonglong>(row.workspace_bytes);
        case error:
            return row.error && !std::isnan(row.error->relative_l2) ? row.error->relative_l2
                                                                    : unknown;
        default:
            return text(row, column);
    }
}

QVariant BenchModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || static_cast<std::size_t>(index.row()) >= report_.rows.size()) {
        return {};
    }
    const BenchRow& row = report_.rows[static_cast<std::size_t>(index.row())];
    switch (role) {
        case Qt::DisplayRole:
            return text(row, index.column());
        case Qt::ToolTipRole:
            return toolTip(row, index.column());
        case sortRole:
            return sortKey(row, index.column());
        case Qt::TextAlignmentRole:
            return QVariant(Qt::AlignVCenter |
                            (info(index.column()).number ? Qt::AlignRight : Qt::AlignLeft));
        case Qt::ForegroundRole:
            if (row.error && !row.error->within_bound() &&
                (index.column() == error || index.column() == note)) {
                return colorsFor(QGuiApplication::palette()).error_text;
            }
            return {};
        default:
            return {};
    }
}

QVariant BenchModel::headerData(int section, Qt::Orientation orientation, int role) const {
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
