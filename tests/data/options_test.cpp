// SPDX-License-Identifier: GPL-3.0-or-later
// What a person can ask for: unknown kinds, counts, normalisation, folders, and the random data.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <optional>

#include "tests/data/data_files.h"

namespace trainscope {
namespace {

using testing::expect_opened;
using testing::expect_refused;

DatasetOptions random_options() {
    DatasetOptions options;
    options.name = "random";
    options.sample = Shape{2, 3, 4};
    options.train_count = 50;
    options.test_count = 20;
    options.classes = 7;
    return options;
}

TEST(DatasetKinds, AreListedOnceWithWhatTheyRead) {
    std::vector<std::string> names;
    for (const DatasetKind& kind : dataset_kinds()) {
        names.push_back(kind.name);
        EXPECT_FALSE(kind.title.empty() || kind.description.empty()) << kind.name;
        EXPECT_EQ(kind.needs_folder, kind.name != "digits" && kind.name != "random") << kind.name;
    }
    EXPECT_THAT(names, ::testing::UnorderedElementsAre("digits", "random", "mnist", "cifar10",
                                                       "cifar100", "image-folder"));
}

// Whether what is known beforehand is what opening finds.
void expect_known(const DatasetOptions& options) {
    SCOPED_TRACE(options.name);
    const std::optional<DatasetShape> known = known_shape(options);
    ASSERT_TRUE(known);
    const auto opened = open_dataset(options);
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_EQ(known->sample, (*opened)->sample);
    EXPECT_EQ(known->classes, (*opened)->classes);
    EXPECT_EQ(known->soft_targets, (*opened)->soft_targets());
}

TEST(DatasetShape, IsKnownOfWhatIsGeneratedBeforeItIsOpened) {
    DatasetOptions digits;
    digits.train_count = digits.test_count = 10;
    expect_known(digits);
    DatasetOptions random = random_options();
    expect_known(random);
    random.sample = Shape{};
    random.soft_labels = true;
    expect_known(random);
}

TEST(DatasetShape, IsKnownOfFilesOfOneShapeOnly) {
    TRAINSCOPE_NEEDS_SHARED();
    DatasetOptions cifar;
    cifar.name = "cifar10";
    cifar.folder = testing::shared_folder() / "data" / "cifar10";
    expect_known(cifar);
    for (const char* name : {"mnist", "image-folder", "unknown"}) {
        DatasetOptions options;
        options.name = name;
        EXPECT_FALSE(known_shape(options)) << name;
    }
}

TEST(DatasetOptions, UnknownKindIsRefusedWithTheNearestName) {
    DatasetOptions options;
    options.name = "minst";
    expect_refused(options,
                   {ErrorCode::not_found, {"'minst'", "did you mean 'mnist'?", "image-folder"}});
}

TEST(DatasetOptions, NegativeCountsAreRefused) {
    for (const DatasetKind& kind : dataset_kinds()) {
        DatasetOptions options;
        options.name = kind.name;
        options.folder = "/";
        options.train_count = -1;
        expect_refused(options, {ErrorCode::invalid_argument, {"train", "-1"}});
        options.train_count = 0;
        options.test_count = std::numeric_limits<std::int64_t>::min();
        expect_refused(options, {ErrorCode::invalid_argument, {"test", "-9223372036854775808"}});
    }
}

TEST(DatasetOptions, NormalisationThatGivesNoFiniteNumberIsRefused) {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const std::pair<float, float> wrong[] = {{0.5F, 0.0F},   {0.5F, -1.0F},    {0.5F, nan},
                                             {nan, 0.5F},    {infinity, 0.5F}, {0.5F, infinity},
                                             {0.5F, 1e-40F}, {3e38F, 0.1F}};
    for (const auto& [mean, stddev] : wrong) {
        DatasetOptions options;
        options.mean = mean;
        options.stddev = stddev;
        expect_refused(options, {ErrorCode::invalid_argument, {"Normalisation"}});
    }
}

TEST(DatasetOptions, FolderIsNeededWhereFilesAreRead) {
    const testing::TemporaryFolder folder;
    testing::write_file(folder.path() / "file", {1});
    for (const DatasetKind& kind : dataset_kinds()) {
        if (!kind.needs_folder) {
            continue;
        }
        DatasetOptions options;
        options.name = kind.name;
        expect_refused(options, {ErrorCode::invalid_argument, {kind.name, "folder of its files"}});
        options.folder = folder.path() / "nowhere";
        expect_refused(options, {ErrorCode::not_found, {"nowhere", "found nothing"}});
        options.folder = folder.path() / "file";
        expect_refused(options, {ErrorCode::not_found, {"file", "no folder"}});
        options.folder = folder.path();
        options.folder /= std::string(3000, 'x');
        expect_refused(options, {ErrorCode::not_found, {kind.name}});
    }
}

TEST(RandomData, NeedsThreeDimensionsOfAtLeastOne) {
    for (const Shape& wrong : {Shape{5}, Shape{28, 28}, Shape{1, 2, 3, 4}, Shape{3, 0, 32},
                               Shape{3, -1, 32}, Shape{-1, -1, 32}}) {
        DatasetOptions options = random_options();
        options.sample = wrong;
        expect_refused(options, {ErrorCode::invalid_argument,
                                 {"channels x height x width", wrong.to_string()}});
    }
}

TEST(RandomData, NeedsTwoClassesAndNotTooMany) {
    for (const std::int64_t wrong : {std::int64_t{-3}, std::int64_t{0}, std::int64_t{1},
                                     std::int64_t{65'537}, std::int64_t{1} << 62}) {
        DatasetOptions options = random_options();
        options.classes = wrong;
        expect_refused(options, {ErrorCode::invalid_argument, {"classes", std::to_string(wrong)}});
    }
}

TEST(RandomData, LargerThanMemoryIsAnErrorAndNoException) {
    constexpr std::int64_t huge = std::int64_t{1} << 20;
    DatasetOptions options = random_options();
    for (const Shape& sample :
         {Shape{huge, huge, huge}, Shape{huge, huge, 1}, Shape{huge, huge, 4 * huge}}) {
        options.sample = sample;
        EXPECT_FALSE(open_dataset(options).has_value());
    }
    options.sample = Shape{3, 32, 32};
    for (const std::int64_t count :
         {std::int64_t{80'000'000}, huge * huge, std::numeric_limits<std::int64_t>::max()}) {
        options.train_count = count;
        options.test_count = 1;
        expect_refused(options, {ErrorCode::out_of_memory, {"andom"}});
        std::swap(options.train_count, options.test_count);
        expect_refused(options, {ErrorCode::out_of_memory, {"andom"}});
    }
}

TEST(RandomData, IsNormalWithUniformLabels) {
    DatasetOptions options = random_options();
    options.train_count = 7'000;
    const auto data = expect_opened(options);
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(data->sample, (Shape{2, 3, 4}));
    EXPECT_TRUE(data->train.pixels.empty());
    ASSERT_EQ(data->train.values.size(), 7'000U * 24);
    double sum = 0;
    double squares = 0;
    for (const float value : data->train.values) {
        sum += value;
        squares += double{value} * value;
    }
    EXPECT_NEAR(sum / (7'000 * 24), 0.0, 0.015);  // 6 standard errors
    EXPECT_NEAR(squares / (7'000 * 24), 1.0, 0.02);
    for (std::int32_t label = 0; label < 7; ++label) {
        const auto there = std::count(data->train.labels.begin(), data->train.labels.end(), label);
        EXPECT_NEAR(static_cast<double>(there), 1'000, 150);
    }
}

TEST(RandomData, IsAFunctionOfItsSeed) {
    DatasetOptions options = random_options();
    const auto first = expect_opened(options);
    EXPECT_EQ(first->train.values, expect_opened(options)->train.values);
    EXPECT_NE(std::vector<float>(first->train.values.begin(), first->train.values.begin() + 24),
              std::vector<float>(first->test.values.begin(), first->test.values.begin() + 24));
    options.seed = 2;
    EXPECT_NE(first->train.values, expect_opened(options)->train.values);
}

TEST(RandomData, SoftLabelsAreOneNumberAClassFromZeroToOne) {
    DatasetOptions options = random_options();
    options.soft_labels = true;
    const auto data = expect_opened(options);
    ASSERT_NE(data, nullptr);
    EXPECT_TRUE(data->soft_targets());
    EXPECT_TRUE(data->train.labels.empty());
    ASSERT_EQ(data->train.targets.size(), 50U * 7);
    ASSERT_EQ(data->test.targets.size(), 20U * 7);
    const auto [low, high] =
        std::minmax_element(data->train.targets.begin(), data->train.targets.end());
    EXPECT_GE(*low, 0.0F);
    EXPECT_LE(*high, 1.0F);
    EXPECT_GT(*high - *low, 0.9F);
}

TEST(GeneratedDigits, TooManyAreRefusedBeforeAnyIsDrawn) {
    DatasetOptions options;
    options.test_count = 1'000'001;
    expect_refused(options, {ErrorCode::invalid_argument, {"1,000,000", "1,000,001"}});
    options.train_count = std::numeric_limits<std::int64_t>::max();
    expect_refused(options, {ErrorCode::invalid_argument, {"1,000,000"}});
}

}  // namespace
}  // namespace trainscope
