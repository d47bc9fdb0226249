// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/train/recorder.h"

#include "engine/core/result.h"

namespace trainscope {

void Recorder::turn(bool on) {
    on_ = on && runtime_->records();
    failure_.clear();
}

std::unique_ptr<RecordedWork> Recorder::record(const std::function<void()>& work) {
    Result<std::unique_ptr<RecordedWork>> recorded = runtime_->record(work);
    if (recorded) {
        return std::move(*recorded);
    }
    on_ = false;
    failure_ = recorded.error().message;
    return nullptr;
}

void RecordedPart::run(Recorder& recorder, const std::function<void()>& work) {
    if (recorder.is_on() && has_run_ && recorded_ == nullptr) {
        recorded_ = recorder.record(work);
        if (recorded_ != nullptr) {
            recorder.count_part();
        }
    }
    if (recorder.is_on() && recorded_ != nullptr) {
        recorded_->replay();
    } else {
        work();
        has_run_ = true;
    }
}

}  // namespace trainscope
