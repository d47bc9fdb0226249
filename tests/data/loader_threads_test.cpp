// SPDX-License-Identifier: GPL-3.0-or-later
// The loader's thread against a fast, a slow and a vanishing trainer. To be run under
// AddressSanitizer and ThreadSanitizer too.
#include <gmock/gmock.h>

#include <chrono>
#include <optional>
#include <thread>

#include "engine/core/random.h"
#include "tests/data/loader_support.h"

namespace trainscope {
namespace {

using testing::indices_of;
using testing::numbered_dataset;
using testing::Slots;

void expect_whole(const Batch& batch) {
    for (const std::int64_t index : indices_of(batch)) {
        ASSERT_GE(index, 0) << "a sample was written while the trainer had it";
    }
}

TEST(LoaderThreads, FastTrainerWaitsForEveryBatch) {
    Slots slots(2, 16);
    Loader loader(numbered_dataset(1000), 1);
    loader.restart({}, 16, slots.lent());
    SamplePosition at;
    for (int i = 0; i < 5000; ++i) {
        const Batch batch = loader.next();
        ASSERT_EQ(batch.begin, at);
        expect_whole(batch);
        at = batch.end;
    }
}

TEST(LoaderThreads, SlowTrainerKeepsItsBatchWhileTheLoaderRunsAhead) {
    Slots slots(3, 16);
    Loader loader(numbered_dataset(1000), 1);
    loader.restart({}, 16, slots.lent());
    for (int i = 0; i < 60; ++i) {
        const Batch batch = loader.next();
        const auto before = indices_of(batch);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        ASSERT_EQ(indices_of(batch), before);
    }
}

// The slots are freed at once: a loader that still wrote would be caught by AddressSanitizer.
TEST(LoaderThreads, PausedLoaderTouchesNoSlot) {
    Loader loader(numbered_dataset(300), 1);
    SamplePosition at;
    for (int i = 0; i < 500; ++i) {
        Slots slots(2, 64);
        loader.restart(at, 64, slots.lent());
        if (i % 3 != 0) {
            at = loader.next().end;
        }
        loader.pause();
    }
}

TEST(LoaderThreads, RestartedLoaderTouchesNoneOfTheSlotsBefore) {
    std::optional<Slots> slots;
    Loader loader(numbered_dataset(300), 1);
    SamplePosition at;
    for (int i = 0; i < 500; ++i) {
        Slots others(2, 64);
        loader.restart(at, 64, others.lent());
        slots = std::move(others);  // frees those before; moving keeps the memory
        at = loader.next().end;
    }
    loader.pause();
}

TEST(LoaderThreads, PausedTwiceOrBeforeAnyRestartIsFine) {
    Slots slots(2, 4);
    Loader loader(numbered_dataset(30), 1);
    loader.pause();
    loader.pause();
    loader.restart({}, 4, slots.lent());
    loader.pause();
    loader.pause();
    loader.restart({0, 4}, 4, slots.lent());
    EXPECT_EQ(loader.next().begin, (SamplePosition{0, 4}));
}

TEST(LoaderThreads, EndsAtOnceWhateverItDoes) {
    const auto dataset = numbered_dataset(100);
    for (int i = 0; i < 500; ++i) {
        Slots slots(2, 8);
        Loader loader(dataset, 1);
        if (i % 5 == 0) {
            continue;  // never started
        }
        loader.restart({}, 8, slots.lent());
        if (i % 5 == 1) {
            loader.pause();
        } else if (i % 5 == 2) {
            loader.next();  // busy filling what comes next
        } else if (i % 5 == 3 && i % 20 == 3) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));  // full, asleep
        }
    }
}

TEST(LoaderThreads, DatasetLivesAsLongAsTheLoaderNeedsIt) {
    auto dataset = numbered_dataset(100);
    Slots slots(2, 8);
    Loader loader(dataset, 1);
    dataset.reset();
    loader.restart({}, 8, slots.lent());
    expect_whole(loader.next());
}

TEST(LoaderThreads, AnyMixOfNextPauseAndRestartKeepsTheOrder) {
    Random random(23);
    constexpr std::int64_t count = 97;
    Sampler sampler(count, 5);
    std::optional<Slots> slots;
    Loader loader(numbered_dataset(count), 5);
    SamplePosition at;
    bool running = false;
    for (int step = 0; step < 20'000; ++step) {
        const std::uint64_t choice = random.below(20);
        if (choice == 0) {
            loader.pause();
            running = false;
        } else if (choice == 1 || !running) {
            const auto micro_batch = static_cast<std::int64_t>(1 + random.below(30));
            Slots others(2 + random.below(3), micro_batch);
            loader.restart(at, micro_batch, others.lent());
            slots = std::move(others);
            running = true;
        } else {
            const Batch batch = loader.next();
            ASSERT_EQ(batch.begin, at);
            const auto order = sampler.order(at.epoch);
            const auto indices = indices_of(batch);
            ASSERT_TRUE(std::equal(indices.begin(), indices.end(), order.begin() + at.offset));
            at = batch.end;
        }
    }
    loader.pause();
}

}  // namespace
}  // namespace trainscope
