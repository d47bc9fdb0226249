// SPDX-License-Identifier: GPL-3.0-or-later
// Where the training is, for the toolbar: state, epoch, speed and the time that remains.
#pragma once

#include <QWidget>
#include <memory>

#include "engine/train/trainer.h"

namespace trainscope::ui {

class RunProgress : public QWidget {
    Q_OBJECT

  public:
    explicit RunProgress(QWidget* parent = nullptr);
    ~RunProgress() override;

    void setStatus(const TrainerStatus& status);
    void setIdle();  // no training yet
    // Says beside the speed that the device is emulated, so that it says nothing of a GPU.
    void setEmulated(bool emulated);
    void setStopping();  // asked to stop; holds until the next setIdle, or a status that is done

  private:
    class Private;
    std::unique_ptr<Private> d_;
};

}  // namespace trainscope::ui
