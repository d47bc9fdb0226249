// SPDX-License-Identifier: GPL-3.0-or-later
// The log of a training: every knob turned and every evaluation, newest last.
#pragma once

#include <QWidget>
#include <cstdint>
#include <memory>

#include "engine/train/telemetry.h"

namespace trainscope::ui {

class LogPanel : public QWidget {
    Q_OBJECT

  public:
    explicit LogPanel(QWidget* parent = nullptr);
    ~LogPanel() override;

    void setTelemetry(std::shared_ptr<const Telemetry> telemetry);  // nullptr: an empty log
    // Reads what is new; costs next to nothing when nothing is. Follows the newest row unless the
    // user scrolled away from it.
    void refresh();

  Q_SIGNALS:
    void activated(std::int64_t step);  // a row was double-clicked, or chosen with Return

  private:
    class Private;
    std::unique_ptr<Private> d_;
};

}  // namespace trainscope::ui
