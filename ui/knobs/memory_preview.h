// SPDX-License-Identifier: GPL-3.0-or-later
// What knobs will cost in memory, in words, before they are turned.
#pragma once

#include <QString>
#include <cstdint>
#include <memory>
#include <optional>

#include "engine/model/graph.h"
#include "engine/model/memory_plan.h"
#include "ui/run_settings.h"

namespace trainscope::ui {

struct MemoryForecast {
    QString text;      // empty: nothing is known
    bool fits = true;  // false: over the budget, or the knobs do not go together
};

class MemoryPreview {
  public:
    // nullptr: nothing is known. threads 0: as many as the device has.
    void setGraph(std::shared_ptr<const Graph> graph, bool softTargets, int threads,
                  const DeviceInfo& device);
    const Graph* graph() const { return graph_.get(); }

    Result<std::int64_t> bytes(const RunSettings& knobs) const;
    // "24.3 MiB", or "24.3 MiB, over budget"; empty when nothing is known.
    QString shortText(const RunSettings& knobs) const;
    // `now`: what the running training uses.
    MemoryForecast forecast(const RunSettings& knobs, std::optional<std::int64_t> now) const;

  private:
    PlanSettings planSettings(const RunSettings& knobs) const;

    std::shared_ptr<const Graph> graph_;
    bool softTargets_ = false;
    int threads_ = 1;
    DeviceKind device_ = DeviceKind::cpu;
};

}  // namespace trainscope::ui
