// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/data/pictures.h"

#include <turbojpeg.h>
#include <zlib.h>

#include <algorithm>
#include <stdexcept>

namespace trainscope::testing {

namespace {

Bytes big_endian(std::uint32_t value) {
    return {static_cast<std::uint8_t>(value >> 24U), static_cast<std::uint8_t>(value >> 16U),
            static_cast<std::uint8_t>(value >> 8U), static_cast<std::uint8_t>(value)};
}

Bytes chunk(const char* type, const Bytes& content) {
    const Bytes checked = joined({Bytes(type, type + 4), content});
    const uLong sum = crc32(0, checked.data(), static_cast<uInt>(checked.size()));
    return joined({big_endian(static_cast<std::uint32_t>(content.size())), checked,
                   big_endian(static_cast<std::uint32_t>(sum))});
}

Bytes deflated(const Bytes& bytes) {
    uLongf size = compressBound(static_cast<uLong>(bytes.size()));
    Bytes packed(size);
    if (compress(packed.data(), &size, bytes.data(), static_cast<uLong>(bytes.size())) != Z_OK) {
        throw std::runtime_error("zlib cannot compress");
    }
    packed.resize(size);
    return packed;
}

}  // namespace

Bytes png(const PngLayout& layout, const Bytes& pixels) {
    const std::size_t row_bytes = layout.depth >= 8
                                      ? std::size_t{layout.width} * layout.pixel_bytes
                                      : (std::size_t{layout.width} * layout.depth + 7) / 8;
    Bytes rows;
    for (std::size_t at = 0; at < pixels.size(); at += row_bytes) {
        rows.push_back(0);  // no filter
        const auto end = std::min(at + row_bytes, pixels.size());
        rows.insert(rows.end(), pixels.begin() + static_cast<std::ptrdiff_t>(at),
                    pixels.begin() + static_cast<std::ptrdiff_t>(end));
    }
    const Bytes header = joined({big_endian(layout.width),
                                 big_endian(layout.height),
                                 {layout.depth, layout.color, 0, 0, 0}});
    return joined({{0x89, 'P', 'N', 'G', 0x0D, 0x0A, 0x1A, 0x0A},
                   chunk("IHDR", header),
                   layout.palette.empty() ? Bytes{} : chunk("PLTE", layout.palette),
                   chunk("IDAT", deflated(rows)),
                   chunk("IEND", {})});
}

Bytes plain_png(std::uint32_t width, std::uint32_t height, const Bytes& rgb) {
    Bytes pixels;
    for (std::uint32_t i = 0; i < width * height; ++i) {
        pixels.insert(pixels.end(), rgb.begin(), rgb.end());
    }
    return png({.width = width, .height = height, .color = 2, .palette = {}, .pixel_bytes = 3},
               pixels);
}

Bytes jpeg(int width, int height, int channels, const Bytes& pixels) {
    tjhandle handle = tjInitCompress();
    unsigned char* buffer = nullptr;
    unsigned long size = 0;
    const int format = channels == 1 ? TJPF_GRAY : channels == 3 ? TJPF_RGB : TJPF_CMYK;
    const int failed =
        tjCompress2(handle, pixels.data(), width, 0, height, format, &buffer, &size,
                    channels == 1 ? TJSAMP_GRAY : TJSAMP_444, 95, TJFLAG_ACCURATEDCT);
    Bytes file = failed == 0 ? Bytes(buffer, buffer + size) : Bytes{};
    tjFree(buffer);
    tjDestroy(handle);
    if (failed != 0) {
        throw std::runtime_error("the JPEG library cannot compress");
    }
    return file;
}

Bytes with_jpeg_size(Bytes file, std::uint16_t width, std::uint16_t height) {
    for (std::size_t i = 0; i + 9 < file.size(); ++i) {
        if (file[i] == 0xFF && (file[i + 1] == 0xC0 || file[i + 1] == 0xC2)) {  // start of frame
            file[i + 5] = static_cast<std::uint8_t>(height >> 8U);
            file[i + 6] = static_cast<std::uint8_t>(height & 0xFFU);
            file[i + 7] = static_cast<std::uint8_t>(width >> 8U);
            file[i + 8] = static_cast<std::uint8_t>(width & 0xFFU);
            return file;
        }
    }
    throw std::runtime_error("no frame header in the JPEG file");
}

}  // namespace trainscope::testing
