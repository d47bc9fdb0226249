// SPDX-License-Identifier: GPL-3.0-or-later
// One line of text that ends in an ellipsis where there is no room for more.
#pragma once

#include <QLabel>
#include <QPainter>
#include <QStyle>

namespace trainscope::ui {

class ElidedLabel : public QLabel {
  public:
    explicit ElidedLabel(QWidget* parent = nullptr) : QLabel(parent) {
        setTextFormat(Qt::PlainText);
        setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    }

  protected:
    void paintEvent(QPaintEvent* /*event*/) override {
        QPainter painter(this);
        style()->drawItemText(
            &painter, contentsRect(), Qt::AlignLeft | Qt::AlignVCenter, palette(), isEnabled(),
            fontMetrics().elidedText(text(), Qt::ElideRight, contentsRect().width()),
            QPalette::WindowText);
    }
};

}  // namespace trainscope::ui
