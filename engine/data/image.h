// SPDX-License-Identifier: GPL-3.0-or-later
// A picture as bytes: decoding PNG and JPEG files, and resizing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "engine/core/result.h"
#include "engine/data/limits.h"

namespace trainscope {

struct Image {
    std::int64_t channels = 1;  // 1 grey, 3 red green blue
    std::int64_t height = 0, width = 0;
    std::vector<std::uint8_t> pixels;  // [height, width, channels]
};

// What the file itself is made of.
struct ImageHeader {
    std::int64_t channels = 1, height = 0, width = 0;
};

// By content, whatever the file's name says. Transparent pixels are laid on black. Errors name the
// file: not_found, io, bad_file for what is no PNG or JPEG, broken, cut off, or larger than
// largest_image_side.
Result<ImageHeader> read_image_header(const std::filesystem::path& file);
// Converted to `channels` (1 or 3).
Result<Image> read_image(const std::filesystem::path& file, std::int64_t channels);

// Bilinear; when it gets smaller, each pixel is the weighted mean of all it covers, so that nothing
// aliases.
Image resized(const Image& image, std::int64_t height, std::int64_t width);

}  // namespace trainscope
