// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/solver_library.h"

#ifndef TRAINSCOPE_EMULATED
#include <dlfcn.h>
#endif
#include <fmt/format.h>

namespace trainscope::cuda {

namespace {

struct Found {
    std::optional<SolverLibrary> library;
    std::string missing;
};

#ifdef TRAINSCOPE_EMULATED
Found find() {
    return {SolverLibrary{cusolverDnCreate, cusolverDnDestroy, cusolverDnSetStream,
                          cusolverDnSgetrf_bufferSize, cusolverDnSgetrf, cusolverDnSgetrs,
                          cusolverDnSgesvd_bufferSize, cusolverDnSgesvd},
            {}};
}
#else
template <class Call>
bool look_up(void* library, const char* name, Call& call) {
    call = reinterpret_cast<Call>(dlsym(library, name));
    return call != nullptr;
}

Found find() {
    const std::string name = fmt::format("libcusolver.so.{}", CUSOLVER_VER_MAJOR);
    void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        return {std::nullopt, fmt::format("cuSOLVER cannot be loaded ({})", dlerror())};
    }
    SolverLibrary calls{};
    if (look_up(library, "cusolverDnCreate", calls.create) &&
        look_up(library, "cusolverDnDestroy", calls.destroy) &&
        look_up(library, "cusolverDnSetStream", calls.set_stream) &&
        look_up(library, "cusolverDnSgetrf_bufferSize", calls.lu_floats) &&
        look_up(library, "cusolverDnSgetrf", calls.lu) &&
        look_up(library, "cusolverDnSgetrs", calls.solve) &&
        look_up(library, "cusolverDnSgesvd_bufferSize", calls.svd_floats) &&
        look_up(library, "cusolverDnSgesvd", calls.svd)) {
        return {calls, {}};
    }
    dlclose(library);
    return {std::nullopt, fmt::format("{} lacks what is needed of cuSOLVER", name)};
}
#endif

const Found& found() {
    static const Found once = find();
    return once;
}

}  // namespace

const SolverLibrary* solver_library() {
    return found().library ? &*found().library : nullptr;
}

std::optional<std::string> missing_solver_library() {
    return found().library ? std::nullopt : std::optional(found().missing);
}

}  // namespace trainscope::cuda
