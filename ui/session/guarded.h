// SPDX-License-Identifier: GPL-3.0-or-later
// Exceptions of work that runs beside the window, as errors that the window can show.
#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <string_view>

#include "engine/core/result.h"

namespace trainscope::ui {

// What `work` returns, or why it did not: "Trainscope ran out of memory while it <did>."
template <class Work>
auto guarded(std::string_view did, const Work& work) -> decltype(work()) {
    try {
        return work();
    } catch (const std::bad_alloc&) {
    } catch (const std::length_error&) {  // of a container, for the same reason
    } catch (const std::exception& error) {
        return make_error(ErrorCode::unsupported, "Trainscope failed while it {}: {}.", did,
                          error.what());
    }
    return make_error(ErrorCode::out_of_memory, "Trainscope ran out of memory while it {}.", did);
}

}  // namespace trainscope::ui
