// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line/version.h"

#include <fmt/format.h>

#include <QtGlobal>

#include "engine/core/build_info.h"

namespace trainscope::command_line {

std::string version_text() {
    const BuildInfo& build = build_info();
    std::string text = fmt::format("trainscope {}\nQt {}\n", build.version, qVersion());
    for (const auto& [library, version] : library_versions()) {
        text += fmt::format("{} {}\n", library, version);
    }
    return text + fmt::format("{}, {}", build.compiler, build.build_type);
}

}  // namespace trainscope::command_line
