// SPDX-License-Identifier: GPL-3.0-or-later
// Facts of the real files, found with NumPy and Pillow: counts, labels and sums of pixels.
#include <gmock/gmock.h>

#include <numeric>

#include "tests/data/data_files.h"

namespace trainscope {
namespace {

using ::testing::ElementsAre;
using testing::expect_opened;

std::shared_ptr<const Dataset> open_shared(const std::string& name, const std::string& folder) {
    DatasetOptions options;
    options.name = name;
    options.folder = testing::shared_folder() / "data" / folder;
    return expect_opened(options);
}

// Of sample `index`, or of all, in one channel.
std::int64_t sum(const Dataset& dataset, const SplitData& split, std::int64_t index,
                 std::int64_t channel) {
    const std::int64_t plane = dataset.sample[1] * dataset.sample[2];
    const auto begin = split.pixels.begin() + (index * dataset.sample[0] + channel) * plane;
    return std::accumulate(begin, begin + plane, std::int64_t{0});
}
std::int64_t sum_of_all(const Dataset& dataset, const SplitData& split, std::int64_t channel) {
    std::int64_t total = 0;
    for (std::int64_t i = 0; i < split.count; ++i) {
        total += sum(dataset, split, i, channel);
    }
    return total;
}

std::vector<std::int32_t> first_labels(const SplitData& split) {
    return {split.labels.begin(), split.labels.begin() + 10};
}
std::vector<std::int64_t> label_counts(const Dataset& dataset, const SplitData& split) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(dataset.classes));
    for (const std::int32_t label : split.labels) {
        ++counts.at(static_cast<std::size_t>(label));
    }
    return counts;
}

TEST(GoldenMnist, HasTenThousandTrainAndTestImagesOf28x28) {
    TRAINSCOPE_NEEDS_SHARED();
    const auto mnist = open_shared("mnist", "mnist");
    ASSERT_NE(mnist, nullptr);
    EXPECT_EQ(mnist->sample, (Shape{1, 28, 28}));
    EXPECT_EQ(mnist->classes, 10);
    EXPECT_THAT(mnist->class_names, ElementsAre("0", "1", "2", "3", "4", "5", "6", "7", "8", "9"));
    EXPECT_EQ(mnist->train.count, 10'000);
    EXPECT_EQ(mnist->test.count, 10'000);
    EXPECT_FALSE(mnist->soft_targets());
}

TEST(GoldenMnist, LabelsAreThoseOfTheFiles) {
    TRAINSCOPE_NEEDS_SHARED();
    const auto mnist = open_shared("mnist", "mnist");
    ASSERT_NE(mnist, nullptr);
    EXPECT_THAT(first_labels(mnist->train), ElementsAre(8, 4, 4, 7, 6, 9, 7, 3, 9, 3));
    EXPECT_THAT(first_labels(mnist->test), ElementsAre(7, 2, 1, 0, 4, 1, 4, 9, 5, 9));
    EXPECT_THAT(label_counts(*mnist, mnist->train),
                ElementsAre(1001, 1127, 991, 1032, 980, 863, 1014, 1070, 944, 978));
    EXPECT_THAT(label_counts(*mnist, mnist->test),
                ElementsAre(980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009));
}

TEST(GoldenMnist, PixelsAreThoseOfTheFiles) {
    TRAINSCOPE_NEEDS_SHARED();
    const auto mnist = open_shared("mnist", "mnist");
    ASSERT_NE(mnist, nullptr);
    EXPECT_EQ(sum_of_all(*mnist, mnist->train, 0), 262'146'600);
    EXPECT_EQ(sum_of_all(*mnist, mnist->test, 0), 264'923'200);
    EXPECT_EQ(sum(*mnist, mnist->train, 0, 0), 27'535);
    EXPECT_EQ(sum(*mnist, mnist->train, 9999, 0), 30'263);
    const auto row = mnist->train.pixels.begin() + 14 * 28 + 9;
    EXPECT_THAT(std::vector<int>(row, row + 8), ElementsAre(17, 111, 228, 254, 254, 247, 157, 37));
}

TEST(GoldenMnist, AtMostAsManyAsAskedForAreTheFirstOnes) {
    TRAINSCOPE_NEEDS_SHARED();
    DatasetOptions options;
    options.name = "mnist";
    options.folder = testing::shared_folder() / "data" / "mnist";
    options.train_count = 10;
    options.test_count = 20'000;  // more than there are
    const auto mnist = expect_opened(options);
    ASSERT_NE(mnist, nullptr);
    EXPECT_EQ(mnist->train.count, 10);
    EXPECT_EQ(mnist->train.pixels.size(), 10U * 28 * 28);
    EXPECT_THAT(mnist->train.labels, ElementsAre(8, 4, 4, 7, 6, 9, 7, 3, 9, 3));
    EXPECT_EQ(sum(*mnist, mnist->train, 0, 0), 27'535);
    EXPECT_EQ(mnist->test.count, 10'000);
}

TEST(GoldenCifar10, HasTheClassesAndCountsOfTheFiles) {
    TRAINSCOPE_NEEDS_SHARED();
    const auto cifar = open_shared("cifar10", "cifar10");
    ASSERT_NE(cifar, nullptr);
    EXPECT_EQ(cifar->sample, (Shape{3, 32, 32}));
    EXPECT_THAT(cifar->class_names, ElementsAre("airplane", "automobile", "bird", "cat", "deer",
                                                "dog", "frog", "horse", "ship", "truck"));
    EXPECT_EQ(cifar->train.count, 5'000);
    EXPECT_EQ(cifar->test.count, 1'000);
    EXPECT_THAT(label_counts(*cifar, cifar->train), ::testing::Each(500));
    EXPECT_THAT(label_counts(*cifar, cifar->test), ::testing::Each(100));
    EXPECT_THAT(first_labels(cifar->train), ElementsAre(5, 9, 3, 8, 0, 4, 0, 0, 6, 0));
    EXPECT_THAT(first_labels(cifar->test), ElementsAre(8, 8, 1, 1, 8, 7, 7, 5, 8, 2));
}

TEST(GoldenCifar10, PixelsAreThoseOfTheFilesChannelByChannel) {
    TRAINSCOPE_NEEDS_SHARED();
    const auto cifar = open_shared("cifar10", "cifar10");
    ASSERT_NE(cifar, nullptr);
    const std::int64_t train[] = {641'195'800, 627'733'829, 580'193'508};
    const std::int64_t test[] = {129'683'886, 127'218'713, 117'662'728};
    const std::int64_t first[] = {175'997, 163'493, 155'034};
    const std::int64_t last[] = {91'615, 103'179, 71'102};
    for (const int c : {0, 1, 2}) {
        EXPECT_EQ(sum_of_all(*cifar, cifar->train, c), train[c]);
        EXPECT_EQ(sum_of_all(*cifar, cifar->test, c), test[c]);
        EXPECT_EQ(sum(*cifar, cifar->train, 0, c), first[c]);
        EXPECT_EQ(sum(*cifar, cifar->test, 999, c), last[c]);
    }
}

TEST(GoldenImageFolder, HasSortedClassesAndTheirPictures) {
    TRAINSCOPE_NEEDS_SHARED();
    const auto folder = open_shared("image-folder", "image-folder");
    ASSERT_NE(folder, nullptr);
    EXPECT_EQ(folder->sample, (Shape{3, 32, 32}));
    EXPECT_THAT(folder->class_names, ElementsAre("cat", "ship", "truck"));
    EXPECT_THAT(label_counts(*folder, folder->train), ElementsAre(30, 30, 30));
    EXPECT_THAT(label_counts(*folder, folder->test), ElementsAre(10, 10, 10));
}

// JPEG decoders may differ by a rounding here and there: the mean of each channel of a class is
// held to a tenth of a level.
TEST(GoldenImageFolder, PixelsAreThoseOfThePicturesClassByClass) {
    TRAINSCOPE_NEEDS_SHARED();
    const auto folder = open_shared("image-folder", "image-folder");
    ASSERT_NE(folder, nullptr);
    const std::int64_t train[3][3] = {{3'956'390, 3'629'863, 3'410'419},
                                      {3'969'995, 4'328'896, 4'578'439},
                                      {4'057'457, 3'960'231, 3'899'480}};
    for (int label = 0; label < 3; ++label) {
        for (int c = 0; c < 3; ++c) {
            std::int64_t total = 0;
            for (std::int64_t i = 0; i < folder->train.count; ++i) {
                if (folder->train.labels[static_cast<std::size_t>(i)] == label) {
                    total += sum(*folder, folder->train, i, c);
                }
            }
            EXPECT_NEAR(static_cast<double>(total), static_cast<double>(train[label][c]),
                        0.1 * 30 * 32 * 32)
                << "class " << label << ", channel " << c;
        }
    }
    const double first_ship_of_test[] = {154'901, 157'908, 164'303};
    for (int c = 0; c < 3; ++c) {
        EXPECT_NEAR(static_cast<double>(sum(*folder, folder->test, 10, c)), first_ship_of_test[c],
                    0.2 * 32 * 32);
    }
}

}  // namespace
}  // namespace trainscope
