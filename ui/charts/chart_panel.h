// SPDX-License-Identifier: GPL-3.0-or-later
// All charts, one above the other, sharing the x range and the crosshair.
#pragma once

#include <QWidget>
#include <cstdint>
#include <memory>
#include <optional>

#include "engine/train/telemetry.h"
#include "ui/charts/chart_settings.h"
#include "ui/charts/chart_table.h"

namespace trainscope::ui {

class ChartPanel : public QWidget {
    Q_OBJECT

  public:
    explicit ChartPanel(QWidget* parent = nullptr);
    ~ChartPanel() override;

    // nullptr: empty charts with a hint. The view is fitted to the new data; follow stays as it is.
    void setTelemetry(std::shared_ptr<const Telemetry> telemetry, bool emulated = false);
    void setMemoryBudget(std::optional<std::int64_t> bytes);  // a line in the memory chart

    void setXAxis(XAxis axis);  // the view stays on the same data
    XAxis xAxis() const;
    void setLogLoss(bool on);
    bool logLoss() const;
    // While it follows, the newest data is kept in view. The view moves by itself only then.
    void setFollow(bool on);
    bool follow() const;
    void setSmoothing(double ema);  // weight of the past, 0 (none) .. 0.999
    double smoothing() const;
    void setChartVisible(ChartId id, bool on);
    bool chartVisible(ChartId id) const;

    static constexpr double zoom_step = 1.5;  // of a key or button
    void zoom(double factor);   // > 1 shows less, around the middle (the end while following)
    void pan(double fraction);  // of the visible range; > 0 to later data; ends following
    void fitAll();              // shows everything; following goes on if it was on
    // The moment after that optimizer step in the middle, at the zoom there is, or an eighth of
    // everything where all is shown. Nothing without data.
    void showStep(std::int64_t step);

    // Reads what is new in the telemetry and draws it. Called by a timer at up to 60 Hz; costs next
    // to nothing when nothing changed.
    void refresh();

    // How the charts look now, for an export.
    ChartSettings settings() const;

  Q_SIGNALS:
    void followChanged(bool on);
    void cursorText(const QString& text);  // all values under the cursor; empty when it left

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    class Private;
    std::unique_ptr<Private> d_;
};

}  // namespace trainscope::ui
