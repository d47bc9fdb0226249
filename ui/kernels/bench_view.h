// SPDX-License-Identifier: GPL-3.0-or-later
// A picture of the bench as a widget, as large as there is room.
#pragma once

#include <QWidget>

#include "ui/kernels/bench_picture.h"

namespace trainscope::ui {

class BenchView : public QWidget {
    Q_OBJECT

  public:
    explicit BenchView(BenchPicture picture, QWidget* parent = nullptr);

    // `item` is a row of the shape that is shown.
    void show(const BenchReport& report, std::size_t item);
    QSize sizeHint() const override { return {480, 260}; }
    QSize minimumSizeHint() const override { return {200, 90}; }

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    BenchPicture picture_;
    BenchReport report_;
    std::size_t item_ = 0;
};

}  // namespace trainscope::ui
