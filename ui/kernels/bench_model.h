// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of a bench as a table. sortRole gives what a column is sorted by.
#pragma once

#include <QAbstractTableModel>

#include "engine/tune/kernel_bench.h"

namespace trainscope::ui {

class BenchModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column {
        layer,
        op,
        variant,
        pass,
        median,
        quartiles,
        flops,
        matrix,
        bytes,
        copy,
        error,
        workspace,
        shape,
        note,
        columns
    };
    static constexpr int sortRole = Qt::UserRole;

    using QAbstractTableModel::QAbstractTableModel;

    void setReport(BenchReport report);
    const BenchReport& report() const { return report_; }
    // Whether the rows are of several shapes.
    bool hasSeveralItems() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

  private:
    QString text(const BenchRow& row, int column) const;
    QString toolTip(const BenchRow& row, int column) const;
    QVariant sortKey(const BenchRow& row, int column) const;

    BenchReport report_;
};

}  // namespace trainscope::ui
