// SPDX-License-Identifier: GPL-3.0-or-later
// A data set in memory: a train and a test split of samples with hard or soft labels.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/core/shape.h"

namespace trainscope {

enum class Split : std::uint8_t { train, test };

// Samples as bytes (images) or as floats (random data); exactly one of the two is filled.
struct SplitData {
    std::vector<std::uint8_t> pixels;  // [count, C, H, W]
    std::vector<float> values;         // [count, C, H, W]
    std::vector<std::int32_t> labels;  // [count] in [0, classes); empty with soft targets
    std::vector<float> targets;        // [count, classes]; empty with hard labels
    std::int64_t count = 0;
};

// Immutable once made, so that any thread may read it.
class Dataset {
  public:
    std::string name;    // "mnist", "digits", "image-folder"
    std::string source;  // folder, or how it was generated
    Shape sample;        // [C, H, W]
    std::int64_t classes = 0;
    std::vector<std::string> class_names;  // one a class
    SplitData train;
    SplitData test;  // count 0: there is no test split
    // Bytes become (x / 255 - mean) / stddev.
    float mean = 0.5F, stddev = 0.5F;

    const SplitData& split(Split which) const { return which == Split::train ? train : test; }
    bool soft_targets() const { return !train.targets.empty(); }

    // Writes the samples at `indices`, normalised, to `samples` [indices.size(), C, H, W] and their
    // labels to `labels` or their targets to `targets` [indices.size(), classes], whichever this
    // data set has (the other may be nullptr). Indices must be in range.
    void read(Split which, std::span<const std::int64_t> indices, float* samples,
              std::int32_t* labels, float* targets) const;
};

struct DatasetOptions {
    std::string name = "digits";   // a name of dataset_kinds()
    std::filesystem::path folder;  // for those that read files
    std::uint64_t seed = 1;        // for generated ones
    std::int64_t train_count = 0;  // generated ones; 0: the kind's default. Files: at most so many
    std::int64_t test_count = 0;
    Shape sample;               // "random": [C, H, W], default [3, 32, 32]; image folder: the
                                // size to resize to, default that of the first image
    std::int64_t classes = 10;  // "random"
    bool soft_labels = false;   // "random"
    float mean = 0.5F, stddev = 0.5F;
    std::stop_token stop = {};  // once requested, opening ends soon with the error cancelled
};

struct DatasetKind {
    std::string name;         // "mnist"
    std::string title;        // "MNIST (IDX files)"
    std::string description;  // which files it reads, or what it makes
    bool needs_folder = false;
    // Which options it heeds: sample; classes and soft_labels.
    bool takes_sample = false, takes_labels = false;
    bool many_files = false;  // opening it takes seconds, even to learn its shape
};

// digits, random, mnist (any IDX set), cifar10, cifar100, image-folder.
const std::vector<DatasetKind>& dataset_kinds();

struct DatasetShape {
    Shape sample;  // [C, H, W]
    std::int64_t classes = 0;
    bool soft_targets = false;
};
// What is known of a data set without opening it; nullopt where only its files say.
std::optional<DatasetShape> known_shape(const DatasetOptions& options);

// Opens or makes a data set. Every error names the file and, where it applies, the offset, what was
// expected and what was found; nothing is kept on failure.
Result<std::shared_ptr<const Dataset>> open_dataset(const DatasetOptions& options);

}  // namespace trainscope
