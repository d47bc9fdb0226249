// SPDX-License-Identifier: GPL-3.0-or-later
// Models as JSON: what is read, what is filled in, and that writing and reading give the same.
#include <gtest/gtest.h>

#include "engine/model/embedded_presets.h"
#include "tests/model/refusal.h"

namespace trainscope {
namespace {

using ::testing::ElementsAre;

TEST(ParseModel, EveryPresetSurvivesWritingAndReading) {
    ASSERT_FALSE(model_presets().empty());
    for (const ModelSpec& preset : model_presets()) {
        const std::string json = to_json(preset);
        const Result<ModelSpec> again = parse_model(json, "again.json");
        ASSERT_TRUE(again) << again.error().message;
        // to_json writes every field, so equal texts are equal models.
        EXPECT_EQ(to_json(*again), json) << preset.name;
        EXPECT_EQ(again->name, preset.name);
        EXPECT_EQ(again->description, preset.description);
        EXPECT_EQ(again->layers.size(), preset.layers.size());
    }
}

TEST(ParseModel, EveryFieldOfEveryLayerSurvivesWritingAndReading) {
    const ModelSpec spec{
        .name = "all",
        .description = "says \"all\"; even ü",
        .layers = {Conv2dSpec{.filters = 6,
                              .kernel_h = 5,
                              .kernel_w = 3,
                              .stride_h = 2,
                              .stride_w = 1,
                              .pad_h = 1,
                              .pad_w = 0,
                              .groups = 3,
                              .bias = false,
                              .initializer = Initializer::glorot_uniform},
                   BatchNormSpec{.eps = 1e-3F, .momentum = 0.3F}, ReluSpec{},
                   MaxPoolSpec{.kernel_h = 3,
                               .kernel_w = 2,
                               .stride_h = 1,
                               .stride_w = 2,
                               .pad_h = 1,
                               .pad_w = 0},
                   FlattenSpec{},
                   DenseSpec{.units = 7, .bias = false, .initializer = Initializer::kaiming_normal},
                   SoftmaxCrossEntropySpec{}},
        .optimizer = {.kind = OptimizerKind::adamw,
                      .learning_rate = 0.003F,
                      .momentum = 0.8F,
                      .beta1 = 0.7F,
                      .beta2 = 0.95F,
                      .eps = 1e-6F,
                      .weight_decay = 0.2F}};
    const ModelSpec again = parse_model(to_json(spec), "again.json").value();

    EXPECT_EQ(again.name, spec.name);
    EXPECT_EQ(again.description, spec.description);
    const auto& conv = std::get<Conv2dSpec>(again.layers[0]);
    EXPECT_THAT((std::vector{conv.filters, conv.kernel_h, conv.kernel_w, conv.stride_h,
                             conv.stride_w, conv.pad_h, conv.pad_w, conv.groups}),
                ElementsAre(6, 5, 3, 2, 1, 1, 0, 3));
    EXPECT_FALSE(conv.same_padding);
    EXPECT_FALSE(conv.bias);
    EXPECT_EQ(conv.initializer, Initializer::glorot_uniform);
    const auto& norm = std::get<BatchNormSpec>(again.layers[1]);
    EXPECT_EQ(norm.eps, 1e-3F);
    EXPECT_EQ(norm.momentum, 0.3F);
    const auto& pool = std::get<MaxPoolSpec>(again.layers[3]);
    EXPECT_THAT((std::vector{pool.kernel_h, pool.kernel_w, pool.stride_h, pool.stride_w, pool.pad_h,
                             pool.pad_w}),
                ElementsAre(3, 2, 1, 2, 1, 0));
    const auto& dense = std::get<DenseSpec>(again.layers[5]);
    EXPECT_EQ(dense.units, 7);
    EXPECT_FALSE(dense.bias);
    EXPECT_EQ(dense.initializer, Initializer::kaiming_normal);
    EXPECT_EQ(again.optimizer.kind, OptimizerKind::adamw);
    EXPECT_EQ(again.optimizer.learning_rate, 0.003F);
    EXPECT_EQ(again.optimizer.momentum, 0.8F);
    EXPECT_EQ(again.optimizer.beta1, 0.7F);
    EXPECT_EQ(again.optimizer.beta2, 0.95F);
    EXPECT_EQ(again.optimizer.eps, 1e-6F);
    EXPECT_EQ(again.optimizer.weight_decay, 0.2F);
}

TEST(ParseModel, FieldsThatAreLeftOutHaveTheirUsualValues) {
    const ModelSpec spec = testing::exact_model(
        R"({"type": "conv2d", "filters": 4}, {"type": "batch_norm"},
           {"type": "max_pool", "kernel": [3, 2]}, {"type": "flatten"}, {"type": "dense", "units": 2},
           {"type": "softmax_cross_entropy"})");
    const auto& conv = std::get<Conv2dSpec>(spec.layers[0]);
    EXPECT_THAT((std::vector{conv.kernel_h, conv.kernel_w, conv.stride_h, conv.stride_w, conv.pad_h,
                             conv.pad_w, conv.groups}),
                ElementsAre(3, 3, 1, 1, 0, 0, 1));
    EXPECT_TRUE(conv.bias);
    EXPECT_EQ(conv.initializer, Initializer::kaiming_normal);
    EXPECT_EQ(std::get<BatchNormSpec>(spec.layers[1]).eps, 1e-5F);
    const auto& pool = std::get<MaxPoolSpec>(spec.layers[2]);
    EXPECT_EQ(pool.stride_h, 3) << "a pool's stride is its kernel";
    EXPECT_EQ(pool.stride_w, 2);
    EXPECT_EQ(std::get<DenseSpec>(spec.layers[4]).initializer, Initializer::glorot_uniform);
    EXPECT_EQ(spec.optimizer.kind, OptimizerKind::momentum);
}

TEST(ParseModel, PaddingIsAWordOrNumbers) {
    const auto padding = [](std::string_view value) {
        const ModelSpec spec = testing::model_of(
            fmt::format(R"({{"type": "conv2d", "filters": 1, "padding": {}}})", value));
        return std::get<Conv2dSpec>(spec.layers[0]);
    };
    EXPECT_TRUE(padding(R"("same")").same_padding);
    EXPECT_FALSE(padding(R"("valid")").same_padding);
    EXPECT_EQ(padding("2").pad_h, 2);
    EXPECT_EQ(padding("2").pad_w, 2);
    EXPECT_EQ(padding("[0, 1]").pad_h, 0);
    EXPECT_EQ(padding("[0, 1]").pad_w, 1);
}

TEST(ParseModel, DenseUnitsMayBeTheClassesOfTheDataSet) {
    EXPECT_EQ(std::get<DenseSpec>(testing::model_of("").layers[1]).units, std::nullopt);
}

TEST(ParseModel, ThePresetsAreTheFilesOfTheResources) {
    std::vector<std::string> names;
    for (const ModelSpec& preset : model_presets()) {
        names.push_back(preset.name);
    }
    EXPECT_THAT(names,
                ::testing::UnorderedElementsAre("simple-cnn", "keras-cnn", "bn-cnn", "vgg-small"));
    EXPECT_EQ(names.front(), "simple-cnn");
    for (const EmbeddedPreset& embedded : embedded_presets()) {
        EXPECT_EQ(parse_model(embedded.json, embedded.file).value().name + ".json", embedded.file);
    }
}

}  // namespace
}  // namespace trainscope
