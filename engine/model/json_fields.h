// SPDX-License-Identifier: GPL-3.0-or-later
// Reading the fields of one JSON object, with errors that name the place, the field, what was
// expected and what was found.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/result.h"

namespace trainscope {

// Remembers the first error; later reads then give their defaults, so that a reader of many fields
// checks once, at its end.
class JsonFields {
  public:
    // `place` opens every message: "model.json: layer 3 (max_pool)".
    JsonFields(const nlohmann::json& object, std::string place)
        : object_(object), place_(std::move(place)) {}

    std::int64_t integer(std::string_view field, std::int64_t low, std::int64_t high,
                         std::optional<std::int64_t> fallback);
    // One integer for both or [height, width].
    std::pair<std::int64_t, std::int64_t> pair(std::string_view field, std::int64_t low,
                                               std::int64_t high,
                                               std::optional<std::int64_t> fallback);
    float number(std::string_view field, double low, double high, float fallback);
    bool boolean(std::string_view field, bool fallback);
    std::string text(std::string_view field, std::string_view fallback);
    // The position in `allowed` of the field's text.
    std::size_t choice(std::string_view field, const std::vector<std::string_view>& allowed,
                       std::size_t fallback);
    const nlohmann::json* raw(std::string_view field);

    void fail(std::string_view field, std::string_view expected, const nlohmann::json& found);
    void fail(std::string message);
    // The first error, or one for a field that nobody asked for.
    Result<void> finish();

  private:
    std::int64_t checked_integer(std::string_view field, const nlohmann::json& value,
                                 std::int64_t low, std::int64_t high);

    const nlohmann::json& object_;
    std::string place_;
    std::vector<std::string_view> known_;
    std::optional<Error> error_;
};

// A JSON value as short text for a message.
std::string shown(const nlohmann::json& value);

}  // namespace trainscope
