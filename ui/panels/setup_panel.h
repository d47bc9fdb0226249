// SPDX-License-Identifier: GPL-3.0-or-later
// What a training is made of: data set, model, device, seed and length. Read once, when it starts.
#pragma once

#include <QWidget>
#include <memory>
#include <string>
#include <vector>

#include "ui/run_settings.h"

namespace trainscope::ui {

class SetupPanel : public QWidget {
    Q_OBJECT

  public:
    explicit SetupPanel(QWidget* parent = nullptr);
    ~SetupPanel() override;

    void setRun(const RunSettings& run);  // emits nothing
    // Writes what is chosen here; the knobs of `run` are left as they are.
    void writeTo(RunSettings& run) const;
    // Of the data set that is chosen; empty: not known yet.
    void setClassNames(const std::vector<std::string>& names);
    // While a training runs everything may still be chosen, and a line says that it applies to the
    // next start.
    void setLocked(bool running);

  Q_SIGNALS:
    void changed();  // by the user
    void summaryRequested();

  private:
    class Private;
    std::unique_ptr<Private> d_;
};

}  // namespace trainscope::ui
