// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/json_fields.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "engine/core/near_name.h"

namespace trainscope {

std::string shown(const nlohmann::json& value) {
    if (value.is_object()) {
        return "an object";
    }
    constexpr std::size_t longest = 40;
    std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    if (text.size() > longest) {
        text.resize(longest);
        text += "...";
    }
    return text;
}

void JsonFields::fail(std::string message) {
    if (!error_) {
        error_ = Error{ErrorCode::bad_file, std::move(message)};
    }
}

void JsonFields::fail(std::string_view field, std::string_view expected,
                      const nlohmann::json& found) {
    fail(fmt::format("{}: {} must be {}, not {}.", place_, field, expected, shown(found)));
}

const nlohmann::json* JsonFields::raw(std::string_view field) {
    known_.push_back(field);
    const auto found = object_.find(field);
    return found == object_.end() ? nullptr : &*found;
}

std::int64_t JsonFields::checked_integer(std::string_view field, const nlohmann::json& value,
                                         std::int64_t low, std::int64_t high) {
    const bool whole = value.is_number_unsigned()
                           ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(high)
                           : value.is_number_integer();
    if (!whole || value.get<std::int64_t>() < low || value.get<std::int64_t>() > high) {
        fail(field, fmt::format("a whole number from {} to {}", low, high), value);
        return low;
    }
    return value.get<std::int64_t>();
}

std::int64_t JsonFields::integer(std::string_view field, std::int64_t low, std::int64_t high,
                                 std::optional<std::int64_t> fallback) {
    const nlohmann::json* value = raw(field);
    if (value != nullptr) {
        return checked_integer(field, *value, low, high);
    }
    if (!fallback) {
        fail(fmt::format("{}: the field {} is missing; expected a whole number from {} to {}.",
                         place_, field, low, high));
    }
    return fallback.value_or(low);
}

std::pair<std::int64_t, std::int64_t> JsonFields::pair(std::string_view field, std::int64_t low,
                                                       std::int64_t high,
                                                       std::optional<std::int64_t> fallback) {
    const nlohmann::json* value = raw(field);
    if (value == nullptr || !value->is_array()) {
        known_.pop_back();
        const std::int64_t both = integer(field, low, high, fallback);
        return {both, both};
    }
    if (value->size() != 2) {
        fail(field, "a whole number or [height, width]", *value);
        return {low, low};
    }
    return {checked_integer(field, (*value)[0], low, high),
            checked_integer(field, (*value)[1], low, high)};
}

float JsonFields::number(std::string_view field, double low, double high, float fallback) {
    const nlohmann::json* value = raw(field);
    if (value == nullptr) {
        return fallback;
    }
    if (!value->is_number() || !std::isfinite(value->get<double>()) || value->get<double>() < low ||
        value->get<double>() > high) {
        fail(field, fmt::format("a number from {} to {}", low, high), *value);
        return fallback;
    }
    return value->get<float>();
}

bool JsonFields::boolean(std::string_view field, bool fallback) {
    const nlohmann::json* value = raw(field);
    if (value == nullptr) {
        return fallback;
    }
    if (!value->is_boolean()) {
        fail(field, "true or false", *value);
        return fallback;
    }
    return value->get<bool>();
}

std::string JsonFields::text(std::string_view field, std::string_view fallback) {
    const nlohmann::json* value = raw(field);
    if (value == nullptr) {
        return std::string(fallback);
    }
    if (!value->is_string()) {
        fail(field, "a text", *value);
        return std::string(fallback);
    }
    return value->get<std::string>();
}

std::size_t JsonFields::choice(std::string_view field, const std::vector<std::string_view>& allowed,
                               std::size_t fallback) {
    const nlohmann::json* value = raw(field);
    if (value == nullptr) {
        return fallback;
    }
    if (value->is_string()) {
        const auto found =
            std::find(allowed.begin(), allowed.end(), value->get_ref<const std::string&>());
        if (found != allowed.end()) {
            return static_cast<std::size_t>(found - allowed.begin());
        }
    }
    fail(field, fmt::format("one of {}", fmt::join(allowed, ", ")), *value);
    return fallback;
}

Result<void> JsonFields::finish() {
    for (const auto& [field, value] : object_.items()) {
        if (std::find(known_.begin(), known_.end(), field) == known_.end()) {
            fail(fmt::format("{}: there is no field '{}'{} (known: {}).", place_, field,
                             near_name_hint(field, known_), fmt::join(known_, ", ")));
        }
    }
    if (error_) {
        return make_error(*error_);
    }
    return {};
}

}  // namespace trainscope
