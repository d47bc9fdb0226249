// SPDX-License-Identifier: GPL-3.0-or-later
// Models that do not fit their input, or are too large to compute with: the message names the layer
// and the sizes that clash.
#include <gtest/gtest.h>

#include <limits>

#include "tests/model/refusal.h"

namespace trainscope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::int64_t million = std::int64_t{1} << 20;

std::string refused(const ModelSpec& spec, const Shape& input = {1, 28, 28},
                    std::int64_t classes = 10) {
    const Result<Graph> graph = build_graph(spec, input, classes);
    if (!graph) {
        EXPECT_EQ(graph.error().code, ErrorCode::invalid_argument);
    }
    return testing::refusal(graph);
}

ModelSpec from_code(std::vector<LayerSpec> layers) {
    ModelSpec spec;
    spec.name = "code";
    spec.layers = std::move(layers);
    return spec;
}

TEST(GraphRefusals, APoolLargerThanItsInput) {
    EXPECT_THAT(refused(testing::model_of(R"({"type": "relu"}, {"type": "max_pool", "kernel": 4})"),
                        {1, 2, 2}),
                AllOf(StartsWith("Model test: layer 2 (max_pool): "), HasSubstr("window of 4x4"),
                      HasSubstr("larger than its input of 2x2")));
    EXPECT_THAT(refused(testing::model_of(R"({"type": "max_pool", "kernel": [2, 5]})"), {1, 8, 4}),
                HasSubstr("window of 2x5"));
    EXPECT_THAT(refused(testing::model_of(R"({"type": "max_pool", "kernel": 64})")),
                HasSubstr("window of 64x64 is larger than its input of 28x28"));
}

TEST(GraphRefusals, APoolThatShrinksTheImageAwayIsTheOneThatDoesNotFit) {
    std::string pools = R"({"type": "max_pool"})";
    for (int i = 0; i < 5; ++i) {
        pools += R"(, {"type": "max_pool"})";
    }
    // 28 -> 14 -> 7 -> 3 -> 1, so the fifth has nothing to halve.
    EXPECT_THAT(refused(testing::model_of(pools)),
                AllOf(HasSubstr("layer 5 (max_pool)"), HasSubstr("input of 1x1")));
}

TEST(GraphRefusals, APoolWindowHasAtMost255Values) {
    EXPECT_THAT(refused(testing::model_of(R"({"type": "max_pool", "kernel": 16})")),
                AllOf(HasSubstr("16x16"), HasSubstr("255")));
    EXPECT_TRUE(build_graph(testing::model_of(R"({"type": "max_pool", "kernel": [15, 17]})"),
                            {1, 28, 28}, 10));
}

TEST(GraphRefusals, APoolsPaddingIsLessThanItsWindow) {
    EXPECT_THAT(refused(testing::model_of(R"({"type": "max_pool", "kernel": 2, "padding": 2})")),
                AllOf(HasSubstr("padding of 2x2"), HasSubstr("window of 2x2")));
}

TEST(GraphRefusals, AConvolutionWindowLargerThanItsInput) {
    const ModelSpec spec =
        testing::model_of(R"({"type": "conv2d", "filters": 1, "kernel": 7, "padding": 1})");
    EXPECT_THAT(refused(spec, {1, 4, 4}),
                AllOf(StartsWith("Model test: layer 1 (conv2d): "), HasSubstr("7x7"),
                      HasSubstr("padded input of 6x6")));
    EXPECT_TRUE(build_graph(spec, {1, 5, 5}, 10)) << "5 + 2 holds one window";
}

TEST(GraphRefusals, GroupsThatDoNotDivide) {
    const ModelSpec spec = testing::model_of(R"({"type": "conv2d", "filters": 4, "groups": 2})");
    EXPECT_THAT(refused(spec, {3, 8, 8}), AllOf(HasSubstr("3 input channels"),
                                                HasSubstr("4 filters"), HasSubstr("2 groups")));
    EXPECT_THAT(
        refused(testing::model_of(R"({"type": "conv2d", "filters": 3, "groups": 2})"), {4, 8, 8}),
        AllOf(HasSubstr("3 filters"), HasSubstr("2 groups")));
    EXPECT_TRUE(build_graph(spec, {4, 8, 8}, 10));
}

TEST(GraphRefusals, DenseBeforeFlatten) {
    EXPECT_THAT(refused(testing::exact_model(R"({"type": "dense", "units": 10},
                                                {"type": "softmax_cross_entropy"})")),
                AllOf(StartsWith("Model test: layer 1 (dense): "), HasSubstr("[1, 28, 28]"),
                      HasSubstr("put a flatten before it")));
}

TEST(GraphRefusals, ImageLayersBehindFlatten) {
    for (const std::string_view layer :
         {R"({"type": "conv2d", "filters": 1})", R"({"type": "max_pool"})"}) {
        EXPECT_THAT(refused(testing::model_of(fmt::format(R"({{"type": "flatten"}}, {})", layer))),
                    AllOf(HasSubstr("layer 2"), HasSubstr("[784]"), HasSubstr("before flatten")));
    }
}

TEST(GraphRefusals, AnOutputThatIsNotOneValueAClass) {
    const ModelSpec spec = testing::exact_model(
        R"({"type": "flatten"}, {"type": "dense", "units": 7}, {"type": "softmax_cross_entropy"})");
    EXPECT_THAT(refused(spec), AllOf(HasSubstr("layer 3 (softmax_cross_entropy)"),
                                     HasSubstr("10 classes"), HasSubstr("[7]")));
    EXPECT_TRUE(build_graph(spec, {1, 28, 28}, 7));
}

TEST(GraphRefusals, InputsThatAreNoImages) {
    const ModelSpec spec = testing::preset("simple-cnn");
    EXPECT_THAT(refused(spec, {784}), AllOf(StartsWith("Model simple-cnn: "), HasSubstr("[784]")));
    EXPECT_THAT(refused(spec, {1, 0, 28}), HasSubstr("[1, 0, 28]"));
    EXPECT_THAT(refused(spec, {1, -5, 28}), HasSubstr("[1, -5, 28]"));
    EXPECT_THAT(refused(spec, {1, million + 1, 28}), HasSubstr("1048576"));
}

TEST(GraphRefusals, FewerThanTwoClassesOrAbsurdlyMany) {
    const ModelSpec spec = testing::preset("simple-cnn");
    for (const std::int64_t classes :
         {std::int64_t{1}, std::int64_t{0}, std::int64_t{-3}, million + 1}) {
        EXPECT_THAT(refused(spec, {1, 28, 28}, classes),
                    HasSubstr(fmt::format("2 to 1048576 classes, not {}", classes)));
    }
}

TEST(GraphRefusals, DimensionsBeyondAMillion) {
    EXPECT_THAT(
        refused(testing::model_of(""), {2, million, 1}),
        AllOf(HasSubstr("layer 1 (flatten)"), HasSubstr("[2097152]"), HasSubstr("1048576")));
    EXPECT_THAT(refused(testing::model_of(
                            R"({"type": "conv2d", "filters": 1, "kernel": 1, "padding": 1024})"),
                        {1, million, 1}),
                AllOf(HasSubstr("layer 1 (conv2d)"), HasSubstr("1050624")));
}

TEST(GraphRefusals, MoreThanTwoBillionParameters) {
    const std::string wide = R"({"type": "dense", "units": 65536})";
    EXPECT_THAT(
        refused(testing::exact_model(R"({"type": "flatten"}, )" + wide + ", " + wide + ", " + wide +
                                     R"(, {"type": "dense", "units": "classes"},
                                  {"type": "softmax_cross_entropy"})")),
        AllOf(HasSubstr("layer 3 (dense)"), HasSubstr("[65536, 65536]"),
              HasSubstr("2147483648 parameters")));
}

TEST(GraphRefusals, WorkThatOverflows) {
    // 2^20 filters over 2^20 x 2^20 positions with 9 * 16 weights each: 2^60 * 144.
    const ModelSpec spec =
        testing::model_of(R"({"type": "conv2d", "filters": 1048576, "padding": "same"})");
    EXPECT_THAT(refused(spec, {16, million, million}),
                AllOf(HasSubstr("layer 1 (conv2d)"), HasSubstr("multiply-accumulates")));
    // The sum over layers counts as well: each of these takes 2^40 * 9, two in a row 2^44.2.
    const std::string layer = R"({"type": "conv2d", "filters": 1, "padding": "same"})";
    const ModelSpec two = testing::model_of(layer + ", " + layer);
    EXPECT_THAT(refused(two, {1, million, million}),
                AllOf(HasSubstr("layer 2 (conv2d)"), HasSubstr("multiply-accumulates")));
}

TEST(GraphRefusals, AModelWithNothingToTrain) {
    EXPECT_THAT(
        refused(testing::exact_model(R"({"type": "flatten"}, {"type": "softmax_cross_entropy"})"),
                {10, 1, 1}),
        HasSubstr("nothing to train"));
}

// A spec may also be made by code, past the checks of its JSON.
TEST(GraphRefusals, NonsenseFromCode) {
    const auto with = [](const LayerSpec& layer) {
        return from_code({layer, FlattenSpec{}, DenseSpec{}, SoftmaxCrossEntropySpec{}});
    };
    constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
    EXPECT_THAT(refused(with(Conv2dSpec{.stride_h = 0})), HasSubstr("layer 1 (conv2d)"));
    EXPECT_THAT(refused(with(Conv2dSpec{.kernel_w = 0})), HasSubstr("layer 1 (conv2d)"));
    EXPECT_THAT(refused(with(Conv2dSpec{.pad_h = -1})), HasSubstr("layer 1 (conv2d)"));
    EXPECT_THAT(refused(with(Conv2dSpec{.pad_h = huge})), HasSubstr("layer 1 (conv2d)"));
    EXPECT_THAT(refused(with(Conv2dSpec{.filters = huge})), HasSubstr("layer 1 (conv2d)"));
    EXPECT_THAT(refused(with(Conv2dSpec{.kernel_h = huge, .kernel_w = huge})),
                HasSubstr("layer 1 (conv2d)"));
    EXPECT_THAT(refused(with(MaxPoolSpec{.stride_w = 0})), HasSubstr("layer 1 (max_pool)"));
    EXPECT_THAT(refused(with(MaxPoolSpec{.kernel_h = -2})), HasSubstr("layer 1 (max_pool)"));
    EXPECT_THAT(refused(with(MaxPoolSpec{.kernel_h = huge, .kernel_w = huge})),
                HasSubstr("layer 1 (max_pool)"));
    const auto dense = [](std::int64_t units) {
        return from_code(
            {FlattenSpec{}, DenseSpec{.units = units}, DenseSpec{}, SoftmaxCrossEntropySpec{}});
    };
    EXPECT_THAT(refused(dense(0)), HasSubstr("layer 2 (dense)"));
    EXPECT_THAT(refused(dense(huge)), HasSubstr("layer 2 (dense)"));
    EXPECT_THAT(refused(with(Conv2dSpec{.kernel_h = 2, .same_padding = true})),
                HasSubstr("odd kernels"));
}

TEST(GraphRefusals, ALossThatIsMissingOrInTheMiddle) {
    EXPECT_THAT(refused(from_code({FlattenSpec{}, DenseSpec{}})),
                AllOf(HasSubstr("last"), HasSubstr("softmax_cross_entropy")));
    EXPECT_THAT(refused(from_code({FlattenSpec{}, DenseSpec{}, SoftmaxCrossEntropySpec{},
                                   SoftmaxCrossEntropySpec{}})),
                AllOf(HasSubstr("layer 3"), HasSubstr("last")));
    EXPECT_THAT(refused(from_code({})), HasSubstr("last"));
}

}  // namespace
}  // namespace trainscope
