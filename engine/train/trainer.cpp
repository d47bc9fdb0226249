// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/train/trainer.h"

#include <utility>

#include "engine/core/device_backend.h"
#include "engine/train/trainer_thread.h"

namespace trainscope {

Trainer::Trainer(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
Trainer::~Trainer() = default;

Result<std::unique_ptr<Trainer>> Trainer::create(TrainerConfig config,
                                                 std::shared_ptr<const Dataset> dataset) {
    Result<std::unique_ptr<DeviceRuntime>> runtime = open_device(config.device);
    if (!runtime) {
        return make_error(std::move(runtime.error()));
    }
    auto training = Training::create(std::move(config), std::move(dataset), std::move(*runtime));
    if (!training) {
        return make_error(std::move(training.error()));
    }
    return std::unique_ptr<Trainer>(
        new Trainer(std::make_unique<Implementation>(std::move(*training))));
}

CommandId Trainer::send(CommandBody command) {
    return implementation_->send(std::move(command));
}
std::vector<CommandAnswer> Trainer::take_answers() {
    return implementation_->take_answers();
}
TrainerStatus Trainer::status() const {
    return implementation_->status();
}
std::shared_ptr<const Telemetry> Trainer::telemetry() const {
    return implementation_->training().telemetry();
}
const TrainerConfig& Trainer::config() const {
    return implementation_->training().config();
}
const Graph& Trainer::graph() const {
    return implementation_->training().graph();
}
const Dataset& Trainer::dataset() const {
    return implementation_->training().dataset();
}
void Trainer::wait() {
    implementation_->wait();
}

Result<std::map<std::string, std::vector<float>>> Trainer::parameters() const {
    std::map<std::string, std::vector<float>> values;
    const bool rests = implementation_->while_resting(
        [&](const Training& training) { values = training.parameters(); });
    if (!rests) {
        return make_error(ErrorCode::invalid_argument,
                          "Parameters can be read only while the training is paused or done.");
    }
    return values;
}

Result<void> Trainer::set_parameters(const std::map<std::string, std::vector<float>>& values) {
    Result<void> result;
    const bool rests = implementation_->while_resting(
        [&](Training& training) { result = training.set_parameters(values); });
    if (!rests) {
        return make_error(ErrorCode::invalid_argument,
                          "Parameters can be set only while the training is paused or done.");
    }
    return result;
}

}  // namespace trainscope
