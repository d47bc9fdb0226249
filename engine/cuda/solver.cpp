// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/solver.h"

#include <fmt/format.h>

namespace trainscope::cuda {

namespace {

void note_solver(cusolverStatus_t status, const char* call,
                 std::source_location at = std::source_location::current()) {
    if (status == CUSOLVER_STATUS_SUCCESS) {
        return;
    }
    // The library has neither names nor words for its answers.
    const char* const words =
        status == CUSOLVER_STATUS_NOT_INITIALIZED ? "the library was not initialized"
        : status == CUSOLVER_STATUS_ALLOC_FAILED  ? "there was no memory for the library's own data"
        : status == CUSOLVER_STATUS_INVALID_VALUE ? "an unsupported value or parameter was passed"
        : status == CUSOLVER_STATUS_EXECUTION_FAILED ? "the function failed to launch on the GPU"
                                                     : "cusolver_common.h has its meaning";
    note_failure(call, fmt::format("cuSOLVER status {}", static_cast<int>(status)), words, at);
}

// Sides of tensors fit: a tensor has at most 2^31 values, and these are square or less.
int size(std::int64_t value) {
    return static_cast<int>(value);
}

}  // namespace

Solver::Solver(cudaStream_t stream) : stream_(stream) {
    note_solver(solver_library()->create(&handle_), "cusolverDnCreate");
    if (handle_ != nullptr) {
        note_solver(solver_library()->set_stream(handle_, stream_), "cusolverDnSetStream");
    }
}

Solver::~Solver() {
    if (handle_ != nullptr) {
        note_solver(solver_library()->destroy(handle_), "cusolverDnDestroy");
    }
}

std::int64_t Solver::lu_floats(std::int64_t n) const {
    int floats = 0;
    if (handle_ != nullptr) {
        note_solver(
            solver_library()->lu_floats(handle_, size(n), size(n), nullptr, size(n), &floats),
            "cusolverDnSgetrf_bufferSize");
    }
    return floats;
}

void Solver::lu(std::int64_t n, float* a, float* work, int* pivots, int* info) {
    if (handle_ != nullptr) {
        note_solver(solver_library()->lu(handle_, size(n), size(n), a, size(n), work, pivots, info),
                    "cusolverDnSgetrf");
    }
}

void Solver::solve(std::int64_t n, std::int64_t columns, const float* lu, const int* pivots,
                   float* b, int* info) {
    if (handle_ != nullptr) {
        note_solver(solver_library()->solve(handle_, CUBLAS_OP_N, size(n), size(columns), lu,
                                            size(n), pivots, b, size(n), info),
                    "cusolverDnSgetrs");
    }
}

std::int64_t Solver::svd_floats(std::int64_t rows, std::int64_t columns) const {
    int floats = 0;
    if (handle_ != nullptr) {
        note_solver(solver_library()->svd_floats(handle_, size(rows), size(columns), &floats),
                    "cusolverDnSgesvd_bufferSize");
    }
    return floats;
}

void Solver::svd(const Svd& s) {
    if (handle_ != nullptr) {
        note_solver(
            solver_library()->svd(handle_, 'S', 'S', size(s.rows), size(s.columns), s.a,
                                  size(s.rows), s.singular, s.u, size(s.rows), s.vt,
                                  size(s.columns), s.work, size(s.work_floats), s.rest, s.info),
            "cusolverDnSgesvd");
    }
}

}  // namespace trainscope::cuda
