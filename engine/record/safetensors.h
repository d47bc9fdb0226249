// SPDX-License-Identifier: GPL-3.0-or-later
// Reading and writing of safetensors files: named tensors with a little metadata.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/core/result.h"

namespace trainscope {

struct SafeTensor {
    std::string dtype;  // "F32", "F64", "I64", "U8", ...
    std::vector<std::int64_t> shape;
    std::vector<std::byte> bytes;  // row-major, little-endian; elements() times the dtype's size

    // The values as doubles. Only for F32, F64, I32, I64 and U8.
    std::vector<double> as_double() const;
    std::int64_t elements() const;
};

struct SafeTensors {
    std::map<std::string, SafeTensor> tensors;
    std::map<std::string, std::string> metadata;
};

// The file is treated as hostile: every length is bounded by the file's size. Errors are those of
// open_file, io, and bad_file, which names the file, the offset, what was expected and found.
Result<SafeTensors> read_safetensors(const std::filesystem::path& file);
// Written to a temporary file beside it, then renamed. Error invalid_argument names a tensor whose
// bytes do not fit its dtype and shape.
Result<void> write_safetensors(const std::filesystem::path& file, const SafeTensors& content);

}  // namespace trainscope
