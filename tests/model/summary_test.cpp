// SPDX-License-Identifier: GPL-3.0-or-later
// The table of layers that people read.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/model/refusal.h"

namespace trainscope {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

Graph graph_of(std::string_view name, const Shape& input = {1, 28, 28}) {
    return build_graph(testing::preset(name), input, 10).value();
}

TEST(Summary, HasARowForEveryNode) {
    const Graph graph = graph_of("bn-cnn");
    const std::vector<SummaryRow> rows = summarize(graph);
    ASSERT_EQ(rows.size(), 11u);
    EXPECT_EQ(rows[0].layer, "conv1 (conv2d)");
    EXPECT_EQ(rows[0].output, "[N, 16, 28, 28]");
    EXPECT_EQ(rows[0].parameters, 144);
    EXPECT_EQ(rows[0].macs, 112'896);
    EXPECT_EQ(rows[1].parameters, 32) << "running statistics are not learnt";
    EXPECT_EQ(rows.back().layer, "loss (softmax_cross_entropy)");
}

TEST(Summary, IsThisTable) {
    EXPECT_EQ(summary_text(graph_of("simple-cnn")),
              "simple-cnn for [N, 1, 28, 28], 10 classes\n"
              "----------------------------------------------------------------------------\n"
              "layer                         output             parameters  MACs per sample\n"
              "----------------------------------------------------------------------------\n"
              "conv1 (conv2d)                [N, 16, 28, 28]           160          112,896\n"
              "relu1 (relu)                  [N, 16, 28, 28]             0                0\n"
              "pool1 (max_pool)              [N, 16, 14, 14]             0                0\n"
              "flatten1 (flatten)            [N, 3136]                   0                0\n"
              "fc1 (dense)                   [N, 10]                31,370           31,360\n"
              "loss (softmax_cross_entropy)  [N, 10]                     0                0\n"
              "----------------------------------------------------------------------------\n"
              "total                                                31,530          144,256\n"
              "parameters take 123.2 KiB in float32\n");
}

TEST(Summary, ColumnsAreAlignedForEveryPresetAndForHugeNumbers) {
    std::vector<Graph> graphs;
    for (const ModelSpec& preset : model_presets()) {
        graphs.push_back(build_graph(preset, {3, 32, 32}, 10).value());
    }
    // 1,073,741,824 weights and 1,048,576 x 16,384 positions' worth of work.
    graphs.push_back(
        build_graph(testing::model_of(
                        R"({"type": "conv2d", "filters": 1, "kernel": 1}, {"type": "max_pool",
                    "kernel": 1, "stride": 1024}, {"type": "flatten"},
                   {"type": "dense", "units": 1000000})"),
                    {100, 1 << 20, 1 << 10}, 10)
            .value());
    for (const Graph& graph : graphs) {
        const std::vector<std::string> lines = lines_of(summary_text(graph));
        ASSERT_EQ(lines.size(), graph.nodes.size() + 7) << graph.name;
        for (std::size_t i = 1; i + 1 < lines.size(); ++i) {
            EXPECT_EQ(lines[i].size(), lines[1].size()) << lines[i];
        }
        for (const SummaryRow& row : summarize(graph)) {
            EXPECT_THAT(lines, ::testing::Contains(
                                   ::testing::AllOf(HasSubstr(row.layer), HasSubstr(row.output))));
        }
    }
}

TEST(Summary, TotalsAreTheSumsOfTheRows) {
    for (const ModelSpec& preset : model_presets()) {
        const Graph graph = build_graph(preset, {3, 32, 32}, 10).value();
        std::int64_t parameters = 0;
        std::int64_t macs = 0;
        for (const SummaryRow& row : summarize(graph)) {
            parameters += row.parameters;
            macs += row.macs;
        }
        EXPECT_EQ(parameters, graph.parameter_count());
        EXPECT_EQ(macs, graph.macs());
    }
    EXPECT_THAT(summary_text(graph_of("bn-cnn")), HasSubstr("20,538"));
    EXPECT_THAT(summary_text(graph_of("bn-cnn")), HasSubstr("1,031,744"));
}

}  // namespace
}  // namespace trainscope
