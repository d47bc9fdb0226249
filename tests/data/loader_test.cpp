// SPDX-License-Identifier: GPL-3.0-or-later
// Batches in the sampler's order, each sample exactly once an epoch, whatever the batch sizes and
// however often they change.
#include "engine/data/loader.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "engine/core/random.h"
#include "tests/data/loader_support.h"

namespace trainscope {
namespace {

using testing::indices_of;
using testing::numbered_dataset;
using testing::Slots;

TEST(Loader, FollowsTheSamplersOrderOverEpochs) {
    Sampler sampler(103, 8);
    Slots slots(3, 10);
    Loader loader(numbered_dataset(103), 8);
    loader.restart({}, 10, slots.lent());
    for (std::int64_t epoch = 0; epoch < 4; ++epoch) {
        const auto order = sampler.order(epoch);
        std::vector<std::int64_t> seen;
        bool last = false;
        while (!last) {
            const Batch batch = loader.next();
            const auto indices = indices_of(batch);
            seen.insert(seen.end(), indices.begin(), indices.end());
            last = batch.last_of_epoch;
        }
        EXPECT_TRUE(std::equal(seen.begin(), seen.end(), order.begin(), order.end()))
            << "epoch " << epoch;
    }
}

TEST(Loader, WithoutShufflingKeepsTheOrderOfTheFile) {
    Slots slots(2, 4);
    Loader loader(numbered_dataset(7), 8, false);
    loader.restart({}, 4, slots.lent());
    EXPECT_EQ(indices_of(loader.next()), (std::vector<std::int64_t>{0, 1, 2, 3}));
    EXPECT_EQ(indices_of(loader.next()), (std::vector<std::int64_t>{4, 5, 6}));
    EXPECT_EQ(indices_of(loader.next()), (std::vector<std::int64_t>{0, 1, 2, 3}));
}

TEST(Loader, EverySampleComesOnceAnEpochWhateverTheBatchSize) {
    constexpr std::int64_t count = 60;
    for (const std::int64_t micro_batch : {1, 2, 7, 20, 31, 59, 60, 61, 200}) {
        Slots slots(2, micro_batch);
        Loader loader(numbered_dataset(count), 3);
        loader.restart({}, micro_batch, slots.lent());
        for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
            std::vector<int> seen(count);
            for (bool last = false; !last;) {
                const Batch batch = loader.next();
                for (const std::int64_t index : indices_of(batch)) {
                    ++seen.at(static_cast<std::size_t>(index));
                }
                last = batch.last_of_epoch;
            }
            EXPECT_THAT(seen, ::testing::Each(1)) << "micro-batch " << micro_batch;
        }
    }
}

TEST(Loader, LastBatchOfAnEpochIsShortWhereTheSizeDoesNotDivide) {
    Slots slots(4, 4);
    Loader loader(numbered_dataset(10), 1);
    loader.restart({}, 4, slots.lent());
    for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
        for (const std::int64_t offset : {0, 4, 8}) {
            const Batch batch = loader.next();
            EXPECT_EQ(batch.size, offset == 8 ? 2 : 4);
            EXPECT_EQ(batch.begin, (SamplePosition{epoch, offset}));
            EXPECT_EQ(batch.end, offset == 8 ? (SamplePosition{epoch + 1, 0})
                                             : (SamplePosition{epoch, offset + 4}));
            EXPECT_EQ(batch.last_of_epoch, offset == 8);
        }
    }
}

TEST(Loader, BatchesAreInTheSlotsThatWereLent) {
    Slots slots(3, 5);
    Loader loader(numbered_dataset(50), 1);
    const std::vector<BatchSlot> lent = slots.lent();
    loader.restart({}, 5, lent);
    for (int i = 0; i < 20; ++i) {
        const Batch batch = loader.next();
        EXPECT_TRUE(std::any_of(lent.begin(), lent.end(), [&](const BatchSlot& slot) {
            return slot.samples == batch.slot->samples && slot.labels == batch.slot->labels;
        }));
    }
}

// Counted, for many random changes: two whole epochs and a part, every sample once in each.
TEST(Loader, NoSampleIsSeenTwiceOrMissedWhenTheBatchSizeChangesInMidEpoch) {
    Random random(17);
    for (int run = 0; run < 300; ++run) {
        const auto count = static_cast<std::int64_t>(1 + random.below(70));
        Loader loader(numbered_dataset(count), static_cast<std::uint64_t>(run));
        std::vector<std::vector<int>> seen(3, std::vector<int>(static_cast<std::size_t>(count)));
        SamplePosition at;
        while (at.epoch < 2) {
            const auto micro_batch = static_cast<std::int64_t>(1 + random.below(25));
            Slots slots(2 + random.below(4), micro_batch);
            loader.restart(at, micro_batch, slots.lent());
            for (std::uint64_t left = random.below(6); left > 0 && at.epoch < 2; --left) {
                const Batch batch = loader.next();
                ASSERT_EQ(batch.begin, at);
                for (const std::int64_t index : indices_of(batch)) {
                    ++seen.at(static_cast<std::size_t>(at.epoch))
                          .at(static_cast<std::size_t>(index));
                }
                at = batch.end;
            }
            loader.pause();  // before the slots go
        }
        EXPECT_THAT(seen[0], ::testing::Each(1)) << "run " << run;
        EXPECT_THAT(seen[1], ::testing::Each(1)) << "run " << run;
    }
}

TEST(Loader, RestartedAtTheEndOfAnEpochBeginsTheNext) {
    Sampler sampler(10, 4);
    Slots slots(2, 6);
    Loader loader(numbered_dataset(10), 4);
    loader.restart({2, 10}, 6, slots.lent());
    const Batch batch = loader.next();
    EXPECT_EQ(batch.size, 6);
    EXPECT_EQ(batch.begin, (SamplePosition{3, 0}));
    EXPECT_EQ(indices_of(batch).front(), sampler.order(3)[0]);
}

TEST(Loader, GoesBackToAnEarlierPosition) {
    Slots slots(3, 8);
    Loader loader(numbered_dataset(40), 4);
    loader.restart({}, 8, slots.lent());
    const auto first = indices_of(loader.next());
    for (int i = 0; i < 13; ++i) {
        loader.next();
    }
    loader.restart({}, 8, slots.lent());
    EXPECT_EQ(indices_of(loader.next()), first);
}

TEST(Loader, GivesSoftTargets) {
    DatasetOptions options;
    options.name = "random";
    options.soft_labels = true;
    options.sample = Shape{1, 2, 2};
    options.classes = 3;
    options.train_count = 9;
    options.test_count = 1;
    const auto opened = open_dataset(options);
    ASSERT_TRUE(opened.has_value());
    std::vector<float> samples(2 * 4 * 4);
    std::vector<float> targets(2 * 4 * 3);
    Loader loader(*opened, 1, false);
    const std::vector<BatchSlot> slots = {
        {.samples = samples.data(), .targets = targets.data()},
        {.samples = samples.data() + 16, .targets = targets.data() + 12}};
    loader.restart({}, 4, slots);
    loader.next();
    const Batch batch = loader.next();
    const std::vector<float>& all = (*opened)->train.targets;
    EXPECT_EQ(std::vector<float>(batch.slot->targets, batch.slot->targets + 12),
              std::vector<float>(all.begin() + 12, all.begin() + 24));
}

}  // namespace
}  // namespace trainscope
