// SPDX-License-Identifier: GPL-3.0-or-later
// C = A * B of matrices that lie row by row without gaps, a tool for the bench.
#pragma once

#include <cstdint>
#include <string_view>

namespace trainscope {

struct MatrixMultiply {
    static constexpr std::string_view name = "matrix_multiply";
    static constexpr bool is_tool = true;

    struct Shape {
        std::int64_t m = 1, n = 1, k = 1;
        std::int64_t macs() const { return m * n * k; }
        bool operator==(const Shape&) const = default;
    };
    struct Args {
        const float* a;   // [m, k]
        const float* b;   // [k, n]
        float* c;         // [m, n], overwritten; none of the factors
        void* workspace;  // as many bytes as the variant asks for
    };
    class Kernel {
      public:
        virtual ~Kernel() = default;
        virtual void run(const Args& args) = 0;
    };
};

}  // namespace trainscope
