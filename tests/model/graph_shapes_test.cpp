// SPDX-License-Identifier: GPL-3.0-or-later
// Shapes, parameters and multiply-accumulates of the presets, computed by hand.
//   conv2d: filters * channels * 9 weights (+ filters biases), and that many weights times H * W
//   MACs batch_norm: gamma and beta, 2 * channels;   dense: in * out weights + out biases, in * out
//   MACs
#include <gtest/gtest.h>

#include "tests/model/refusal.h"

namespace trainscope {
namespace {

struct Expected {
    std::string name;
    Shape output;
    std::int64_t parameters;
    std::int64_t macs;
};

void expect_graph(std::string_view model, const Shape& input, const std::vector<Expected>& nodes,
                  std::int64_t parameters, std::int64_t macs) {
    SCOPED_TRACE(fmt::format("{} on {}", model, input.to_string()));
    const Result<Graph> graph = build_graph(testing::preset(model), input, 10);
    ASSERT_TRUE(graph) << graph.error().message;
    ASSERT_EQ(graph->nodes.size(), nodes.size());
    Shape previous = input;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        SCOPED_TRACE(nodes[i].name);
        const Node& node = graph->nodes[i];
        EXPECT_EQ(node.name, nodes[i].name);
        EXPECT_EQ(node.input, previous);
        EXPECT_EQ(node.output, nodes[i].output);
        EXPECT_EQ(node.macs, nodes[i].macs);
        std::int64_t count = 0;
        for (const ParameterSpec& parameter : node.parameters) {
            count += parameter.trainable ? parameter.shape.elements() : 0;
        }
        EXPECT_EQ(count, nodes[i].parameters);
        previous = node.output;
    }
    EXPECT_EQ(graph->parameter_count(), parameters);
    EXPECT_EQ(graph->macs(), macs);
}

TEST(GraphShapes, SimpleCnn) {
    expect_graph("simple-cnn", {1, 28, 28},
                 {{"conv1", {16, 28, 28}, 160, 112'896},  // 16 * 1 * 9 + 16;  144 * 28 * 28
                  {"relu1", {16, 28, 28}, 0, 0},
                  {"pool1", {16, 14, 14}, 0, 0},
                  {"flatten1", {3136}, 0, 0},     // 16 * 14 * 14
                  {"fc1", {10}, 31'370, 31'360},  // 3136 * 10 + 10
                  {"loss", {10}, 0, 0}},
                 31'530, 144'256);  // 160 + 31,370;  112,896 + 31,360
    expect_graph("simple-cnn", {3, 32, 32},
                 {{"conv1", {16, 32, 32}, 448, 442'368},  // 16 * 3 * 9 + 16;  432 * 32 * 32
                  {"relu1", {16, 32, 32}, 0, 0},
                  {"pool1", {16, 16, 16}, 0, 0},
                  {"flatten1", {4096}, 0, 0},     // 16 * 16 * 16
                  {"fc1", {10}, 40'970, 40'960},  // 4096 * 10 + 10
                  {"loss", {10}, 0, 0}},
                 41'418, 483'328);
}

TEST(GraphShapes, KerasCnn) {
    expect_graph("keras-cnn", {1, 28, 28},
                 {{"conv1", {32, 26, 26}, 320, 194'688},  // 32 * 1 * 9 + 32;  288 * 26 * 26
                  {"relu1", {32, 26, 26}, 0, 0},
                  {"flatten1", {21'632}, 0, 0},  // 32 * 26 * 26
                  {"fc1", {10}, 216'330, 216'320},
                  {"loss", {10}, 0, 0}},
                 216'650, 411'008);
    expect_graph("keras-cnn", {3, 32, 32},
                 {{"conv1", {32, 30, 30}, 896, 777'600},  // 32 * 3 * 9 + 32;  864 * 30 * 30
                  {"relu1", {32, 30, 30}, 0, 0},
                  {"flatten1", {28'800}, 0, 0},  // 32 * 30 * 30
                  {"fc1", {10}, 288'010, 288'000},
                  {"loss", {10}, 0, 0}},
                 288'906, 1'065'600);
}

TEST(GraphShapes, BnCnn) {
    expect_graph("bn-cnn", {1, 28, 28},
                 {{"conv1", {16, 28, 28}, 144, 112'896},  // 16 * 1 * 9;  144 * 28 * 28
                  {"bn1", {16, 28, 28}, 32, 0},
                  {"relu1", {16, 28, 28}, 0, 0},
                  {"pool1", {16, 14, 14}, 0, 0},
                  {"conv2", {32, 14, 14}, 4608, 903'168},  // 32 * 16 * 9;  4608 * 14 * 14
                  {"bn2", {32, 14, 14}, 64, 0},
                  {"relu2", {32, 14, 14}, 0, 0},
                  {"pool2", {32, 7, 7}, 0, 0},
                  {"flatten1", {1568}, 0, 0},  // 32 * 7 * 7
                  {"fc1", {10}, 15'690, 15'680},
                  {"loss", {10}, 0, 0}},
                 20'538, 1'031'744);
    expect_graph("bn-cnn", {3, 32, 32},
                 {{"conv1", {16, 32, 32}, 432, 442'368},  // 16 * 3 * 9;  432 * 32 * 32
                  {"bn1", {16, 32, 32}, 32, 0},
                  {"relu1", {16, 32, 32}, 0, 0},
                  {"pool1", {16, 16, 16}, 0, 0},
                  {"conv2", {32, 16, 16}, 4608, 1'179'648},  // 4608 * 16 * 16
                  {"bn2", {32, 16, 16}, 64, 0},
                  {"relu2", {32, 16, 16}, 0, 0},
                  {"pool2", {32, 8, 8}, 0, 0},
                  {"flatten1", {2048}, 0, 0},  // 32 * 8 * 8
                  {"fc1", {10}, 20'490, 20'480},
                  {"loss", {10}, 0, 0}},
                 25'626, 1'642'496);
}

TEST(GraphShapes, VggSmallOnMnist) {
    expect_graph("vgg-small", {1, 28, 28},
                 {{"conv1", {32, 28, 28}, 288, 225'792},  // 32 * 1 * 9;  288 * 784
                  {"bn1", {32, 28, 28}, 64, 0},
                  {"relu1", {32, 28, 28}, 0, 0},
                  {"conv2", {32, 28, 28}, 9216, 7'225'344},  // 32 * 32 * 9;  9216 * 784
                  {"bn2", {32, 28, 28}, 64, 0},
                  {"relu2", {32, 28, 28}, 0, 0},
                  {"pool1", {32, 14, 14}, 0, 0},
                  {"conv3", {64, 14, 14}, 18'432, 3'612'672},  // 64 * 32 * 9;  18,432 * 196
                  {"bn3", {64, 14, 14}, 128, 0},
                  {"relu3", {64, 14, 14}, 0, 0},
                  {"conv4", {64, 14, 14}, 36'864, 7'225'344},  // 64 * 64 * 9;  36,864 * 196
                  {"bn4", {64, 14, 14}, 128, 0},
                  {"relu4", {64, 14, 14}, 0, 0},
                  {"pool2", {64, 7, 7}, 0, 0},
                  {"conv5", {128, 7, 7}, 73'728, 3'612'672},  // 128 * 64 * 9;  73,728 * 49
                  {"bn5", {128, 7, 7}, 256, 0},
                  {"relu5", {128, 7, 7}, 0, 0},
                  {"conv6", {128, 7, 7}, 147'456, 7'225'344},  // 128 * 128 * 9;  147,456 * 49
                  {"bn6", {128, 7, 7}, 256, 0},
                  {"relu6", {128, 7, 7}, 0, 0},
                  {"pool3", {128, 3, 3}, 0, 0},  // 7 / 2 rounded down
                  {"flatten1", {1152}, 0, 0},    // 128 * 3 * 3
                  {"fc1", {10}, 11'530, 11'520},
                  {"loss", {10}, 0, 0}},
                 298'410, 29'138'688);
}

TEST(GraphShapes, VggSmallOnCifar) {
    expect_graph("vgg-small", {3, 32, 32},
                 {{"conv1", {32, 32, 32}, 864, 884'736},  // 32 * 3 * 9;  864 * 1024
                  {"bn1", {32, 32, 32}, 64, 0},
                  {"relu1", {32, 32, 32}, 0, 0},
                  {"conv2", {32, 32, 32}, 9216, 9'437'184},  // 9216 * 1024
                  {"bn2", {32, 32, 32}, 64, 0},
                  {"relu2", {32, 32, 32}, 0, 0},
                  {"pool1", {32, 16, 16}, 0, 0},
                  {"conv3", {64, 16, 16}, 18'432, 4'718'592},  // 18,432 * 256
                  {"bn3", {64, 16, 16}, 128, 0},
                  {"relu3", {64, 16, 16}, 0, 0},
                  {"conv4", {64, 16, 16}, 36'864, 9'437'184},  // 36,864 * 256
                  {"bn4", {64, 16, 16}, 128, 0},
                  {"relu4", {64, 16, 16}, 0, 0},
                  {"pool2", {64, 8, 8}, 0, 0},
                  {"conv5", {128, 8, 8}, 73'728, 4'718'592},  // 73,728 * 64
                  {"bn5", {128, 8, 8}, 256, 0},
                  {"relu5", {128, 8, 8}, 0, 0},
                  {"conv6", {128, 8, 8}, 147'456, 9'437'184},  // 147,456 * 64
                  {"bn6", {128, 8, 8}, 256, 0},
                  {"relu6", {128, 8, 8}, 0, 0},
                  {"pool3", {128, 4, 4}, 0, 0},
                  {"flatten1", {2048}, 0, 0},  // 128 * 4 * 4
                  {"fc1", {10}, 20'490, 20'480},
                  {"loss", {10}, 0, 0}},
                 307'946, 38'653'952);
}

TEST(GraphShapes, StridePaddingAndGroupsOfAConvolution) {
    const Graph graph =
        build_graph(testing::model_of(R"({"type": "conv2d", "filters": 8, "kernel": [5, 3],
                                          "stride": [2, 3], "padding": [2, 0], "groups": 2})"),
                    {4, 11, 12}, 3)
            .value();
    const Node& conv = graph.nodes[0];
    EXPECT_EQ(conv.output, Shape({8, 6, 4}));  // (11 + 4 - 5) / 2 + 1;  (12 - 3) / 3 + 1
    ASSERT_EQ(conv.parameters.size(), 2u);
    EXPECT_EQ(conv.parameters[0].shape, Shape({8, 2, 5, 3}));  // 4 channels in 2 groups
    EXPECT_EQ(conv.parameters[0].fan_in, 30);                  // 2 * 5 * 3
    EXPECT_EQ(conv.parameters[0].fan_out, 60);                 // 8 / 2 * 5 * 3
    EXPECT_EQ(conv.macs, 5'760);                               // 8 * 6 * 4 * 30
}

TEST(GraphShapes, PaddingAndStrideOfAPool) {
    const Graph graph = build_graph(testing::model_of(R"({"type": "max_pool", "kernel": [3, 2],
                                                          "stride": [2, 1], "padding": [1, 0]})"),
                                    {2, 9, 5}, 3)
                            .value();
    EXPECT_EQ(graph.nodes[0].output, Shape({2, 5, 4}));  // (9 + 2 - 3) / 2 + 1;  5 - 2 + 1
}

TEST(GraphShapes, ParametersAreNamedAfterTheirNodes) {
    const Graph graph = build_graph(testing::preset("bn-cnn"), {1, 28, 28}, 10).value();
    std::vector<std::string> names;
    for (const Node& node : graph.nodes) {
        for (const ParameterSpec& parameter : node.parameters) {
            names.push_back(parameter.name + (parameter.trainable ? "" : " (not trained)"));
        }
    }
    EXPECT_THAT(names,
                ::testing::ElementsAre("conv1.weight", "bn1.gamma", "bn1.beta",
                                       "bn1.running_mean (not trained)",
                                       "bn1.running_var (not trained)", "conv2.weight", "bn2.gamma",
                                       "bn2.beta", "bn2.running_mean (not trained)",
                                       "bn2.running_var (not trained)", "fc1.weight", "fc1.bias"));
}

TEST(GraphShapes, ParametersStartAsTheirLayersSay) {
    const auto inits = [](const Node& node) {
        std::vector<ParameterInit> list;
        for (const ParameterSpec& parameter : node.parameters) {
            list.push_back(parameter.init);
        }
        return list;
    };
    using enum ParameterInit;
    const Graph graph = build_graph(testing::exact_model(
                                        R"({"type": "conv2d", "filters": 2}, {"type": "batch_norm"},
                           {"type": "conv2d", "filters": 2, "initializer": "glorot_uniform"},
                           {"type": "flatten"}, {"type": "dense", "units": 4},
                           {"type": "dense", "units": "classes", "initializer": "kaiming_normal"},
                           {"type": "softmax_cross_entropy"})"),
                                    {1, 8, 8}, 3)
                            .value();
    EXPECT_EQ(inits(graph.nodes[0]), (std::vector{kaiming_normal, zeros}));
    EXPECT_EQ(inits(graph.nodes[1]), (std::vector{ones, zeros, zeros, ones}));
    EXPECT_EQ(inits(graph.nodes[2]), (std::vector{glorot_uniform, zeros}));
    EXPECT_EQ(inits(graph.nodes[4]), (std::vector{glorot_uniform, zeros}));
    EXPECT_EQ(inits(graph.nodes[5]), (std::vector{kaiming_normal, zeros}));
    EXPECT_EQ(graph.nodes[5].parameters[0].fan_in, 4);
    EXPECT_EQ(graph.nodes[5].parameters[0].fan_out, 3);
}

TEST(GraphShapes, BatchNormMayFollowADenseLayer) {
    const Graph graph =
        build_graph(testing::exact_model(R"({"type": "flatten"}, {"type": "dense", "units": 5},
                                            {"type": "batch_norm"}, {"type": "relu"},
                                            {"type": "dense", "units": "classes"},
                                            {"type": "softmax_cross_entropy"})"),
                    {1, 2, 2}, 3)
            .value();
    EXPECT_EQ(graph.nodes[2].output, Shape({5}));
    EXPECT_EQ(graph.nodes[2].parameters[0].shape, Shape({5}));
}

}  // namespace
}  // namespace trainscope
