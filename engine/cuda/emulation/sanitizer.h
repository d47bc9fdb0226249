// SPDX-License-Identifier: GPL-3.0-or-later
// AddressSanitizer's interface, or nothing where it is off.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace trainscope::emulation {

#if defined(__SANITIZE_ADDRESS__)
inline void poison(const void* begin, std::size_t bytes) {
    __asan_poison_memory_region(begin, bytes);
}
inline void unpoison(const void* begin, std::size_t bytes) {
    __asan_unpoison_memory_region(begin, bytes);
}
inline void start_switch(void** left, const void* bottom, std::size_t bytes) {
    __sanitizer_start_switch_fiber(left, bottom, bytes);
}
inline void finish_switch(void* entered, const void** bottom, std::size_t* bytes) {
    __sanitizer_finish_switch_fiber(entered, bottom, bytes);
}
#else
inline void poison(const void*, std::size_t) {}
inline void unpoison(const void*, std::size_t) {}
inline void start_switch(void**, const void*, std::size_t) {}
inline void finish_switch(void*, const void**, std::size_t*) {}
#endif

}  // namespace trainscope::emulation
