// SPDX-License-Identifier: GPL-3.0-or-later
// A chart on the screen: turns wheel, drags and hovering into x values for the panel.
#pragma once

#include <QGraphicsView>
#include <optional>

#include "ui/charts/live_chart.h"

namespace trainscope::ui {

class ChartView : public QGraphicsView {
    Q_OBJECT

  public:
    explicit ChartView(ChartId id, QWidget* parent = nullptr);

    LiveChart& chart() { return *chart_; }
    void cancelDrag();
    QSize minimumSizeHint() const override;
    qint64 lastPaint() const { return last_paint_; }  // how long it took, ns

  Q_SIGNALS:
    void zoomed(double factor, double x);
    void panned(double distance);  // in x
    void selected(double from, double to);
    void fitRequested();
    void hovered(std::optional<double> x);
    void resized();

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;

  private:
    enum class Drag { none, pan, select };

    bool overPlot(const QPointF& at) const;

    LiveChart* chart_;  // the scene's
    Drag drag_ = Drag::none;
    double drag_start_ = 0;  // pixel
    qint64 last_paint_ = 0;
};

}  // namespace trainscope::ui
