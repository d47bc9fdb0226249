// SPDX-License-Identifier: GPL-3.0-or-later
// Knobs turned and evaluations of a training as rows, in the order they happened.
#pragma once

#include <QAbstractTableModel>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/train/telemetry.h"

namespace trainscope::ui {

class LogModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { time, step, samples, event, details, columns };

    using QAbstractTableModel::QAbstractTableModel;

    void setTelemetry(std::shared_ptr<const Telemetry> telemetry);
    bool refresh();  // true: there are new rows

    std::int64_t stepOf(int row) const;
    QString textOf(int row) const;  // one line, tabs between the columns

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

  private:
    struct Row {
        double step = 0, samples = 0, seconds = 0;
        bool bad = false;  // refused, or an error
        QString event{}, details{};
        bool evaluation = false;
    };
    static Row rowOf(const Annotation& annotation);
    static Row rowOf(const EvaluationSample& evaluation);
    void insert(Row row);
    QString text(const Row& row, int column) const;

    std::shared_ptr<const Telemetry> telemetry_;
    std::vector<Row> rows_;
    std::size_t annotations_ = 0, evaluations_ = 0;  // how many were read
};

}  // namespace trainscope::ui
