// SPDX-License-Identifier: GPL-3.0-or-later
// Two passes: the first only looks, so that what is built in the second is known to be harmless.
#include "engine/model/strict_json.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/model/json_fields.h"

namespace trainscope {

namespace {

constexpr std::size_t deepest_nesting = 16;

// "line 3, column 14" of the byte at `offset`.
std::string position(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, std::min(text.size(), offset));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    return fmt::format("line {}, column {}", line, before.size() - line_start + 1);
}

// Walks through the text as nlohmann's parser reports it; every callback returns false to end that.
class Inspector : public nlohmann::json_sax<nlohmann::json> {
  public:
    Inspector(std::string_view text, std::string_view source) : text_(text), source_(source) {}

    const std::optional<Error>& error() const { return error_; }

    bool null() override { return value(); }
    bool boolean(bool) override { return value(); }
    bool number_integer(number_integer_t) override { return value(); }
    bool number_unsigned(number_unsigned_t) override { return value(); }
    bool number_float(number_float_t, const string_t&) override { return value(); }
    bool string(string_t&) override { return value(); }
    bool binary(binary_t&) override { return value(); }
    bool start_object(std::size_t) override { return enter(false); }
    bool start_array(std::size_t) override { return enter(true); }
    bool end_object() override { return leave(); }
    bool end_array() override { return leave(); }

    bool key(string_t& name) override {
        Level& level = levels_.back();
        if (!level.fields.insert(name).second) {
            return refuse(
                fmt::format("{}: the field {} is given twice.", place(), quoted_short(name)));
        }
        level.field = name;
        return true;
    }

    bool parse_error(std::size_t bytes_read, const std::string& token,
                     const nlohmann::detail::exception& fault) override {
        constexpr int number_overflow = 406;  // nlohmann's number for it
        std::string what;
        if (bytes_read > text_.size()) {
            what = "the text ends too early";
        } else if (fault.id == number_overflow) {
            what = fmt::format("the number {} is too large", shortened(token));
        } else if (std::string_view(fault.what()).find("UTF-8") != std::string_view::npos) {
            what = "this is no UTF-8 text";
        } else {
            what = fmt::format("unexpected {}", quoted_short(token));
        }
        return refuse(fmt::format("{}: this is not JSON: {}: {}.", source_,
                                  position(text_, bytes_read > 0 ? bytes_read - 1 : 0), what));
    }

  private:
    struct Level {
        bool is_list = false;
        std::set<std::string> fields;  // of an object, so far
        std::string field;             // the one being read
        std::size_t items = 0;         // of a list, so far
    };

    bool refuse(std::string message) {
        error_ = Error{ErrorCode::bad_file, std::move(message)};
        return false;
    }

    bool value() {
        if (!levels_.empty()) {
            ++levels_.back().items;
        }
        return true;
    }

    bool enter(bool is_list) {
        value();
        levels_.emplace_back().is_list = is_list;
        return levels_.size() <= deepest_nesting ||
               refuse(fmt::format("{}: the JSON is nested more than {} deep.", source_,
                                  deepest_nesting));
    }

    bool leave() {
        levels_.pop_back();
        return true;
    }

    // The innermost object's place: "m.json: layer 3", "m.json: optimizer".
    std::string place() const {
        std::string text(source_);
        for (std::size_t i = 0; i + 1 < levels_.size(); ++i) {
            const bool is_layers = i == 1 && levels_[0].field == "layers";
            if (levels_[i].is_list) {
                text += fmt::format(": {} {}", is_layers ? "layer" : "item", levels_[i].items);
            } else if (!levels_[i + 1].is_list) {
                text += ": " + shortened(levels_[i].field);
            }
        }
        return text;
    }

    std::string_view text_;
    std::string_view source_;
    std::vector<Level> levels_;
    std::optional<Error> error_;
};

}  // namespace

Result<nlohmann::json> parse_strict_json(std::string_view text, std::string_view source) {
    // The parser would take a zero byte for the end of the text.
    if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
        return make_error(ErrorCode::bad_file, "{}: this is not JSON: {}: a zero byte.", source,
                          position(text, zero));
    }
    Inspector inspector(text, source);
    if (!nlohmann::json::sax_parse(text, &inspector)) {
        return make_error(*inspector.error());
    }
    return nlohmann::json::parse(text, nullptr, false);
}

}  // namespace trainscope
