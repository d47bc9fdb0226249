// SPDX-License-Identifier: GPL-3.0-or-later
// A made-up training for the tests of the charts: decaying noisy loss, knobs turned, evaluations.
#pragma once

#include <cstddef>
#include <memory>

#include "engine/train/telemetry.h"

namespace trainscope::ui {

// The values of one step; index counts from 0. Smooth and known: loss 2.3 * exp(-samples / 6e4).
StepSample stepSample(std::size_t index, double samples, double batch, double active_seconds);

// n steps of batch 32, without noise, annotations and evaluations: x values are easy to reckon.
std::shared_ptr<Telemetry> plainRun(std::size_t steps);

// As a person would see it: noise, batch 32 -> 64 -> 128 (and one refused), an evaluation an epoch.
std::shared_ptr<Telemetry> realisticRun(std::size_t steps);

}  // namespace trainscope::ui
