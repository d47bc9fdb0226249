// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/byte_size.h"

#include <array>

namespace trainscope {

std::optional<double> bytes_of_unit(std::string_view unit) {
    struct Unit {
        std::string_view name;
        double bytes;
    };
    static constexpr std::array<Unit, 14> units = {{
        {"B", 1},
        {"K", 0x1p10},
        {"KiB", 0x1p10},
        {"kB", 1e3},
        {"KB", 1e3},
        {"M", 0x1p20},
        {"MiB", 0x1p20},
        {"MB", 1e6},
        {"G", 0x1p30},
        {"GiB", 0x1p30},
        {"GB", 1e9},
        {"T", 0x1p40},
        {"TiB", 0x1p40},
        {"TB", 1e12},
    }};
    for (const Unit& known : units) {
        if (known.name == unit) {
            return known.bytes;
        }
    }
    return std::nullopt;
}

}  // namespace trainscope
