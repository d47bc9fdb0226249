// SPDX-License-Identifier: GPL-3.0-or-later
// The generated digits: reproducible, balanced, and too hard for a linear model yet learnable.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <string>

#include "tests/data/data_files.h"

namespace trainscope {
namespace {

constexpr std::size_t pixel_count = 28 * 28;

std::shared_ptr<const Dataset> digits(std::int64_t train, std::int64_t test,
                                      std::uint64_t seed = 1) {
    DatasetOptions options;
    options.train_count = train;
    options.test_count = test;
    options.seed = seed;
    return testing::expect_opened(options);
}
std::vector<std::uint8_t> first(const std::vector<std::uint8_t>& pixels, std::size_t count) {
    return {pixels.begin(), pixels.begin() + static_cast<std::ptrdiff_t>(count * pixel_count)};
}

TEST(Digits, AreTheSameForTheSameSeedWhateverTheCountsAskedFor) {
    const auto few = digits(20, 5);
    const auto many = digits(60, 40);
    EXPECT_EQ(few->train.pixels, first(many->train.pixels, 20));
    EXPECT_EQ(few->test.pixels, first(many->test.pixels, 5));
    EXPECT_TRUE(
        std::equal(few->train.labels.begin(), few->train.labels.end(), many->train.labels.begin()));
    EXPECT_TRUE(
        std::equal(few->test.labels.begin(), few->test.labels.end(), many->test.labels.begin()));
}

TEST(Digits, DifferBySeedAndSplitAndSample) {
    const auto one = digits(50, 50);
    const auto other = digits(50, 50, 2);
    EXPECT_NE(one->train.pixels, other->train.pixels);
    EXPECT_NE(one->train.labels, other->train.labels);
    EXPECT_NE(one->train.pixels, one->test.pixels);
    EXPECT_NE(one->train.labels, one->test.labels);
    std::set<std::string> pictures;
    for (const SplitData* split : {&one->train, &one->test, &other->train, &other->test}) {
        for (std::ptrdiff_t i = 0; i < 50; ++i) {
            const auto at = split->pixels.begin() + i * static_cast<std::ptrdiff_t>(pixel_count);
            pictures.emplace(at, at + static_cast<std::ptrdiff_t>(pixel_count));
        }
    }
    EXPECT_EQ(pictures.size(), 200U);
}

TEST(Digits, DefaultIsTenClassesOf28x28) {
    const auto set = digits(0, 0);
    EXPECT_EQ(set->name, "digits");
    EXPECT_EQ(set->sample, (Shape{1, 28, 28}));
    EXPECT_EQ(set->class_names.size(), 10U);
    EXPECT_EQ(set->train.count, 10'000);
    EXPECT_EQ(set->test.count, 2'000);
}

// 5,000 samples: 500 a class, 5 standard deviations.
TEST(Digits, AllTenAreAboutEquallyOften) {
    const auto set = digits(5'000, 1);
    std::array<int, 10> counts{};
    for (const std::int32_t label : set->train.labels) {
        ++counts.at(static_cast<std::size_t>(label));
    }
    EXPECT_THAT(counts, ::testing::Each(::testing::AllOf(::testing::Gt(394), ::testing::Lt(606))));
}

TEST(Digits, AreDarkPaperWithSomeBrightInk) {
    const auto set = digits(1'000, 1);
    double total = 0;
    for (std::size_t i = 0; i < 1'000; ++i) {
        const auto begin = set->train.pixels.begin() + static_cast<std::ptrdiff_t>(i * pixel_count);
        const auto end = begin + static_cast<std::ptrdiff_t>(pixel_count);
        const auto inked = std::count_if(begin, end, [](std::uint8_t p) { return p > 110; });
        EXPECT_GT(inked, 15) << "sample " << i << " is nearly empty";
        EXPECT_LT(inked, 400) << "sample " << i << " is mostly ink";
        total += std::accumulate(begin, end, 0.0) / pixel_count;
    }
    EXPECT_GT(total / 1'000, 20);
    EXPECT_LT(total / 1'000, 70);
}

// Softmax regression by plain gradient descent, one sample at a time.
class LinearModel {
  public:
    void train(const SplitData& split, int epochs) {
        for (int epoch = 0; epoch < epochs; ++epoch) {
            const float rate = 0.02F / static_cast<float>(1 + epoch);
            for (std::size_t i = 0; i < split.labels.size(); ++i) {
                step(&split.pixels[i * pixel_count], split.labels[i], rate);
            }
        }
    }
    double accuracy(const SplitData& split) const {
        int right = 0;
        for (std::size_t i = 0; i < split.labels.size(); ++i) {
            const auto scores = score(&split.pixels[i * pixel_count]);
            const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
            right += best == split.labels[i] ? 1 : 0;
        }
        return static_cast<double>(right) / static_cast<double>(split.labels.size());
    }

  private:
    std::array<float, 10> score(const std::uint8_t* pixels) const {
        std::array<float, 10> scores = bias_;
        for (std::size_t c = 0; c < 10; ++c) {
            for (std::size_t p = 0; p < pixel_count; ++p) {
                scores[c] += weights_[c * pixel_count + p] * static_cast<float>(pixels[p]) / 255.0F;
            }
        }
        return scores;
    }
    void step(const std::uint8_t* pixels, std::int32_t label, float rate) {
        std::array<float, 10> likely = score(pixels);
        const float highest = *std::max_element(likely.begin(), likely.end());
        float sum = 0;
        for (float& value : likely) {
            sum += value = std::exp(value - highest);
        }
        for (std::size_t c = 0; c < 10; ++c) {
            const float wanted = static_cast<std::int32_t>(c) == label ? 1.0F : 0.0F;
            const float change = rate * (wanted - likely[c] / sum);
            bias_[c] += change;
            for (std::size_t p = 0; p < pixel_count; ++p) {
                weights_[c * pixel_count + p] += change * static_cast<float>(pixels[p]) / 255.0F;
            }
        }
    }
    std::vector<float> weights_ = std::vector<float>(10 * pixel_count);
    std::array<float, 10> bias_{};
};

TEST(Digits, AreTooHardForALinearModelYetItLearnsThem) {
    const auto set = digits(4'000, 2'000);
    LinearModel model;
    model.train(set->train, 8);
    const double accuracy = model.accuracy(set->test);
    RecordProperty("linear_accuracy", std::to_string(accuracy));
    EXPECT_GT(accuracy, 0.60);
    EXPECT_LT(accuracy, 0.93);
}

}  // namespace
}  // namespace trainscope
