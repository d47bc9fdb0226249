// SPDX-License-Identifier: GPL-3.0-or-later
// The time that each layer takes, live, beside what it took before the last knob was turned.
#pragma once

#include <QWidget>
#include <map>
#include <memory>
#include <string>

#include "engine/train/telemetry.h"

namespace trainscope::ui {

class OperatorsPanel : public QWidget {
    Q_OBJECT

  public:
    explicit OperatorsPanel(QWidget* parent = nullptr);
    ~OperatorsPanel() override;

    // nullptr: of nothing. `emulated`: the device's times are the host's.
    void setTelemetry(std::shared_ptr<const Telemetry> telemetry, bool emulated);
    // Reads what is new. `variants`: what runs, by operator.
    void refresh(const std::map<std::string, std::string>& variants);

  private:
    class Private;
    std::unique_ptr<Private> d_;
};

}  // namespace trainscope::ui
