// SPDX-License-Identifier: GPL-3.0-or-later
// Tells the rest of the program which oneDNN it runs with.
#include <fmt/format.h>
#include <oneapi/dnnl/dnnl.h>

#include "engine/core/build_info.h"

namespace trainscope {

namespace {

std::string onednn_version() {
    const dnnl_version_t* version = dnnl_version();
    return fmt::format("{}.{}.{}", version->major, version->minor, version->patch);
}

const RegisteredLibrary registered{"oneDNN", onednn_version()};

}  // namespace

}  // namespace trainscope
