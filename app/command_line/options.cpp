// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line/options.h"

#include <algorithm>

#include "app/command_line/values.h"
#include "engine/core/near_name.h"

namespace trainscope::command_line {

void refuse(const std::string& option, const std::string& reason) {
    throw CLI::ValidationError(option, reason);
}

void add_value(CLI::App& app, const std::string& name, const std::string& type,
               const std::string& help, const std::function<void(const std::string& text)>& use) {
    app.add_option_function<std::string>(name, use, help)
        ->type_name(type)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void add_count(CLI::App& app, const std::string& name, const std::string& help, Range range,
               const std::function<void(std::int64_t)>& use) {
    const std::string first = name.substr(0, name.find(','));
    add_value(app, name, "N", help, [=](const std::string& text) {
        use(accept(first, read_whole(text, range.least, range.most)));
    });
}

void require_name(const std::string& option, std::string_view what, const std::string& typed,
                  const std::vector<std::string>& names) {
    if (std::find(names.begin(), names.end(), typed) == names.end()) {
        const std::vector<std::string_view> known(names.begin(), names.end());
        refuse(option,
               fmt::format("there is no {} '{}'{}.", what, typed, known_names_hint(typed, known)));
    }
}

}  // namespace trainscope::command_line
