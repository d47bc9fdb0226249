// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tune/bench_shape.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>

#include "engine/core/near_name.h"

namespace trainscope {

namespace {

std::size_t place_of(std::string_view op, std::string_view field) {
    const std::span<const BenchField> fields = bench_fields(op);
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (fields[i].name == field) {
            return i;
        }
    }
    throw std::out_of_range(fmt::format("{} has no field {}", op, field));
}

std::string value_text(const BenchField& field, std::int64_t value) {
    return field.words.empty() ? std::to_string(value)
                               : std::string(field.words[static_cast<std::size_t>(value)]);
}

Result<std::int64_t> read_value(const BenchField& field, std::string_view text) {
    if (!field.words.empty()) {
        const auto found = std::find(field.words.begin(), field.words.end(), text);
        if (found != field.words.end()) {
            return found - field.words.begin();
        }
        return make_error(ErrorCode::invalid_argument, "{}: expected one of {}, found '{}'",
                          field.name, fmt::join(field.words, ", "), text);
    }
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data(), end, value);
    if (failed != std::errc{} || stop != end || value < field.least || value > field.most) {
        return make_error(ErrorCode::invalid_argument,
                          "{}: expected a whole number from {} to {}, found '{}'", field.name,
                          field.least, field.most, text);
    }
    return value;
}

// "n=32,c=16,..." of the usual shape, for messages.
std::string example(std::string_view op) {
    return usual_bench_shape(op).value().to_string();
}

using Given = std::vector<std::optional<std::int64_t>>;

// One "name=value" of the text.
Result<void> read_part(std::string_view op, std::string_view part, Given& given) {
    const std::span<const BenchField> fields = bench_fields(op);
    const std::size_t split = part.find('=');
    if (split == std::string_view::npos) {
        return make_error(ErrorCode::invalid_argument,
                          "expected name=value pairs such as {}, found '{}'", example(op), part);
    }
    const std::string_view name = part.substr(0, split);
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        names.push_back(fields[i].name);
        if (fields[i].name != name) {
            continue;
        }
        if (given[i]) {
            return make_error(ErrorCode::invalid_argument, "{} is given twice", name);
        }
        const Result<std::int64_t> value = read_value(fields[i], part.substr(split + 1));
        if (!value) {
            return make_error(value.error());
        }
        given[i] = *value;
        return {};
    }
    return make_error(ErrorCode::invalid_argument, "{} has no field '{}'{}", op, name,
                      known_names_hint(name, names));
}

// Fields that were not given take their usual values.
BenchShape completed(std::string_view op, const Given& given) {
    const std::span<const BenchField> fields = bench_fields(op);
    BenchShape shape{.op = std::string(op), .values = std::vector<std::int64_t>(fields.size())};
    for (std::size_t i = 0; i < fields.size(); ++i) {
        shape.values[i] = given[i] ? *given[i] : fields[i].usual(shape);
    }
    return shape;
}

Result<void> check_operator(std::string_view op) {
    if (bench_fields(op).empty()) {
        return make_error(ErrorCode::not_found, "there is no operator '{}'{}", op,
                          known_names_hint(op, bench_operator_names()));
    }
    return {};
}

}  // namespace

std::int64_t BenchShape::operator[](std::string_view field) const {
    return values[place_of(op, field)];
}
std::int64_t& BenchShape::operator[](std::string_view field) {
    return values[place_of(op, field)];
}

std::string BenchShape::to_string() const {
    const std::span<const BenchField> fields = bench_fields(op);
    std::string text;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (fields[i].shown_when_usual || values[i] != fields[i].usual(*this)) {
            text += fmt::format("{}{}={}", text.empty() ? "" : ",", fields[i].name,
                                value_text(fields[i], values[i]));
        }
    }
    return text;
}

Result<BenchShape> usual_bench_shape(std::string_view op) {
    return parse_bench_shape(op, "");
}

Result<BenchShape> parse_bench_shape(std::string_view op, std::string_view text) {
    if (const Result<void> known = check_operator(op); !known) {
        return make_error(known.error());
    }
    Given given(bench_fields(op).size());
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(','), text.size());
        std::string_view part = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        while (part.starts_with(' ')) {
            part.remove_prefix(1);
        }
        if (const Result<void> read = read_part(op, part, given); !read) {
            return make_error(read.error());
        }
    }
    return completed(op, given);
}

}  // namespace trainscope
