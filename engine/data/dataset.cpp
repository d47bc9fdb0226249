// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/dataset.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>

#include "engine/core/near_name.h"
#include "engine/data/readers.h"

namespace trainscope {

namespace {

struct Kind {
    DatasetKind shown;
    OpenedDataset (*open)(const DatasetOptions&);
    DatasetShape (*shape)(const DatasetOptions&) = nullptr;  // where it is known beforehand
};

template <std::int64_t channels, std::int64_t side, std::int64_t classes>
DatasetShape always(const DatasetOptions& /*options*/) {
    return {Shape{channels, side, side}, classes};
}

const std::vector<Kind>& kinds() {
    static const std::vector<Kind> table = {
        {{.name = "digits",
          .title = "Generated digits",
          .description = "28x28 digits drawn by the program, 10 classes; needs no file"},
         make_digits,
         always<1, 28, 10>},
        {{.name = "random",
          .title = "Random numbers",
          .description = "normal inputs of any shape, uniform labels; for speed and memory",
          .takes_sample = true,
          .takes_labels = true},
         make_random,
         random_shape},
        {{.name = "mnist",
          .title = "MNIST (IDX files)",
          .description = "train-images-idx3-ubyte, train-labels-idx1-ubyte and the same of t10k, "
                         "plain or .gz; Fashion-MNIST, KMNIST and EMNIST too",
          .needs_folder = true},
         open_idx},
        {{.name = "cifar10",
          .title = "CIFAR-10 (binary)",
          .description = "data_batch_1.bin, data_batch_2.bin, ... and test_batch.bin",
          .needs_folder = true},
         open_cifar10,
         always<3, 32, 10>},
        {{.name = "cifar100",
          .title = "CIFAR-100 (binary)",
          .description = "train.bin and test.bin, fine labels",
          .needs_folder = true},
         open_cifar100,
         always<3, 32, 100>},
        {{.name = "image-folder",
          .title = "Image folder",
          .description = "train/CLASS/*.png or *.jpg, and test/CLASS/... if there is one",
          .needs_folder = true,
          .takes_sample = true,
          .many_files = true},
         open_image_folder},
    };
    return table;
}

Result<const Kind*> find_kind(const std::string& name) {
    std::vector<std::string_view> names;
    for (const Kind& kind : kinds()) {
        if (kind.shown.name == name) {
            return &kind;
        }
        names.push_back(kind.shown.name);
    }
    return make_error(ErrorCode::not_found, "There is no kind of data set '{}'{}.", name,
                      known_names_hint(name, names));
}

// What holds for every kind.
Result<void> check(const DatasetOptions& options, const DatasetKind& kind) {
    if (options.train_count < 0 || options.test_count < 0) {
        return make_error(ErrorCode::invalid_argument,
                          "The number of {} samples must be 0 (all) or more, not {}.",
                          options.train_count < 0 ? "train" : "test",
                          std::min(options.train_count, options.test_count));
    }
    if (!std::isfinite(options.mean) || !std::isfinite(options.stddev) || options.stddev <= 0) {
        return make_error(ErrorCode::invalid_argument,
                          "Normalisation needs a finite mean and a standard deviation above 0, not "
                          "{} and {}.",
                          options.mean, options.stddev);
    }
    constexpr double largest = std::numeric_limits<float>::max();
    if ((1.0 + std::abs(double{options.mean})) / double{options.stddev} > largest) {
        return make_error(
            ErrorCode::invalid_argument,
            "Normalisation with the mean {} and the standard deviation {} gives values "
            "that no float can hold.",
            options.mean, options.stddev);
    }
    if (!kind.needs_folder) {
        return {};
    }
    if (options.folder.empty()) {
        return make_error(ErrorCode::invalid_argument,
                          "The data set {} needs the folder of its files: {}.", kind.name,
                          kind.description);
    }
    std::error_code failed;
    if (!std::filesystem::is_directory(options.folder, failed)) {
        return make_error(ErrorCode::not_found, "{}: expected the folder of the data set {}, {}.",
                          options.folder.string(), kind.name,
                          std::filesystem::exists(options.folder, failed)
                              ? "found something that is no folder"
                              : "found nothing there");
    }
    return {};
}

// Sizes are checked before memory is taken, but others take memory too.
OpenedDataset open_within_memory(const Kind& kind, const DatasetOptions& options) {
    const auto failed = [&] {
        return make_error(ErrorCode::out_of_memory,
                          "The data set {} needs more memory than there is; choose fewer samples.",
                          kind.shown.name);
    };
    try {
        return kind.open(options);
    } catch (const std::bad_alloc&) {
        return failed();
    } catch (const std::length_error&) {
        return failed();
    }
}

}  // namespace

const std::vector<DatasetKind>& dataset_kinds() {
    static const std::vector<DatasetKind> shown = [] {
        std::vector<DatasetKind> rows;
        for (const Kind& kind : kinds()) {
            rows.push_back(kind.shown);
        }
        return rows;
    }();
    return shown;
}

std::optional<DatasetShape> known_shape(const DatasetOptions& options) {
    const Result<const Kind*> kind = find_kind(options.name);
    if (!kind || (*kind)->shape == nullptr) {
        return std::nullopt;
    }
    return (*kind)->shape(options);
}

Result<std::shared_ptr<const Dataset>> open_dataset(const DatasetOptions& options) {
    const Result<const Kind*> kind = find_kind(options.name);
    if (!kind) {
        return make_error(kind.error());
    }
    if (Result<void> right = check(options, (*kind)->shown); !right) {
        return make_error(std::move(right.error()));
    }
    OpenedDataset opened = open_within_memory(**kind, options);
    if (!opened) {
        return make_error(std::move(opened.error()));
    }
    (*opened)->name = options.name;
    (*opened)->mean = options.mean;
    (*opened)->stddev = options.stddev;
    return std::shared_ptr<const Dataset>(std::move(*opened));
}

void Dataset::read(Split which, std::span<const std::int64_t> indices, float* samples,
                   std::int32_t* labels, float* targets) const {
    const SplitData& data = split(which);
    const auto elements = static_cast<std::size_t>(sample.elements());
    // (x / 255 - mean) / stddev is one of 256 values, each rounded once.
    std::array<float, 256> normalised{};
    for (std::size_t x = 0; x < normalised.size(); ++x) {
        normalised[x] =
            static_cast<float>((static_cast<double>(x) / 255.0 - double{mean}) / double{stddev});
    }
    for (std::size_t i = 0; i < indices.size(); ++i) {
        assert(indices[i] >= 0 && indices[i] < data.count);
        const auto index = static_cast<std::size_t>(indices[i]);
        float* to = samples + i * elements;
        if (!data.pixels.empty()) {
            const std::uint8_t* from = data.pixels.data() + index * elements;
            for (std::size_t e = 0; e < elements; ++e) {
                to[e] = normalised[from[e]];
            }
        } else {
            std::copy_n(data.values.data() + index * elements, elements, to);
        }
        if (!data.labels.empty()) {
            labels[i] = data.labels[index];
        } else {
            const auto width = static_cast<std::size_t>(classes);
            std::copy_n(data.targets.data() + index * width, width, targets + i * width);
        }
    }
}

}  // namespace trainscope
