// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/build_info.h"

#include <string_view>
#include <utility>

namespace trainscope {

namespace {

std::map<std::string, std::string>& libraries() {
    static std::map<std::string, std::string> table;
    return table;
}

BuildInfo make_build_info() {
    BuildInfo info{.version = TRAINSCOPE_VERSION, .compiler = {}, .build_type = {}};
#if defined(__clang__)
    info.compiler = "Clang " __clang_version__;
#elif defined(__GNUC__)
    info.compiler = "GCC " __VERSION__;
#else
    info.compiler = "unknown";
#endif
    info.build_type = TRAINSCOPE_BUILD_TYPE;
    if (constexpr std::string_view sanitizers = TRAINSCOPE_SANITIZERS; !sanitizers.empty()) {
        info.build_type += " with sanitizers ";
        info.build_type += sanitizers;
    }
    return info;
}

}  // namespace

const BuildInfo& build_info() {
    static const BuildInfo info = make_build_info();
    return info;
}

RegisteredLibrary::RegisteredLibrary(std::string name, std::string version) {
    libraries().insert_or_assign(std::move(name), std::move(version));
}

const std::map<std::string, std::string>& library_versions() {
    return libraries();
}

}  // namespace trainscope
