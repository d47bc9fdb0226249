// SPDX-License-Identifier: GPL-3.0-or-later
// A tool button that opens a menu, its arrow beside the text and not, as styles do it, below.
#pragma once

#include <QStyleOptionToolButton>
#include <QStylePainter>
#include <QToolButton>

namespace trainscope::ui {

class MenuButton : public QToolButton {
  public:
    explicit MenuButton(QWidget* parent = nullptr) : QToolButton(parent) {
        setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        setPopupMode(QToolButton::InstantPopup);
    }
    QSize sizeHint() const override { return QToolButton::sizeHint() + QSize(arrowRoom(), 0); }

  protected:
    void paintEvent(QPaintEvent* /*event*/) override {
        QStylePainter painter(this);
        QStyleOptionToolButton button;
        initStyleOption(&button);
        button.features &= ~QStyleOptionToolButton::ToolButtonFeatures(
            QStyleOptionToolButton::HasMenu | QStyleOptionToolButton::Menu);
        painter.drawComplexControl(QStyle::CC_ToolButton, button);
        const int room = arrowRoom();
        QStyleOption arrow = button;
        arrow.rect = QStyle::alignedRect(layoutDirection(), Qt::AlignCenter, QSize(room, room),
                                         QRect(width() - room - 2, 0, room, height()));
        painter.drawPrimitive(QStyle::PE_IndicatorArrowDown, arrow);
    }

  private:
    int arrowRoom() const {
        return style()->pixelMetric(QStyle::PM_MenuButtonIndicator, nullptr, this) / 2;
    }
};

}  // namespace trainscope::ui
