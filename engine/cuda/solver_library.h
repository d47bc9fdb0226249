// SPDX-License-Identifier: GPL-3.0-or-later
// cuSOLVER's calls. The plug-in is not linked to the library but looks for it when a matrix tool
// asks: training needs none of it, and is not to fail to load where it is missing.
#pragma once

#include <optional>
#include <string>

#ifdef TRAINSCOPE_EMULATED
#include "engine/cuda/emulation/cusolver_api.h"
#else
#include <cusolverDn.h>
#endif

#include "engine/cuda/error.h"

namespace trainscope::cuda {

struct SolverLibrary {
    decltype(&cusolverDnCreate) create;
    decltype(&cusolverDnDestroy) destroy;
    decltype(&cusolverDnSetStream) set_stream;
    decltype(&cusolverDnSgetrf_bufferSize) lu_floats;
    decltype(&cusolverDnSgetrf) lu;
    decltype(&cusolverDnSgetrs) solve;
    decltype(&cusolverDnSgesvd_bufferSize) svd_floats;
    decltype(&cusolverDnSgesvd) svd;
};

// nullptr where it is missing; found once, and then stays loaded. From any thread.
const SolverLibrary* solver_library();
// Why a variant that needs it is refused; nullopt where it is there.
std::optional<std::string> missing_solver_library();

}  // namespace trainscope::cuda
