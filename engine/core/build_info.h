// SPDX-License-Identifier: GPL-3.0-or-later
// What this program was built from, for --version and for the head of every log.
#pragma once

#include <map>
#include <string>

namespace trainscope {

struct BuildInfo {
    std::string version;     // "0.1.0"
    std::string compiler;    // "GCC 12.2.0"
    std::string build_type;  // "Release", with the sanitizers if there are any
};
const BuildInfo& build_info();

// Libraries that a room uses register their versions before main() runs, so that nothing above has
// to know of them: "oneDNN" -> "2.6.3".
struct RegisteredLibrary {
    RegisteredLibrary(std::string name, std::string version);
};
const std::map<std::string, std::string>& library_versions();

}  // namespace trainscope
