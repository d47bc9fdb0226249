// SPDX-License-Identifier: GPL-3.0-or-later
// Errors at a border (file, device, command) are values with a sentence a user can act on.
#pragma once

#include <fmt/format.h>

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace trainscope {

enum class ErrorCode {
    invalid_argument,  // a value a person or file gave is outside what is allowed
    not_found,         // a file, folder, variant or name that does not exist
    bad_file,          // a file whose content breaks its format
    out_of_memory,     // the budget or the device cannot hold what was asked for
    unsupported,       // right in itself, but not on this device or in this build
    io,                // reading or writing failed
    cancelled,         // the user stopped it
    device_failed,     // a device broke down: nothing more can be done on it
};

struct Error {
    ErrorCode code = ErrorCode::invalid_argument;
    std::string message;  // one sentence: file or field, what was expected, what was found
};

template <class T>
using Result = tl::expected<T, Error>;

// Makes an error to return from a function of any Result type.
template <class... Args>
tl::unexpected<Error> make_error(ErrorCode code, fmt::format_string<Args...> format,
                                 Args&&... args) {
    return tl::unexpected<Error>(Error{code, fmt::format(format, std::forward<Args>(args)...)});
}

inline tl::unexpected<Error> make_error(Error error) {
    return tl::unexpected<Error>(std::move(error));
}

}  // namespace trainscope
