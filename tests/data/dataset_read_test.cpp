// SPDX-License-Identifier: GPL-3.0-or-later
// Samples as the trainer gets them: normalised, channel after channel, in the order asked for; and
// openings that are called off.
#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "tests/data/pictures.h"

namespace trainscope {
namespace {

using ::testing::ElementsAre;

// Three samples of 2x1x2 that count up, and two of test.
Dataset counting_dataset() {
    Dataset dataset;
    dataset.sample = Shape{2, 1, 2};
    dataset.classes = 5;
    dataset.train.count = 3;
    dataset.train.pixels = {0, 1, 2, 3, 10, 11, 12, 13, 252, 253, 254, 255};
    dataset.train.labels = {4, 0, 2};
    dataset.test.count = 2;
    dataset.test.pixels = {7, 7, 7, 7, 8, 8, 8, 8};
    dataset.test.labels = {1, 3};
    return dataset;
}

TEST(DatasetRead, BytesAreNormalisedToMinusOneToOne) {
    const Dataset dataset = counting_dataset();
    const std::int64_t indices[] = {2, 0};
    std::vector<float> samples(8);
    std::vector<std::int32_t> labels(2);
    dataset.read(Split::train, indices, samples.data(), labels.data(), nullptr);
    EXPECT_EQ(samples[3], 1.0F);
    EXPECT_EQ(samples[4], -1.0F);
    const int bytes[] = {252, 253, 254, 255, 0, 1, 2, 3};
    for (std::size_t i = 0; i < 8; ++i) {
        EXPECT_FLOAT_EQ(samples[i], static_cast<float>((bytes[i] / 255.0 - 0.5) / 0.5));
    }
    EXPECT_THAT(labels, ElementsAre(2, 4));
}

TEST(DatasetRead, MeanAndDeviationCanBeChosen) {
    Dataset dataset = counting_dataset();
    dataset.mean = 0.1307F;
    dataset.stddev = 0.3081F;
    const std::int64_t indices[] = {1};
    std::vector<float> samples(4);
    std::int32_t label = -1;
    dataset.read(Split::test, indices, samples.data(), &label, nullptr);
    EXPECT_THAT(samples, ::testing::Each(::testing::FloatNear(
                             static_cast<float>((8 / 255.0 - 0.1307) / 0.3081), 1e-6F)));
    EXPECT_EQ(label, 3);
}

TEST(DatasetRead, TheSameSampleMayBeReadTwiceAndNoneIsFine) {
    const Dataset dataset = counting_dataset();
    const std::int64_t twice[] = {1, 1};
    std::vector<float> samples(8);
    std::vector<std::int32_t> labels(2);
    dataset.read(Split::train, twice, samples.data(), labels.data(), nullptr);
    EXPECT_TRUE(std::equal(samples.begin(), samples.begin() + 4, samples.begin() + 4));
    dataset.read(Split::train, {}, nullptr, nullptr, nullptr);
}

TEST(DatasetRead, WritesNothingBeyondTheSamplesAskedFor) {
    const Dataset dataset = counting_dataset();
    const std::int64_t indices[] = {0};
    std::vector<float> samples(5, 77.0F);
    std::vector<std::int32_t> labels(2, 77);
    dataset.read(Split::train, indices, samples.data(), labels.data(), nullptr);
    EXPECT_EQ(samples[4], 77.0F);
    EXPECT_EQ(labels[1], 77);
}

TEST(DatasetRead, FloatsAndSoftTargetsAreGivenAsTheyAre) {
    Dataset dataset;
    dataset.sample = Shape{1, 1, 2};
    dataset.classes = 3;
    dataset.train.count = 2;
    dataset.train.values = {1.5F, -2.5F, 3.5F, 1e30F};
    dataset.train.targets = {0.1F, 0.2F, 0.3F, 0.4F, 0.5F, 0.6F};
    const std::int64_t indices[] = {1, 0};
    std::vector<float> samples(4);
    std::vector<float> targets(6);
    dataset.read(Split::train, indices, samples.data(), nullptr, targets.data());
    EXPECT_THAT(samples, ElementsAre(3.5F, 1e30F, 1.5F, -2.5F));
    EXPECT_THAT(targets, ElementsAre(0.4F, 0.5F, 0.6F, 0.1F, 0.2F, 0.3F));
}

TEST(DatasetOpening, CalledOffBeforehandGivesTheErrorCancelled) {
    const testing::IdxFolder idx;
    const testing::TemporaryFolder cifar;
    testing::write_file(cifar.path() / "data_batch_1.bin", testing::cifar_records({1}));
    testing::write_file(cifar.path() / "test_batch.bin", testing::cifar_records({1}));
    const testing::TemporaryFolder pictures;
    for (const char* name : {"train/a/1.png", "train/b/1.png"}) {
        std::filesystem::create_directories((pictures.path() / name).parent_path());
        testing::write_file(pictures.path() / name, testing::plain_png(2, 2, {1, 2, 3}));
    }
    const std::pair<const char*, std::filesystem::path> all[] = {{"digits", {}},
                                                                 {"random", {}},
                                                                 {"mnist", idx.folder.path()},
                                                                 {"cifar10", cifar.path()},
                                                                 {"image-folder", pictures.path()}};
    for (const auto& [name, folder] : all) {
        DatasetOptions options;
        options.name = name;
        options.folder = folder;
        ASSERT_NE(testing::expect_opened(options), nullptr) << name;
        std::stop_source source;
        options.stop = source.get_token();
        source.request_stop();
        testing::expect_refused(options, {ErrorCode::cancelled, {"cancelled"}});
    }
}

TEST(DatasetOpening, CalledOffInTheMiddleEndsSoon) {
    DatasetOptions options;
    options.train_count = 200'000;  // many seconds of work
    std::stop_source source;
    options.stop = source.get_token();
    std::jthread caller([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        source.request_stop();
    });
    const auto begin = std::chrono::steady_clock::now();
    testing::expect_refused(options, {ErrorCode::cancelled, {"cancelled"}});
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

}  // namespace
}  // namespace trainscope
