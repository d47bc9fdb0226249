// SPDX-License-Identifier: GPL-3.0-or-later
// The layers of a model with shapes, parameters and multiply-accumulates, and the totals.
#pragma once

#include <QDialog>
#include <QString>

#include "engine/model/graph.h"

namespace trainscope::ui {

class SummaryDialog : public QDialog {
    Q_OBJECT

  public:
    explicit SummaryDialog(const Graph& graph, QWidget* parent = nullptr);

  private:
    void copyText() const;

    QString text_;
};

}  // namespace trainscope::ui
