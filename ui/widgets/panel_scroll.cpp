// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/panel_scroll.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QEvent>
#include <QLayout>
#include <QScrollBar>
#include <QStyle>

namespace trainscope::ui {

PanelScroll::PanelScroll(QWidget* page, QWidget* parent) : QScrollArea(parent) {
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setWidgetResizable(true);
    setWidget(page);
    if (page->layout() != nullptr) {  // docks are narrow
        const int margin = style()->pixelMetric(QStyle::PM_LayoutLeftMargin) * 2 / 3;
        page->layout()->setContentsMargins(margin, margin, margin, margin);
    }
    page->installEventFilter(this);
    for (QWidget* child : page->findChildren<QWidget*>()) {
        if (qobject_cast<QAbstractSpinBox*>(child) != nullptr ||
            qobject_cast<QComboBox*>(child) != nullptr) {
            child->setFocusPolicy(Qt::StrongFocus);
            child->installEventFilter(this);
        }
    }
}

QSize PanelScroll::minimumSizeHint() const {
    const int bar = verticalScrollBar()->sizeHint().width();
    return {widget()->minimumSizeHint().width() + bar, fontMetrics().height() * 6};
}

QSize PanelScroll::sizeHint() const {
    const int width = widget()->sizeHint().width() + verticalScrollBar()->sizeHint().width();
    return {width, widget()->sizeHint().height()};
}

bool PanelScroll::eventFilter(QObject* watched, QEvent* event) {
    if (watched == widget()) {
        if (event->type() == QEvent::LayoutRequest) {
            updateGeometry();
        }
    } else if (event->type() == QEvent::Wheel) {
        const auto* control = qobject_cast<QWidget*>(watched);
        if (control != nullptr && !control->hasFocus()) {
            event->ignore();
            return true;
        }
    }
    return QScrollArea::eventFilter(watched, event);
}

}  // namespace trainscope::ui
