// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/json_fields.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "engine/core/near_name.h"

namespace trainscope {

std::string shortened(std::string_view text) {
    constexpr std::size_t longest = 40;
    const auto valid = [](std::string_view bytes) {
        const std::string dumped =
            nlohmann::json(bytes).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        return dumped.substr(1, dumped.size() - 2);  // without JSON's quotes
    };
    if (text.size() <= longest) {
        return valid(text);
    }
    std::size_t end = longest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
        --end;  // not in the middle of a letter
    }
    return valid(text.substr(0, end)) + "...";
}

std::string quoted_short(std::string_view text) {
    // As it was typed, but for what would break the line.
    std::string plain;
    const std::string escaped = shortened(text);
    for (std::size_t i = 0; i < escaped.size(); ++i) {
        const bool pair = escaped[i] == '\\' && i + 1 < escaped.size();
        if (pair && (escaped[i + 1] == '"' || escaped[i + 1] == '\\')) {
            ++i;
        }
        plain += escaped[i];
    }
    return "'" + plain + "'";
}

std::string shown(const nlohmann::json& value) {
    if (value.is_object()) {
        return "an object";
    }
    if (value.is_string()) {
        return "\"" + shortened(value.get_ref<const std::string&>()) + "\"";
    }
    constexpr std::size_t longest = 40;
    std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    if (text.size() > longest) {
        text.resize(longest);
        text += "...";
    }
    return text;
}

void JsonFields::remember(std::string message) {
    if (!error_) {
        error_ = Error{ErrorCode::bad_file, std::move(message)};
    }
}

void JsonFields::fail(std::string_view field, std::string_view expected,
                      const nlohmann::json& found) {
    remember(fmt::format("{}: {} must be {}, not {}.", place_, field, expected, shown(found)));
}

void JsonFields::fail_missing(std::string_view field, std::string_view expected) {
    missing_ = missing_ || !error_;
    remember(fmt::format("{}: the field {} is missing; expected {}.", place_, field, expected));
}

const nlohmann::json* JsonFields::raw(std::string_view field) {
    if (std::find(known_.begin(), known_.end(), field) == known_.end()) {
        known_.push_back(field);
    }
    const auto found = object_.find(field);
    return found == object_.end() ? nullptr : &*found;
}

std::int64_t JsonFields::checked_integer(std::string_view field, const nlohmann::json& value,
                                         std::int64_t low, std::int64_t high,
                                         std::string_view also) {
    const bool whole = value.is_number_unsigned()
                           ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(high)
                           : value.is_number_integer();
    if (!whole || value.get<std::int64_t>() < low || value.get<std::int64_t>() > high) {
        fail(field, fmt::format("{}a whole number from {} to {}", also, low, high), value);
        return low;
    }
    return value.get<std::int64_t>();
}

std::int64_t JsonFields::integer(std::string_view field, std::int64_t low, std::int64_t high,
                                 std::optional<std::int64_t> fallback, std::string_view also) {
    const nlohmann::json* value = raw(field);
    if (value != nullptr) {
        return checked_integer(field, *value, low, high, also);
    }
    if (!fallback) {
        fail_missing(field, fmt::format("{}a whole number from {} to {}", also, low, high));
    }
    return fallback.value_or(low);
}

std::pair<std::int64_t, std::int64_t> JsonFields::pair(std::string_view field, std::int64_t low,
                                                       std::int64_t high, std::int64_t fallback,
                                                       std::string_view also) {
    const nlohmann::json* value = raw(field);
    if (value == nullptr) {
        return {fallback, fallback};
    }
    if (!value->is_array()) {
        const std::int64_t both = checked_integer(field, *value, low, high, also);
        return {both, both};
    }
    if (value->size() != 2) {
        fail(field, fmt::format("{}a whole number or [height, width]", also), *value);
        return {low, low};
    }
    return {checked_integer(field, (*value)[0], low, high, ""),
            checked_integer(field, (*value)[1], low, high, "")};
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

std::string JsonFields::text(std::string_view field, std::string_view fallback,
                             std::size_t shortest, std::size_t longest) {
    const nlohmann::json* value = raw(field);
    if (value == nullptr) {
        return std::string(fallback);
    }
    const std::string* text = value->get_ptr<const std::string*>();
    const auto is_control = [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    };
    if (text == nullptr || text->size() < shortest || text->size() > longest ||
        std::any_of(text->begin(), text->end(), is_control)) {
        fail(field, fmt::format("a text of {} to {} bytes on one line", shortest, longest), *value);
        return std::string(fallback);
    }
    return *text;
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
            if (missing_) {
                error_.reset();
                missing_ = false;
            }
            remember(fmt::format("{}: there is no field {}{}.", place_, quoted_short(field),
                                 known_names_hint(field, known_)));
        }
    }
    if (error_) {
        return make_error(*error_);
    }
    return {};
}

}  // namespace trainscope
