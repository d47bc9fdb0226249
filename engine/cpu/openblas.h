// SPDX-License-Identifier: GPL-3.0-or-later
// OpenBLAS and its LAPACK for kernel variants. Matrices lie there column by column: what lies row
// by row is the transpose of what the library sees.
#pragma once

#include <cblas.h>

#include <cstdint>

#include "engine/core/lapack.h"

namespace trainscope::cpu {

// How many threads the library uses while this lives; one else, as the emulated device wants it.
// The number is the process's: variants of two trainings at once would share it.
class OpenBlasThreads {
  public:
    explicit OpenBlasThreads(int threads) { openblas_set_num_threads(threads); }
    ~OpenBlasThreads() { openblas_set_num_threads(1); }
    OpenBlasThreads(const OpenBlasThreads&) = delete;
    OpenBlasThreads& operator=(const OpenBlasThreads&) = delete;
};

// The library's sizes are 32 bits wide: those of a tensor's sides, which are checked, are smaller.
inline int blas_size(std::int64_t size) {
    return static_cast<int>(size);
}

}  // namespace trainscope::cpu
