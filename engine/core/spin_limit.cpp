// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/spin_limit.h"

#include <unistd.h>

#include <cstdlib>

namespace trainscope {

void limit_spinning(char** argv) {
    constexpr const char* variable = "GOMP_SPINCOUNT";
    if (std::getenv(variable) != nullptr || std::getenv("OMP_WAIT_POLICY") != nullptr) {
        return;
    }
    if (setenv(variable, "1000", 0) == 0) {
        execv("/proc/self/exe", argv);  // returns only when it fails
    }
}

}  // namespace trainscope
