// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

namespace trainscope::testing {

namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    result.reserve(texts.size() + 1);
    for (std::string& text : texts) {
        result.push_back(text.data());
    }
    result.push_back(nullptr);
    return result;
}

[[noreturn]] void become(const std::vector<char*>& argv, const std::vector<char*>& environment,
                         const char* out, const char* err, Streams streams) {
    const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int out_file = open(out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    const int err_file = open(err, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    dup2(in, STDIN_FILENO);
    dup2(out_file, STDOUT_FILENO);
    dup2(err_file, STDERR_FILENO);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (streams == Streams::closed) {
            close(stream);
        }
    }
    execve(argv[0], argv.data(), environment.data());
    _exit(127);
}

}  // namespace

Program::Program(const Arguments& arguments, const Arguments& environment, Streams streams) {
    std::vector<std::string> texts = {TRAINSCOPE_PROGRAM};
    texts.insert(texts.end(), arguments.begin(), arguments.end());
    std::vector<std::string> variables = {"PATH=/usr/bin:/bin", "HOME=" + folder_.path().string(),
                                          "ASAN_OPTIONS=detect_leaks=0"};
    variables.insert(variables.end(), environment.begin(), environment.end());
    const std::vector<char*> argv = pointers(texts);
    const std::vector<char*> envp = pointers(variables);
    const std::string out = (folder_.path() / "out").string();
    const std::string err = (folder_.path() / "err").string();
    process_ = fork();
    if (process_ < 0) {
        throw std::runtime_error("cannot start a process");
    }
    if (process_ == 0) {
        become(argv, envp, out.c_str(), err.c_str(), streams);
    }
}

Program::~Program() {
    if (process_ > 0) {
        kill(process_, SIGKILL);
        waitpid(process_, &status_, 0);
    }
}

std::string Program::read(const char* name) const {
    std::ifstream in(folder_.path() / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

bool Program::wait_for_output(const std::string& text) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (std::chrono::steady_clock::now() < give_up) {
        if (read("out").find(text) != std::string::npos) {
            return true;
        }
        if (waitpid(process_, &status_, WNOHANG) == process_) {
            process_ = -1;
            return read("out").find(text) != std::string::npos;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

bool Program::wait_until_it_catches(int number) {
    const std::string file = "/proc/" + std::to_string(process_) + "/status";
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (std::chrono::steady_clock::now() < give_up) {
        std::ifstream status(file);
        for (std::string line; std::getline(status, line);) {
            if (line.starts_with("SigCgt:")) {
                const std::uint64_t caught = std::stoull(line.substr(7), nullptr, 16);
                if ((caught >> static_cast<unsigned>(number - 1) & 1U) != 0) {
                    return true;
                }
            }
        }
        if (!status.is_open() && access(file.c_str(), F_OK) != 0) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

void Program::signal(int number) const {
    if (process_ > 0) {
        kill(process_, number);
    }
}

Outcome Program::finish() {
    if (process_ > 0) {
        waitpid(process_, &status_, 0);
        process_ = -1;
    }
    return {.exit_code = WIFEXITED(status_) ? WEXITSTATUS(status_) : -WTERMSIG(status_),
            .out = read("out"),
            .err = read("err")};
}

}  // namespace trainscope::testing
