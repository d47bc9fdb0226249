// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_view.h"

#include <QElapsedTimer>
#include <QGraphicsScene>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <cmath>

namespace trainscope::ui {
namespace {

constexpr double zoom_of_a_notch = 1.25;  // 120 units of the wheel
constexpr double smallest_selection = 5;  // pixels; less is a click
constexpr double tooltip_reach = 5;

}  // namespace

ChartView::ChartView(ChartId id, QWidget* parent)
    : QGraphicsView(new QGraphicsScene, parent), chart_(new LiveChart(id)) {
    scene()->setParent(this);
    scene()->addItem(chart_);
    setObjectName(QString::fromLatin1(chartInfo(id).name));
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAlignment(Qt::AlignLeft | Qt::AlignTop);
    setFocusPolicy(Qt::NoFocus);
    setMouseTracking(true);
    viewport()->setMouseTracking(true);
    setAccessibleName(chartTitle(id));
}

QSize ChartView::minimumSizeHint() const {
    return {200, fontMetrics().height() * 8};
}

bool ChartView::overPlot(const QPointF& at) const {
    const QRectF& plot = chart_->picture().plot;
    return at.x() >= plot.left() && at.x() <= plot.right() && at.y() <= plot.bottom();
}

void ChartView::paintEvent(QPaintEvent* event) {
    QElapsedTimer clock;
    clock.start();
    QGraphicsView::paintEvent(event);
    last_paint_ = clock.nsecsElapsed();
}

void ChartView::resizeEvent(QResizeEvent* event) {
    QGraphicsView::resizeEvent(event);
    scene()->setSceneRect(0, 0, viewport()->width(), viewport()->height());
    chart_->resize(viewport()->size());
    Q_EMIT resized();
}

void ChartView::wheelEvent(QWheelEvent* event) {
    const int turned = event->angleDelta().y();
    if (!overPlot(event->position()) || turned == 0) {
        event->ignore();  // beside the plot it scrolls the charts
        return;
    }
    Q_EMIT zoomed(std::pow(zoom_of_a_notch, turned / 120.0),
                  chart_->picture().xValue(event->position().x()));
    event->accept();
}

void ChartView::mousePressEvent(QMouseEvent* event) {
    if (!overPlot(event->position())) {
        return;
    }
    drag_start_ = event->position().x();
    const bool select =
        event->button() == Qt::RightButton ||
        (event->button() == Qt::LeftButton && event->modifiers().testFlag(Qt::ShiftModifier));
    if (select) {
        drag_ = Drag::select;
        viewport()->setCursor(Qt::SplitHCursor);
    } else if (event->button() == Qt::LeftButton) {
        drag_ = Drag::pan;
        viewport()->setCursor(Qt::ClosedHandCursor);
    }
}

void ChartView::mouseMoveEvent(QMouseEvent* event) {
    const QPointF at = event->position();
    if (drag_ == Drag::pan) {
        const ChartPicture& picture = chart_->picture();
        const double distance = picture.xValue(drag_start_) - picture.xValue(at.x());
        drag_start_ = at.x();
        Q_EMIT panned(distance);
    } else if (drag_ == Drag::select) {
        chart_->setSelection(std::pair{drag_start_, at.x()});
    }
    Q_EMIT hovered(overPlot(at) ? std::optional(chart_->picture().xValue(at.x())) : std::nullopt);
}

void ChartView::mouseReleaseEvent(QMouseEvent* event) {
    const Drag drag = drag_;
    cancelDrag();
    const double end = event->position().x();
    if (drag == Drag::select && std::abs(end - drag_start_) >= smallest_selection) {
        const ChartPicture& picture = chart_->picture();
        const auto [left, right] = std::minmax(drag_start_, end);
        Q_EMIT selected(picture.xValue(std::max(left, picture.plot.left())),
                        picture.xValue(std::min(right, picture.plot.right())));
    }
}

void ChartView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) {
        Q_EMIT fitRequested();
    }
}

void ChartView::cancelDrag() {
    drag_ = Drag::none;
    chart_->setSelection(std::nullopt);
    viewport()->unsetCursor();
}

void ChartView::leaveEvent(QEvent* event) {
    QGraphicsView::leaveEvent(event);
    Q_EMIT hovered(std::nullopt);
}

bool ChartView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QStringList texts =
            annotationsNear(chart_->picture().annotations, help->pos().x(), tooltip_reach);
        for (const PlacedAnnotation& annotation : chart_->picture().annotations) {
            if (annotation.label_box.contains(help->pos())) {
                texts = annotationsNear(chart_->picture().annotations, annotation.x,
                                        annotation.label_box.width() / 2);
            }
        }
        QToolTip::showText(help->globalPos(), texts.join(QLatin1Char('\n')), this);
        return true;
    }
    return QGraphicsView::viewportEvent(event);
}

}  // namespace trainscope::ui
