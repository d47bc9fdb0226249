// SPDX-License-Identifier: GPL-3.0-or-later
// The charts on a screen of their own, with mouse and wheel.
#pragma once

#include <gtest/gtest.h>

#include <QApplication>
#include <QMouseEvent>
#include <QWheelEvent>
#include <stdexcept>

#include "ui/charts/chart_panel.h"
#include "ui/charts/chart_view.h"
#include "ui/theme/palette.h"

namespace trainscope::ui {

class Charts : public testing::Test {
  protected:
    Charts() {
        panel.setPalette(applicationPalette(lightColors()));
        panel.resize(900, 640);
        panel.show();
        QApplication::processEvents();
    }

    ChartView& view(ChartId id) {
        auto* found = panel.findChild<ChartView*>(QString::fromLatin1(chartInfo(id).name));
        if (found == nullptr) {
            throw std::logic_error("no view");
        }
        return *found;
    }
    const ChartPicture& picture(ChartId id) { return view(id).chart().picture(); }

    // In the middle of the plot, at a share of its width.
    QPoint inPlot(ChartId id, double share) {
        const QRectF& plot = picture(id).plot;
        return QPointF(plot.left() + share * plot.width(), plot.center().y()).toPoint();
    }

    void send(ChartId id, QEvent::Type type, QPoint at, Qt::MouseButton button,
              Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QWidget* target = view(id).viewport();
        const bool moves = type == QEvent::MouseMove;
        QMouseEvent event(type, at, target->mapToGlobal(at), moves ? Qt::NoButton : button, button,
                          modifiers);
        QApplication::sendEvent(target, &event);
    }
    void drag(ChartId id, double from, double to, Qt::MouseButton button,
              Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        send(id, QEvent::MouseButtonPress, inPlot(id, from), button, modifiers);
        const QPoint end = inPlot(id, to);
        send(id, QEvent::MouseMove, end, button, modifiers);
        send(id, QEvent::MouseButtonRelease, end, button, modifiers);
    }
    void wheel(ChartId id, double share, int units) {
        QWidget* target = view(id).viewport();
        const QPoint at = inPlot(id, share);
        QWheelEvent event(at, target->mapToGlobal(at), {}, QPoint(0, units), Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(target, &event);
    }

    QImage grab(ChartId id) { return view(id).grab().toImage(); }

    ChartPanel panel;
};

}  // namespace trainscope::ui
