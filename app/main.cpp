// SPDX-License-Identifier: GPL-3.0-or-later
// The program: reads the command line and hands over to what was asked for.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <exception>

#include "app/command_line/arguments.h"
#include "app/command_line/bench.h"
#include "app/command_line/list.h"
#include "app/command_line/say.h"
#include "app/command_line/train.h"
#include "app/window.h"
#include "engine/core/spin_limit.h"
#include "engine/ops/device_plugin.h"

namespace {

// Where a standard stream was closed, the next file or pipe that is opened would get its number:
// what is printed then goes into that file, or wakes whoever waits at that pipe.
void fill_closed_streams() {
    int opened = STDIN_FILENO;
    while (opened >= STDIN_FILENO && opened <= STDERR_FILENO) {
        opened = open("/dev/null", O_RDWR);  // kept open; without O_CLOEXEC: the heirs need it too
    }
    if (opened > STDERR_FILENO) {
        close(opened);
    }
}

int run(int argc, char** argv) {
    using namespace trainscope;
    load_device_plugins();  // which variants there are is part of what arguments may say
    const command_line::ParsedArguments parsed = command_line::parse_arguments(argc, argv);
    if (parsed.exit_code) {
        return *parsed.exit_code;
    }
    if (parsed.arguments.action == command_line::Action::window ||
        parsed.arguments.action == command_line::Action::train ||
        parsed.arguments.action == command_line::Action::bench) {
        limit_spinning(argv);
    }
    switch (parsed.arguments.action) {
        case command_line::Action::window:
            return run_window(parsed.arguments, argc, argv);
        case command_line::Action::train:
            return command_line::run_train(parsed.arguments);
        case command_line::Action::datasets:
            return command_line::list_datasets(parsed.arguments);
        case command_line::Action::models:
            return command_line::list_models(parsed.arguments);
        case command_line::Action::devices:
            return command_line::list_devices_of_machine();
        case command_line::Action::variants:
            return command_line::list_kernel_variants();
        case command_line::Action::bench:
            return command_line::run_bench(parsed.arguments.bench);
    }
    return command_line::exit_error;
}

}  // namespace

int main(int argc, char** argv) {
    fill_closed_streams();
    try {
        return trainscope::command_line::finish_output(run(argc, argv));
    } catch (const std::exception& error) {  // out of memory, or a fault of ours
        std::fputs("trainscope: ", stderr);
        std::fputs(error.what(), stderr);
        std::fputs("\n", stderr);
        return trainscope::command_line::exit_error;
    }
}
