// SPDX-License-Identifier: GPL-3.0-or-later
// For tests of the loader: a data set whose samples tell their index, and slots that own memory.
#pragma once

#include <memory>
#include <vector>

#include "engine/data/loader.h"

namespace trainscope::testing {

// Sample i is {i, i + 0.5} with the label i.
inline std::shared_ptr<const Dataset> numbered_dataset(std::int64_t count) {
    auto dataset = std::make_shared<Dataset>();
    dataset->sample = Shape{1, 1, 2};
    dataset->classes = count;
    dataset->train.count = count;
    for (std::int64_t i = 0; i < count; ++i) {
        dataset->train.values.push_back(static_cast<float>(i));
        dataset->train.values.push_back(static_cast<float>(i) + 0.5F);
        dataset->train.labels.push_back(static_cast<std::int32_t>(i));
    }
    return dataset;
}

// Each slot's memory is its own allocation of just the right size.
class Slots {
  public:
    Slots(std::size_t count, std::int64_t micro_batch)
        : samples_(count, std::vector<float>(static_cast<std::size_t>(2 * micro_batch))),
          labels_(count, std::vector<std::int32_t>(static_cast<std::size_t>(micro_batch))) {}

    std::vector<BatchSlot> lent() {
        std::vector<BatchSlot> slots;
        for (std::size_t i = 0; i < samples_.size(); ++i) {
            slots.push_back({.samples = samples_[i].data(), .labels = labels_[i].data()});
        }
        return slots;
    }

  private:
    std::vector<std::vector<float>> samples_;
    std::vector<std::vector<std::int32_t>> labels_;
};

// The indices of the samples in a batch, each checked to be whole.
inline std::vector<std::int64_t> indices_of(const Batch& batch) {
    std::vector<std::int64_t> indices;
    for (std::int64_t i = 0; i < batch.size; ++i) {
        const auto index = static_cast<std::int64_t>(batch.slot->samples[2 * i]);
        const bool whole = batch.slot->samples[2 * i + 1] == static_cast<float>(index) + 0.5F &&
                           batch.slot->labels[i] == index;
        indices.push_back(whole ? index : -1);
    }
    return indices;
}

}  // namespace trainscope::testing
