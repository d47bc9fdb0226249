// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line/values.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>
#include <vector>

#include "engine/core/byte_size.h"
#include "ui/export/picture_file.h"

namespace trainscope::command_line {

namespace {

// Never in the system's locale: 0.05 is 0.05 everywhere.
template <class T>
bool read_all(std::string_view text, T& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
}

tl::unexpected<Error> expected(std::string_view what, std::string_view found) {
    return make_error(ErrorCode::invalid_argument, "expected {}, found '{}'", what, found);
}

}  // namespace

Result<std::int64_t> read_whole(std::string_view text, std::int64_t least, std::int64_t most) {
    std::int64_t value = 0;
    if (!read_all(text, value) || value < least || value > most) {
        return expected(fmt::format("a whole number from {} to {}", least, most), text);
    }
    return value;
}

Result<float> read_positive(std::string_view text) {
    float value = 0;
    if (read_all(text, value) && std::isfinite(value) && value > 0) {
        return value;
    }
    double wide = 0;
    const std::from_chars_result read =
        std::from_chars(text.data(), text.data() + text.size(), wide);
    const bool number = read.ec != std::errc::invalid_argument &&
                        read.ptr == text.data() + text.size() && std::isfinite(wide);
    if (number && !text.starts_with('-') && (wide > 0 || read.ec != std::errc{})) {
        return expected("a number that float32 holds, 1e-45 to 3.4e38", text);
    }
    return expected("a number above 0", text);
}

Result<std::int64_t> read_bytes(std::string_view text) {
    const std::size_t split = text.find_first_not_of("0123456789.");
    std::string_view unit =
        split == std::string_view::npos ? std::string_view() : text.substr(split);
    while (unit.starts_with(' ')) {
        unit.remove_prefix(1);
    }
    double number = 0;
    const std::optional<double> bytes = unit.empty() ? 1 : bytes_of_unit(unit);
    if (bytes && read_all(text.substr(0, split), number) && number > 0 &&
        number * *bytes < 0x1p62) {
        return static_cast<std::int64_t>(number * *bytes);
    }
    return expected("a size above 0 and below 4194304TiB, such as 512MiB or 8GiB", text);
}

Result<Shape> read_sample_shape(std::string_view text) {
    const std::vector<std::int64_t> sizes = read_sizes(text, largest_dimension);
    if (sizes.size() != 3) {
        return expected(fmt::format("channels x height x width, each from 1 to {}, such as 3x32x32",
                                    largest_dimension),
                        text);
    }
    return Shape(sizes);
}

Result<std::pair<int, int>> read_picture_size(std::string_view text) {
    constexpr std::int64_t most = ui::PictureLimits::largest_side;
    const std::vector<std::int64_t> sizes = read_sizes(text, most);
    if (sizes.size() != 2) {
        return expected(fmt::format("width x height, each from 1 to {}, such as 1200x500", most),
                        text);
    }
    return std::pair(static_cast<int>(sizes[0]), static_cast<int>(sizes[1]));
}

Result<std::pair<std::string, std::string>> read_assignment(std::string_view text) {
    const std::size_t split = text.find('=');
    if (split == std::string_view::npos || split == 0 || split + 1 == text.size()) {
        return expected("operator=variant such as conv2d=im2col_gemm", text);
    }
    return std::pair(std::string(text.substr(0, split)), std::string(text.substr(split + 1)));
}

}  // namespace trainscope::command_line
