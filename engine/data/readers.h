// SPDX-License-Identifier: GPL-3.0-or-later
// How each kind of data set is opened or made. Errors are those of open_dataset.
#pragma once

#include <memory>
#include <string_view>

#include "engine/data/dataset.h"

namespace trainscope {

using OpenedDataset = Result<std::shared_ptr<Dataset>>;

OpenedDataset open_idx(const DatasetOptions& options);
OpenedDataset open_cifar10(const DatasetOptions& options);
OpenedDataset open_cifar100(const DatasetOptions& options);
OpenedDataset open_image_folder(const DatasetOptions& options);
OpenedDataset make_digits(const DatasetOptions& options);
OpenedDataset make_random(const DatasetOptions& options);
DatasetShape random_shape(const DatasetOptions& options);

// No data set may hold more samples than this, and no split more bytes.
inline constexpr std::int64_t largest_sample_count = std::int64_t{1} << 31;
inline constexpr std::int64_t largest_split_bytes = std::int64_t{1} << 40;

// Error out_of_memory when `what`, of so many bytes, is more than this machine could ever hold: the
// system would hand the memory out all the same and end the program when it is filled.
Result<void> expect_memory(std::int64_t bytes, std::string_view what);

// How many of `there` samples to keep when at most `wanted` were asked for (0: all).
constexpr std::int64_t limited(std::int64_t there, std::int64_t wanted) {
    return wanted > 0 && wanted < there ? wanted : there;
}

inline tl::unexpected<Error> opening_cancelled() {
    return make_error(ErrorCode::cancelled, "Opening the data set was cancelled.");
}

}  // namespace trainscope
