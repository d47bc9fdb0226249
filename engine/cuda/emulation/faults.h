// SPDX-License-Identifier: GPL-3.0-or-later
// What the emulation finds wrong in kernels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainscope::emulation {

enum class FaultKind {
    launch_limit,        // a grid, block or shared memory that no device would take
    divergent_barrier,   // a barrier that not all threads of the block reach
    inactive_lane,       // a warp collective whose mask names a lane that does not take part
    mismatched_mask,     // lanes of one collective that give different masks or lines
    shared_bounds,       // an access next to a shared array
    device_bounds,       // an access next to a device allocation
    uninitialized_read,  // a read of device or shared memory that was never written
    race,                // two threads, one of them writing, with nothing between them
};

std::string_view name_of(FaultKind kind);

struct Fault {
    FaultKind kind = FaultKind::launch_limit;
    std::string message;  // one sentence: kernel's launch, block, thread, what
};

// Keeps a fault, the first 64. The device is broken from then on, as a real one is after an illegal
// address.
void report_fault(FaultKind kind, std::string message);
// Those since the last call; the device works again.
std::vector<Fault> take_faults();
bool has_faults();
// The first fault's sentence; empty without one.
std::string first_fault();

}  // namespace trainscope::emulation
