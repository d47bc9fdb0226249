// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cpu/gemm.h"

#include <cstring>

namespace trainscope::cpu {

void transpose(const float* from, std::int64_t from_stride, std::int64_t rows, std::int64_t columns,
               float* to, std::int64_t to_stride) {
    using Four [[gnu::vector_size(16)]] = float;
    for (std::int64_t column = 0; column < columns; column += 4) {
        for (std::int64_t row = 0; row < rows; row += 4) {
            Four in[4];
            for (int i = 0; i < 4; ++i) {
                std::memcpy(&in[i], from + (row + i) * from_stride + column, sizeof in[i]);
            }
            const Four low01 = __builtin_shufflevector(in[0], in[1], 0, 4, 1, 5);
            const Four high01 = __builtin_shufflevector(in[0], in[1], 2, 6, 3, 7);
            const Four low23 = __builtin_shufflevector(in[2], in[3], 0, 4, 1, 5);
            const Four high23 = __builtin_shufflevector(in[2], in[3], 2, 6, 3, 7);
            const Four out[4] = {__builtin_shufflevector(low01, low23, 0, 1, 4, 5),
                                 __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
                                 __builtin_shufflevector(high01, high23, 0, 1, 4, 5),
                                 __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
            for (int i = 0; i < 4; ++i) {
                std::memcpy(to + (column + i) * to_stride + row, &out[i], sizeof out[i]);
            }
        }
    }
}

}  // namespace trainscope::cpu
