// SPDX-License-Identifier: GPL-3.0-or-later
// What each layer takes now and took before the last knob was turned.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/train/telemetry.h"

namespace trainscope::ui {

struct OperatorSummary {
    std::string layer;  // "conv1", or what was fused: "conv1 + relu1 + pool1"
    std::string op;     // "conv2d", or the fused operator: "conv_relu_pool"
    // Medians, seconds for a micro-batch; nullopt where there is none.
    std::optional<double> forward, backward;
    std::optional<double> before;  // both passes, before the last knob

    std::optional<double> total() const;
};

struct OperatorsSummary {
    std::vector<OperatorSummary> layers;
    std::string knob;  // "conv2d variant auto -> direct": the last that was turned; empty: none yet
    double seconds = 0;        // of all layers
    std::size_t rows_now = 0;  // micro-batches that were timed since
};

// Of the newest micro-batches that were timed after the last knob that was applied, and of those
// before it. Knobs in a row, with nothing timed between them, count as one.
OperatorsSummary summarizeOperators(const Telemetry& telemetry);

}  // namespace trainscope::ui
