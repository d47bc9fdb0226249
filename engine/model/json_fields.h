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

    // `also` opens the list of what messages say is allowed: R"("classes" or )".
    std::int64_t integer(std::string_view field, std::int64_t low, std::int64_t high,
                         std::optional<std::int64_t> fallback, std::string_view also = "");
    // One integer for both or [height, width].
    std::pair<std::int64_t, std::int64_t> pair(std::string_view field, std::int64_t low,
                                               std::int64_t high, std::int64_t fallback,
                                               std::string_view also = "");
    float number(std::string_view field, double low, double high, float fallback);
    bool boolean(std::string_view field, bool fallback);
    // One line of at least `shortest` and at most `longest` bytes.
    std::string text(std::string_view field, std::string_view fallback, std::size_t shortest,
                     std::size_t longest);
    // The position in `allowed` of the field's text.
    std::size_t choice(std::string_view field, const std::vector<std::string_view>& allowed,
                       std::size_t fallback);
    const nlohmann::json* raw(std::string_view field);

    void fail(std::string_view field, std::string_view expected, const nlohmann::json& found);
    // The first error. One about a missing field gives way to one about a field that nobody asked
    // for, since that is often the missing one misspelt.
    Result<void> finish();

  private:
    std::int64_t checked_integer(std::string_view field, const nlohmann::json& value,
                                 std::int64_t low, std::int64_t high, std::string_view also);
    void remember(std::string message);
    void fail_missing(std::string_view field, std::string_view expected);

    const nlohmann::json& object_;
    std::string place_;
    std::vector<std::string_view> known_;
    std::optional<Error> error_;
    bool missing_ = false;  // error_ is about a missing field
};

// A JSON value as short text for a message.
std::string shown(const nlohmann::json& value);
// At most the first 40 bytes of a text from outside, as valid UTF-8; in 'quotes' or without.
std::string shortened(std::string_view text);
std::string quoted_short(std::string_view text);

}  // namespace trainscope
