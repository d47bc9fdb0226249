// SPDX-License-Identifier: GPL-3.0-or-later
// sum = a + b, element by element.
#pragma once

#include <cstdint>
#include <string_view>

namespace trainscope {

struct Add {
    static constexpr std::string_view name = "add";
    static constexpr bool is_tool = true;  // no layer of a model adds

    struct Shape {
        std::int64_t elements = 1;
        bool operator==(const Shape&) const = default;
    };
    class Kernel {
      public:
        virtual ~Kernel() = default;
        // sum may be a or b.
        virtual void add(const float* a, const float* b, float* sum) = 0;
    };
};

}  // namespace trainscope
