// SPDX-License-Identifier: GPL-3.0-or-later
// An exception on the worker's thread is an error that is told, and no end of the program.
#include "ui/session/worker.h"

#include <gmock/gmock.h>

#include <new>
#include <stdexcept>
#include <vector>

namespace trainscope::ui {
namespace {

using ::testing::ElementsAre;

// What the worker tells of these jobs.
std::vector<std::string> told(const std::vector<Worker::Job>& jobs) {
    std::vector<std::string> errors;
    {
        Worker worker([&](const std::string& error) { errors.push_back(error); });
        for (const Worker::Job& job : jobs) {
            worker.post(job);
        }
    }
    return errors;
}

TEST(Worker, TellsThatAJobRanOutOfMemoryAndDoesTheNextOne) {
    bool done = false;
    EXPECT_THAT(told({[] { throw std::bad_alloc(); }, [&] { done = true; }}),
                ElementsAre("Trainscope ran out of memory while it worked beside the window."));
    EXPECT_TRUE(done);
}

TEST(Worker, TellsWhatWentWrongInAJob) {
    EXPECT_THAT(told({[] { throw std::runtime_error("no such thing"); }}),
                ElementsAre("Trainscope failed while it worked beside the window: no such thing."));
}

TEST(Worker, SurvivesThatItCannotEvenTell) {
    bool done = false;
    {
        Worker worker([](const std::string&) { throw std::bad_alloc(); });
        worker.post([] { throw std::bad_alloc(); });
        worker.post([&] { done = true; });
    }
    EXPECT_TRUE(done);
}

}  // namespace
}  // namespace trainscope::ui
