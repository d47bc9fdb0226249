// SPDX-License-Identifier: GPL-3.0-or-later
// Which knobs there are, and how each stands in settings, in a running training and in a command.
// Panel and tests read this table.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/train/command.h"
#include "engine/train/trainer.h"
#include "ui/knobs/knob.h"
#include "ui/run_settings.h"

namespace trainscope::ui {

struct KnobRow {
    Knob* knob = nullptr;
    std::function<QVariant(const RunSettings&)> read;
    std::function<void(RunSettings&, const QVariant&)> write;
    std::function<QVariant(const TrainerStatus&)> running;
    std::function<CommandBody(const QVariant&)> command;
    std::string op = {};  // of a variant's knob: its operator
};

// Micro-batch, accumulation, learning rate, optimizer, memory budget and evaluation interval.
std::vector<KnobRow> makeRunKnobs();
// One for each operator that has more than one variant on a device of this program.
std::vector<KnobRow> makeVariantKnobs();
// Offers the variants that there are on that kind of device.
void offerVariants(const std::vector<KnobRow>& variantKnobs, DeviceKind device);

// The knob's name of an operator's variant: "conv2d variant", as in annotations.
QString variantKnobName(const std::string& op);

// "auto (im2col_gemm)" where it is known what runs, and under a knob that turns nothing in this
// model why not.
void showUsedVariants(const std::vector<KnobRow>& variantKnobs,
                      const std::map<std::string, std::string>& used);

}  // namespace trainscope::ui
