// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the built program as a shell would.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/shared.h"

namespace trainscope::testing {

struct Outcome {
    int exit_code = -1;  // or minus the signal that ended it
    std::string out;
    std::string err;
};

using Arguments = std::vector<std::string>;

// What a program finds at its standard input, output and error.
enum class Streams : std::uint8_t { files, closed };

// A run that may still go on. It sees no display unless `environment` gives it one.
class Program {
  public:
    explicit Program(const Arguments& arguments, const Arguments& environment = {},
                     Streams streams = Streams::files);
    ~Program();  // kills what still runs
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    // Waits until `text` was printed; false when the program ended, or a minute passed, without.
    bool wait_for_output(const std::string& text);
    // Waits until the program handles that signal; false as above.
    bool wait_until_it_catches(int number);
    void signal(int number) const;
    Outcome finish();

  private:
    std::string read(const char* name) const;

    TemporaryFolder folder_;  // also its HOME, so that no settings of the user are touched
    pid_t process_ = -1;
    int status_ = 0;
};

inline Outcome run_program(const Arguments& arguments, const Arguments& environment = {}) {
    return Program(arguments, environment).finish();
}

}  // namespace trainscope::testing
