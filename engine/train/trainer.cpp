// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/train/trainer.h"

#include <utility>

namespace trainscope {

class Trainer::Implementation {
  public:
    TrainerConfig config;
    Graph graph;
    std::shared_ptr<const Dataset> dataset;
    std::shared_ptr<Telemetry> telemetry = std::make_shared<Telemetry>();
};

Trainer::Trainer(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
Trainer::~Trainer() = default;

Result<std::unique_ptr<Trainer>> Trainer::create(TrainerConfig /*config*/,
                                                 std::shared_ptr<const Dataset> /*dataset*/) {
    return make_error(ErrorCode::unsupported, "Training is not ready in this build.");
}

CommandId Trainer::send(CommandBody /*command*/) {
    return 0;
}
std::vector<CommandAnswer> Trainer::take_answers() {
    return {};
}
TrainerStatus Trainer::status() const {
    return {};
}
std::shared_ptr<const Telemetry> Trainer::telemetry() const {
    return implementation_->telemetry;
}
const TrainerConfig& Trainer::config() const {
    return implementation_->config;
}
const Graph& Trainer::graph() const {
    return implementation_->graph;
}
const Dataset& Trainer::dataset() const {
    return *implementation_->dataset;
}
void Trainer::wait() {}

Result<std::map<std::string, std::vector<float>>> Trainer::parameters() const {
    return make_error(ErrorCode::unsupported, "Training is not ready in this build.");
}
Result<void> Trainer::set_parameters(const std::map<std::string, std::vector<float>>& /*values*/) {
    return make_error(ErrorCode::unsupported, "Training is not ready in this build.");
}

}  // namespace trainscope
