// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kernels/bench_view.h"

namespace trainscope::ui {

BenchView::BenchView(BenchPicture picture, QWidget* parent) : QWidget(parent), picture_(picture) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void BenchView::show(const BenchReport& report, std::size_t item) {
    report_ = report;
    item_ = item;
    update();
}

void BenchView::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    paintBenchPicture(painter, rect(), picture_,
                      {.report = report_,
                       .item = item_,
                       .colors = colorsFor(palette()),
                       .font = font(),
                       .locale = locale()});
}

}  // namespace trainscope::ui
