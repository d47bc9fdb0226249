// SPDX-License-Identifier: GPL-3.0-or-later
// Checks every access of kernels that were compiled with -fsanitize=thread and linked with this
// instead of ThreadSanitizer's library: bounds, values never written, and data races. Kernels that
// were compiled without it call nothing here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace trainscope::emulation {

class BlockRun;

// One thread's access to a cell of 4 bytes.
struct Access {
    std::uint32_t launch = 0;  // 0: none
    std::uint32_t block = 0;
    std::uint32_t barrier_epoch = 0;
    std::uint32_t warp_epoch = 0;
    std::int16_t thread = -1;
    std::uint8_t bytes = 0;  // which of the 4
    bool atomic = false;
};

// Two readers, since a write must be apart from both sides of a reader it overtakes. A line of the
// host's cache: most of a check's time goes to fetching it.
struct alignas(64) Cell {
    Access writer;
    Access readers[2];
    std::uint8_t written = 0;  // which of the 4 bytes ever were
};

// True once any code that calls the hooks is part of the program.
extern bool accesses_are_checked;
// An access of the running thread of a kernel; anything else is not looked at.
void check_access(const void* address, std::size_t bytes, bool write);
// Where in its allocation the first of these bytes is that was never written; nullopt when all
// were, the place is none of the device's, or accesses aren't checked.
std::optional<std::size_t> never_written(const void* place, std::size_t bytes);

void begin_launch(std::uint64_t number, const std::string& where, BlockRun* block);
void end_launch();
void forget_cached_allocation();

}  // namespace trainscope::emulation
