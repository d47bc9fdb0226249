// SPDX-License-Identifier: GPL-3.0-or-later
// PNG and JPEG files made by the tests, of every kind and with any fault.
#pragma once

#include <cstdint>

#include "tests/data/data_files.h"

namespace trainscope::testing {

struct PngLayout {
    std::uint32_t width = 1, height = 1;
    std::uint8_t depth = 8;         // bits a sample
    std::uint8_t color = 0;         // 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGB and alpha
    Bytes palette;                  // r, g, b, ...
    std::uint32_t pixel_bytes = 1;  // of depth and color, for 8 bits and more
};
// Rows of pixels without their filter bytes; as many as there are, whatever the header claims.
Bytes png(const PngLayout& layout, const Bytes& pixels);
// One colour, r, g, b.
Bytes plain_png(std::uint32_t width, std::uint32_t height, const Bytes& rgb);

// `pixels` as [height, width, channels]: 1 grey, 3 RGB, 4 CMYK as Adobe writes it (255: no ink).
Bytes jpeg(int width, int height, int channels, const Bytes& pixels);
// The file with another size in its frame header.
Bytes with_jpeg_size(Bytes file, std::uint16_t width, std::uint16_t height);

}  // namespace trainscope::testing
