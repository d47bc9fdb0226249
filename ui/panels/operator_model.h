// SPDX-License-Identifier: GPL-3.0-or-later
// What each layer takes, as a table. sortRole gives what a column is sorted by.
#pragma once

#include <QAbstractTableModel>
#include <map>
#include <string>

#include "ui/panels/operator_summary.h"

namespace trainscope::ui {

class OperatorModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { layer, op, variant, forward, backward, share, before, change, columns };
    static constexpr int sortRole = Qt::UserRole;

    using QAbstractTableModel::QAbstractTableModel;

    // `variants`: what runs, by operator.
    void show(OperatorsSummary summary, const std::map<std::string, std::string>& variants);
    const OperatorsSummary& summary() const { return summary_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

  private:
    QString text(const OperatorSummary& row, int column) const;
    QVariant sortKey(const OperatorSummary& row, int column) const;

    OperatorsSummary summary_;
    std::map<std::string, std::string> variants_;
};

}  // namespace trainscope::ui
