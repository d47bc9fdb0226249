// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/image.h"

#include <png.h>
#include <turbojpeg.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string_view>

#include "engine/core/format.h"
#include "engine/data/file_bytes.h"

namespace trainscope {

namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

// PNG: 8 pixels a byte, and deflate's 1032:1. JPEG's best is far below: a bit a block of 64.
constexpr std::int64_t most_pixels_per_byte = 8 * 1032;
constexpr std::int64_t largest_file = std::int64_t{1} << 28;

struct FreePng {
    void operator()(png_image* image) const { png_image_free(image); }
};
struct FreeJpeg {
    void operator()(void* handle) const { tjDestroy(handle); }
};
using JpegHandle = std::unique_ptr<void, FreeJpeg>;

Result<Bytes> read_file(const fs::path& path) {
    auto file = FileBytes::open(path);
    if (!file) {
        return make_error(std::move(file.error()));
    }
    if (file->compressed()) {
        return make_error(ErrorCode::bad_file,
                          "{}: expected a PNG or JPEG picture, found a file compressed by gzip.",
                          path.string());
    }
    if (file->file_size() > largest_file) {
        const auto [most, found] = format_bytes_apart(largest_file, file->file_size());
        return make_error(ErrorCode::bad_file,
                          "{}: expected a PNG or JPEG picture of at most {}, found {}.",
                          path.string(), most, found);
    }
    return file->read(file->file_size(), "a picture");
}

bool is_png(const Bytes& bytes) {
    return bytes.size() >= 8 && png_sig_cmp(bytes.data(), 0, 8) == 0;
}
bool is_jpeg(const Bytes& bytes) {
    return bytes.size() >= 2 && bytes[0] == 0xFF && bytes[1] == 0xD8;
}

tl::unexpected<Error> broken(const fs::path& file, std::string_view kind, std::string_view why) {
    return make_error(ErrorCode::bad_file, "{}: is a broken {} picture: {}.", file.string(), kind,
                      why);
}
tl::unexpected<Error> no_picture(const fs::path& file) {
    return make_error(ErrorCode::bad_file, "{}: expected a PNG or JPEG picture, found neither.",
                      file.string());
}

Result<ImageHeader> checked(const fs::path& file, const Bytes& bytes, ImageHeader header) {
    if (std::min(header.height, header.width) < 1 ||
        std::max(header.height, header.width) > largest_image_side) {
        return make_error(ErrorCode::bad_file,
                          "{}: expected a picture of at most {}x{}, found {}x{} (height x width).",
                          file.string(), largest_image_side, largest_image_side, header.height,
                          header.width);
    }
    const auto size = static_cast<std::int64_t>(bytes.size());
    if (header.height * header.width > size * most_pixels_per_byte) {
        return make_error(
            ErrorCode::bad_file,
            "{}: claims to be a picture of {}x{} (height x width), which a file of {} "
            "bytes cannot hold.",
            file.string(), header.height, header.width, format_count(size));
    }
    return header;
}

Result<ImageHeader> png_header(const fs::path& file, const Bytes& bytes, png_image& image) {
    image.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0) {
        return broken(file, "PNG", image.message);
    }
    return checked(file, bytes,
                   {.channels = (image.format & PNG_FORMAT_FLAG_COLOR) != 0 ? 3 : 1,
                    .height = image.height,
                    .width = image.width});
}

// Sets *inks where the picture is of cyan, magenta, yellow and black.
Result<ImageHeader> jpeg_header(const fs::path& file, const Bytes& bytes, tjhandle handle,
                                bool* inks = nullptr) {
    int width = 0;
    int height = 0;
    int subsampling = 0;
    int colorspace = 0;
    if (handle == nullptr ||
        tjDecompressHeader3(handle, bytes.data(), static_cast<unsigned long>(bytes.size()), &width,
                            &height, &subsampling, &colorspace) != 0) {
        return broken(file, "JPEG", tjGetErrorStr2(handle));
    }
    if (inks != nullptr) {
        *inks = colorspace == TJCS_CMYK || colorspace == TJCS_YCCK;
    }
    return checked(file, bytes,
                   {.channels = colorspace == TJCS_GRAY ? 1 : 3, .height = height, .width = width});
}

Image blank(const ImageHeader& header, std::int64_t channels) {
    return {.channels = channels,
            .height = header.height,
            .width = header.width,
            .pixels = Bytes(static_cast<std::size_t>(header.height * header.width * channels))};
}

Result<Image> read_png(const fs::path& file, const Bytes& bytes, std::int64_t channels) {
    png_image png{};
    const std::unique_ptr<png_image, FreePng> guard(&png);
    const Result<ImageHeader> header = png_header(file, bytes, png);
    if (!header) {
        return make_error(header.error());
    }
    // Without a word about gamma, 16 bits are as bright as 8.
    png.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
    png.format = channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
    Image image = blank(*header, channels);
    if (png_image_finish_read(&png, nullptr, image.pixels.data(), 0, nullptr) == 0) {
        return broken(file, "PNG", png.message);
    }
    return image;
}

Result<void> decode_jpeg(const fs::path& file, const Bytes& bytes, tjhandle handle, int format,
                         Image& image) {
    const int failed = tjDecompress2(handle, bytes.data(), static_cast<unsigned long>(bytes.size()),
                                     image.pixels.data(), static_cast<int>(image.width), 0,
                                     static_cast<int>(image.height), format,
                                     TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS);
    if (failed != 0) {
        const std::string_view why = tjGetErrorStr2(handle);
        // Warnings about stray bytes are common in real files and harm nothing; a file that ends
        // too early is filled with grey.
        const bool cut_off = why.find("remature end") != std::string_view::npos;
        if (tjGetErrorCode(handle) == TJERR_FATAL || cut_off) {
            return broken(file, "JPEG", why);
        }
    }
    return {};
}

// Four inks as nearly all files have them, inverted as by Adobe: the light that each lets through.
Image without_inks(const Image& inks, std::int64_t channels) {
    Image image = blank({.channels = 3, .height = inks.height, .width = inks.width}, channels);
    for (std::size_t p = 0; p < inks.pixels.size() / 4; ++p) {
        const std::uint8_t* ink = &inks.pixels[4 * p];
        std::array<int, 3> rgb{};
        for (std::size_t c = 0; c < 3; ++c) {
            rgb[c] = (ink[c] * ink[3] + 127) / 255;
        }
        if (channels == 3) {
            for (std::size_t c = 0; c < 3; ++c) {
                image.pixels[3 * p + c] = static_cast<std::uint8_t>(rgb[c]);
            }
        } else {  // brightness as JPEG defines it (ITU-R BT.601)
            image.pixels[p] = static_cast<std::uint8_t>(
                (299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2] + 500) / 1000);
        }
    }
    return image;
}

Result<Image> read_jpeg(const fs::path& file, const Bytes& bytes, std::int64_t channels) {
    const JpegHandle handle(tjInitDecompress());
    bool inks = false;
    const Result<ImageHeader> header = jpeg_header(file, bytes, handle.get(), &inks);
    if (!header) {
        return make_error(header.error());
    }
    Image image = blank(*header, inks ? 4 : channels);
    const int format = inks ? TJPF_CMYK : channels == 1 ? TJPF_GRAY : TJPF_RGB;
    if (Result<void> decoded = decode_jpeg(file, bytes, handle.get(), format, image); !decoded) {
        return make_error(std::move(decoded.error()));
    }
    return inks ? without_inks(image, channels) : std::move(image);
}

// Which inputs make up each output along one axis, and with what weights.
struct Weights {
    struct Window {
        std::int64_t begin = 0;
        std::vector<float> weights;
    };
    std::vector<Window> windows;

    Weights(std::int64_t in, std::int64_t out) {
        const double scale = static_cast<double>(in) / static_cast<double>(out);
        const double support = std::max(scale, 1.0);
        for (std::int64_t o = 0; o < out; ++o) {
            const double center = (static_cast<double>(o) + 0.5) * scale - 0.5;
            const auto begin =
                std::max<std::int64_t>(static_cast<std::int64_t>(std::ceil(center - support)), 0);
            const auto end = std::min<std::int64_t>(
                static_cast<std::int64_t>(std::floor(center + support)), in - 1);
            Window window{.begin = begin, .weights = {}};
            double total = 0;
            for (std::int64_t i = begin; i <= end; ++i) {
                const double weight =
                    std::max(0.0, 1.0 - std::abs(static_cast<double>(i) - center) / support);
                window.weights.push_back(static_cast<float>(weight));
                total += weight;
            }
            for (float& weight : window.weights) {
                weight = static_cast<float>(weight / total);
            }
            windows.push_back(std::move(window));
        }
    }
};

}  // namespace

Result<ImageHeader> read_image_header(const fs::path& file) {
    const Result<Bytes> bytes = read_file(file);
    if (!bytes) {
        return make_error(bytes.error());
    }
    if (is_png(*bytes)) {
        png_image png{};
        const std::unique_ptr<png_image, FreePng> guard(&png);
        return png_header(file, *bytes, png);
    }
    if (is_jpeg(*bytes)) {
        const JpegHandle handle(tjInitDecompress());
        return jpeg_header(file, *bytes, handle.get());
    }
    return no_picture(file);
}

Result<Image> read_image(const fs::path& file, std::int64_t channels) {
    const Result<Bytes> bytes = read_file(file);
    if (!bytes) {
        return make_error(bytes.error());
    }
    if (is_png(*bytes)) {
        return read_png(file, *bytes, channels);
    }
    if (is_jpeg(*bytes)) {
        return read_jpeg(file, *bytes, channels);
    }
    return no_picture(file);
}

Image resized(const Image& image, std::int64_t height, std::int64_t width) {
    if (image.height == height && image.width == width) {
        return image;
    }
    const Weights rows(image.height, height);
    const Weights columns(image.width, width);
    const auto channels = static_cast<std::size_t>(image.channels);
    const auto in_row = static_cast<std::size_t>(image.width) * channels;
    const auto out_row = static_cast<std::size_t>(width) * channels;
    Image result{.channels = image.channels,
                 .height = height,
                 .width = width,
                 .pixels = Bytes(static_cast<std::size_t>(height) * out_row)};
    std::vector<float> row(in_row);
    for (std::size_t y = 0; y < rows.windows.size(); ++y) {
        std::fill(row.begin(), row.end(), 0.0F);
        for (std::size_t i = 0; i < rows.windows[y].weights.size(); ++i) {
            const float weight = rows.windows[y].weights[i];
            const std::uint8_t* from =
                image.pixels.data() +
                (static_cast<std::size_t>(rows.windows[y].begin) + i) * in_row;
            for (std::size_t x = 0; x < in_row; ++x) {
                row[x] += weight * static_cast<float>(from[x]);
            }
        }
        for (std::size_t x = 0; x < columns.windows.size(); ++x) {
            const Weights::Window& window = columns.windows[x];
            for (std::size_t c = 0; c < channels; ++c) {
                float value = 0;
                for (std::size_t i = 0; i < window.weights.size(); ++i) {
                    value += window.weights[i] *
                             row[(static_cast<std::size_t>(window.begin) + i) * channels + c];
                }
                result.pixels[y * out_row + x * channels + c] =
                    static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0F, 255.0F)));
            }
        }
    }
    return result;
}

}  // namespace trainscope
