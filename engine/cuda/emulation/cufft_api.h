// SPDX-License-Identifier: GPL-3.0-or-later
// The calls of cuFFT that Trainscope uses, on the emulated device. Names, arguments, numbers and
// results are cuFFT's. What a plan can do is less: planes of real values and their spectra, in
// place, one plane behind the other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/cuda/emulation/runtime_api.h"

namespace trainscope::emulation {

enum cufftResult : int {
    CUFFT_SUCCESS = 0x0,
    CUFFT_INVALID_PLAN = 0x1,
    CUFFT_ALLOC_FAILED = 0x2,
    CUFFT_INVALID_TYPE = 0x3,
    CUFFT_INVALID_VALUE = 0x4,
    CUFFT_INTERNAL_ERROR = 0x5,
    CUFFT_EXEC_FAILED = 0x6,
    CUFFT_SETUP_FAILED = 0x7,
    CUFFT_INVALID_SIZE = 0x8,
    CUFFT_NO_WORKSPACE = 0xD,
    CUFFT_NOT_IMPLEMENTED = 0xE,
    CUFFT_NOT_SUPPORTED = 0x10,
};
enum cufftType : int { CUFFT_R2C = 0x2A, CUFFT_C2R = 0x2C };

using cufftHandle = int;
using cufftReal = float;
struct cufftComplex {
    float x, y;
};

cufftResult cufftCreate(cufftHandle* handle);
cufftResult cufftDestroy(cufftHandle handle);
cufftResult cufftSetAutoAllocation(cufftHandle handle, int automatic);
cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream);
cufftResult cufftSetWorkArea(cufftHandle handle, void* area);
// Takes a little device memory, as plans do for their tables; `work_bytes` is what each transform
// needs beside: as many bytes as it transforms.
cufftResult cufftMakePlanMany(cufftHandle handle, int rank, int* n, int* inembed, int istride,
                              int idist, int* onembed, int ostride, int odist, cufftType type,
                              int batch, std::size_t* work_bytes);
// Not divided by the number of values.
cufftResult cufftExecR2C(cufftHandle handle, cufftReal* in, cufftComplex* out);
cufftResult cufftExecC2R(cufftHandle handle, cufftComplex* in, cufftReal* out);

}  // namespace trainscope::emulation
