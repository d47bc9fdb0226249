// SPDX-License-Identifier: GPL-3.0-or-later
// Small data files made by the tests themselves, right or wrong in one place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/data/dataset.h"
#include "tests/support/shared.h"

namespace trainscope::testing {

using Bytes = std::vector<std::uint8_t>;

void write_file(const std::filesystem::path& file, const Bytes& bytes);
Bytes gzipped(const Bytes& bytes);
Bytes joined(std::initializer_list<Bytes> parts);
Bytes cut(const Bytes& bytes, std::size_t length);  // the first `length` of them

// IDX: the header, and whole files whose values count up from `first`.
Bytes idx_header(std::uint8_t type, const std::vector<std::uint32_t>& dims);
Bytes idx_images(std::uint32_t count, std::uint32_t rows, std::uint32_t columns,
                 std::uint8_t first = 0);
Bytes idx_labels(const std::vector<std::uint8_t>& labels);

// A folder with a right IDX set of 5 train and 3 test images of 4x3.
struct IdxFolder {
    IdxFolder();
    std::filesystem::path file(const std::string& name) const { return folder.path() / name; }
    DatasetOptions options() const;
    TemporaryFolder folder;
};

// Records of CIFAR-10, (or -100 with a coarse label), one a label; pixel p of record r is
// (7 r + p) % 256.
Bytes cifar_records(const std::vector<std::uint8_t>& labels, bool coarse = false);

// What the test expects of a failure: opening gives an error of `code` whose one sentence contains
// all of `says`.
struct Refusal {
    ErrorCode code;
    std::vector<std::string> says;
};
void expect_refused(const DatasetOptions& options, const Refusal& refusal);
// The data set, or a failed test with the error's message and nullptr.
std::shared_ptr<const Dataset> expect_opened(const DatasetOptions& options);

}  // namespace trainscope::testing
