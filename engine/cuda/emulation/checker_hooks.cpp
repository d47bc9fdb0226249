// SPDX-License-Identifier: GPL-3.0-or-later
// The functions that -fsanitize=thread makes code call. This program links these instead of
// ThreadSanitizer's library; the names are that interface's.
#include "engine/cuda/emulation/checker.h"

using trainscope::emulation::check_access;

// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
void __tsan_init();
void __tsan_init() {
    trainscope::emulation::accesses_are_checked = true;
}
void __tsan_func_entry(void*);
void __tsan_func_entry(void* /*caller*/) {}
void __tsan_func_exit();
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*);
void __tsan_vptr_update(void** /*pointer*/, void* /*value*/) {}
void __tsan_vptr_read(void**);
void __tsan_vptr_read(void** /*pointer*/) {}
void __tsan_read_range(void*, unsigned long);
void __tsan_read_range(void* place, unsigned long bytes) {
    check_access(place, bytes, false);
}
void __tsan_write_range(void*, unsigned long);
void __tsan_write_range(void* place, unsigned long bytes) {
    check_access(place, bytes, true);
}

#define TRAINSCOPE_ACCESS(bytes)                      \
    void __tsan_read##bytes(void*);                   \
    void __tsan_read##bytes(void* place) {            \
        check_access(place, bytes, false);            \
    }                                                 \
    void __tsan_write##bytes(void*);                  \
    void __tsan_write##bytes(void* place) {           \
        check_access(place, bytes, true);             \
    }                                                 \
    void __tsan_unaligned_read##bytes(void*);         \
    void __tsan_unaligned_read##bytes(void* place) {  \
        check_access(place, bytes, false);            \
    }                                                 \
    void __tsan_unaligned_write##bytes(void*);        \
    void __tsan_unaligned_write##bytes(void* place) { \
        check_access(place, bytes, true);             \
    }
TRAINSCOPE_ACCESS(1)
TRAINSCOPE_ACCESS(2)
TRAINSCOPE_ACCESS(4)
TRAINSCOPE_ACCESS(8)
TRAINSCOPE_ACCESS(16)
#undef TRAINSCOPE_ACCESS

// Guards of static variables: host code.
char __tsan_atomic8_load(const volatile char*, int);
char __tsan_atomic8_load(const volatile char* place, int /*order*/) {
    return __atomic_load_n(place, __ATOMIC_SEQ_CST);
}
void __tsan_atomic8_store(volatile char*, char, int);
void __tsan_atomic8_store(volatile char* place, char value, int /*order*/) {
    __atomic_store_n(place, value, __ATOMIC_SEQ_CST);
}
}
// NOLINTEND(bugprone-reserved-identifier)
