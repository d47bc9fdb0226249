// SPDX-License-Identifier: GPL-3.0-or-later
// Every variant and whole trainings on an NVIDIA card, by the plug-in that the program loads.
// Where there is no card, the program says why and ends with `skipped`. TRAINSCOPE_TEST_DEVICE
// names another device, so that these tests are themselves tried where there is none.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/device_backend.h"
#include "engine/ops/device_plugin.h"
#include "engine/ops/kernel_variant.h"
#include "engine/ops/separate.h"
#include "engine/ops/step_graph.h"
#include "engine/tune/kernel_bench.h"
#include "tests/support/shared.h"
#include "tests/train/golden_runs.h"

namespace trainscope::testing {
namespace {

constexpr int skipped = 77;  // to CTest

DeviceInfo& card() {
    static DeviceInfo device;
    return device;
}

// Tails of warps, blocks and tiles, 3x3 as Winograd has it, strides, groups, and large ones.
const std::vector<std::pair<const char*, const char*>>& shapes() {
    static const std::vector<std::pair<const char*, const char*>> list{
        {"add", "elements=1"},
        {"add", "elements=100003"},
        {"batch_norm", "n=1,c=1,h=2,w=1"},
        {"batch_norm", "n=7,c=33,h=13"},
        {"batch_norm_relu", "n=1,c=1,h=2,w=1"},
        {"batch_norm_relu", "n=7,c=33,h=13"},
        {"conv2d", "n=1,c=1,h=1,k=1,r=1"},
        {"conv2d", "n=7,c=5,h=13,w=11,k=17,r=3,pad=1"},
        {"conv2d", "n=2,c=33,h=7,k=31,r=3,pad=1"},
        {"conv2d", "n=2,c=4,h=15,k=6,r=5,stride=2"},
        {"conv2d", "n=3,c=7,h=9,k=7,r=3,pad=1,groups=7"},
        {"conv2d", "n=4,c=64,h=14,k=64,r=3,pad=1"},
        {"conv2d", "n=3,c=32,h=8,k=64,r=1"},
        {"conv_relu_pool", "n=3,c=3,h=9,k=5"},
        {"conv_relu_pool", "n=8,c=1,h=28,k=16"},
        {"dense", "n=1,in=1,out=1"},
        {"dense", "n=5,in=67,out=33"},
        {"dense", "n=129,in=257,out=130"},
        {"dense", "n=128,in=256,out=128"},
        {"dense_relu", "n=5,in=67,out=33"},
        {"dense_relu", "n=128,in=256,out=128"},
        {"matrix_add", "m=9,n=11"},
        {"matrix_inverse", "n=33"},
        {"matrix_multiply", "m=67,n=35,k=129"},
        {"matrix_multiply", "m=128,n=256,k=64"},
        {"matrix_pseudo_inverse", "m=17,n=9"},
        {"max_pool2d", "n=3,c=5,h=9,kernel=3,stride=2,pad=1"},
        {"optimizer", "parameters=1001,kind=sgd"},
        {"optimizer", "parameters=1001,kind=momentum"},
        {"optimizer", "parameters=1001,kind=adam"},
        {"optimizer", "parameters=1001,kind=adamw"},
        {"relu", "elements=100003"},
        {"softmax_cross_entropy", "n=5,classes=7,labels=soft"},
        {"softmax_cross_entropy", "n=33,classes=1000,labels=hard"},
    };
    return list;
}

BenchReport bench(const std::string& op) {
    BenchOptions options;
    options.device = card();
    options.seconds = 0;
    options.least_runs = 1;
    options.most_runs = 1;
    options.ceilings = BenchCeilings{
        .bytes_per_second = 1, .flops_per_second = 1, .matrix_variant = "not measured"};
    for (const auto& [name, text] : shapes()) {
        if (name == op) {
            options.items.push_back({parse_bench_shape(op, text).value(), ""});
        }
    }
    EXPECT_FALSE(options.items.empty());
    return run_kernel_bench(options);
}

void expect_right(const BenchRow& row) {
    ASSERT_TRUE(row.error) << row.variant << " at " << row.shape;
    EXPECT_TRUE(row.error->within_bound())
        << row.variant << " " << row.pass << " at " << row.shape << ": " << row.error->tensor << " "
        << row.error->relative_l2 << " above " << row.error->bound;
}

// By the bench, which knows how a device's memory is filled and read: against the float64
// reference.
TEST(CardVariants, AreInsideTheirBoundsAtEveryShapeThatTheyDoNotRefuse) {
    for (const std::string_view op : bench_operator_names()) {
        SCOPED_TRACE(op);
        const BenchReport report = bench(std::string(op));
        EXPECT_FALSE(report.ended_by) << report.ended_by->message;
        std::set<std::string> solved;
        for (const BenchRow& row : report.rows) {
            if (row.refusal.empty() && row.trainable) {
                expect_right(row);
                solved.insert(row.variant);
            }
        }
        for (const VariantInfo& info : list_variants(card().kind)) {
            if (info.op == op && info.trainable && info.name != separate) {
                EXPECT_TRUE(solved.contains(info.name)) << info.name << " refuses every shape";
            }
        }
    }
}

TEST(CardTraining, GoldenRunsAreReproducedByEverySetOfVariants) {
    TRAINSCOPE_NEEDS_SHARED();
    ASSERT_GT(sets_of_variants(card().kind), 0U);
    for (std::size_t set = 0; set < sets_of_variants(card().kind); ++set) {
        expect_set_reproduces(set, card());
    }
}

}  // namespace
}  // namespace trainscope::testing

int main(int argc, char** argv) {
    using trainscope::testing::card;
    using trainscope::testing::skipped;
    ::testing::InitGoogleMock(&argc, argv);
    trainscope::load_device_plugin(trainscope::DeviceKind::cuda, TRAINSCOPE_CUDA_PLUGIN);
    const char* const wanted = std::getenv("TRAINSCOPE_TEST_DEVICE");
    const auto device = trainscope::find_device(wanted != nullptr ? wanted : "cuda");
    if (!device) {
        fmt::print("skipped: {}\n", device.error().message);
        return skipped;
    }
    card() = *device;
    fmt::print("on {}\n", device->description);
    return RUN_ALL_TESTS();
}
