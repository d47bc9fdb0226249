// SPDX-License-Identifier: GPL-3.0-or-later
// The bench on the CPU, whose variants are joined by some that are wrong on purpose.
#include "engine/tune/kernel_bench.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <set>
#include <sstream>

#include "engine/model/model_spec.h"
#include "engine/ops/error_bound.h"
#include "engine/ops/kernel_variant.h"
#include "engine/ops/operators.h"
#include "engine/tune/bench_csv.h"
#include "engine/tune/contender.h"

namespace trainscope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Adds what it was made with.
class WrongAdd final : public Add::Kernel {
  public:
    WrongAdd(std::int64_t elements, float mistake) : elements_(elements), mistake_(mistake) {}
    void add(const float* a, const float* b, float* sum) override {
        for (std::int64_t i = 0; i < elements_; ++i) {
            sum[i] = a[i] + b[i] + mistake_;
        }
    }

  private:
    std::int64_t elements_;
    float mistake_;
};

KernelVariant<Add> wrong_add(std::string name, float mistake,
                             Arithmetic arithmetic = Arithmetic::fp32) {
    return {.name = std::move(name),
            .description = "For tests.",
            .refuses = [](const Add::Shape& s) -> std::optional<std::string> {
                return s.elements % 2 == 1 ? std::optional<std::string>("it counts by twos")
                                           : std::nullopt;
            },
            .workspace_bytes = [](const Add::Shape&, const KernelContext&) { return 640; },
            .make =
                [mistake](const Add::Shape& s, const KernelContext&) {
                    return std::make_unique<WrongAdd>(s.elements, mistake);
                },
            .trainable = false,
            .why_untrainable = "It is wrong.",
            .arithmetic = arithmetic};
}

const Registered<Add> off{DeviceKind::cpu, wrong_add("a_bit_off", 1e-3F)};
const Registered<Add> nan_adder{DeviceKind::cpu,
                                wrong_add("nan", std::numeric_limits<float>::quiet_NaN())};
const Registered<Add> rounding{DeviceKind::cpu, wrong_add("rounding", 1e-3F, Arithmetic::tf32)};
const Registered<Add> right{DeviceKind::cpu, wrong_add("right", 0)};

// Small shapes of every operator.
std::vector<BenchItem> small_items() {
    std::vector<BenchItem> items;
    for (const auto& [op, text] : std::vector<std::pair<const char*, const char*>>{
             {"add", "elements=1000"},
             {"batch_norm", "n=3,c=5,h=7"},
             {"batch_norm_relu", "n=3,c=5,h=7"},
             {"conv2d", "n=2,c=4,h=9,w=8,k=6,r=3"},
             {"conv_relu_pool", "n=2,c=3,h=8,k=4"},
             {"dense", "n=5,in=17,out=9"},
             {"dense_relu", "n=5,in=17,out=9"},
             {"matrix_add", "m=9,n=11"},
             {"matrix_inverse", "n=33"},
             {"matrix_multiply", "m=7,n=9,k=33"},
             {"matrix_pseudo_inverse", "m=17,n=9"},
             {"max_pool2d", "n=2,c=3,h=9,kernel=3,stride=2,pad=1"},
             {"optimizer", "parameters=1001,kind=adamw"},
             {"relu", "elements=1001"},
             {"softmax_cross_entropy", "n=5,classes=7,labels=soft"}}) {
        items.push_back({parse_bench_shape(op, text).value(), ""});
    }
    return items;
}

BenchOptions quick(std::vector<BenchItem> items) {
    BenchOptions options;
    options.items = std::move(items);
    options.device = cpu_device();
    options.threads = 1;
    options.least_runs = 3;
    options.most_runs = 3;
    options.ceilings = BenchCeilings{
        .bytes_per_second = 1e10, .flops_per_second = 1e11, .matrix_variant = "naive"};
    return options;
}

BenchReport bench_of_all() {
    static const BenchReport report = [] {
        BenchOptions options = quick(small_items());
        options.ceilings.reset();  // to be measured
        return run_kernel_bench(options);
    }();
    return report;
}

TEST(KernelBench, EveryVariantHasARowForEachPassOrSaysWhyNot) {
    for (const VariantInfo& info : list_variants(DeviceKind::cpu)) {
        int rows = 0;
        for (const BenchRow& row : bench_of_all().rows) {
            if (row.op == info.op && row.variant == info.name) {
                ++rows;
                EXPECT_NE(row.pass.empty(), row.refusal.empty()) << info.op << " " << info.name;
            }
        }
        const bool one_pass = info.tool || info.op == "optimizer" ||
                              info.op == "softmax_cross_entropy" || info.name == "separate";
        EXPECT_EQ(rows, one_pass ? 1 : 2) << info.op << " " << info.name;
    }
}

TEST(KernelBench, ErrorsOfVariantsThatMayTrainAreInsideTheirBounds) {
    for (const BenchRow& row : bench_of_all().rows) {
        if (row.refusal.empty() && row.trainable) {
            ASSERT_TRUE(row.error) << row.op << " " << row.variant;
            EXPECT_TRUE(row.error->within_bound())
                << row.op << " " << row.variant << " " << row.pass << ": " << row.error->tensor
                << " " << row.error->relative_l2 << " above " << row.error->bound;
            EXPECT_EQ(row.error->shape, row.shape);
        }
    }
}

BenchRow add_row(const std::string& variant) {
    for (const BenchRow& row : bench_of_all().rows) {
        if (row.op == "add" && row.variant == variant) {
            return row;
        }
    }
    throw std::out_of_range(variant);
}

TEST(KernelBench, AWrongVariantIsShownWithItsErrorAboveTheBound) {
    // 1e-3 beside sums of two normal numbers, whose deviation is the root of 2.
    EXPECT_NEAR(add_row("a_bit_off").error->relative_l2, 1e-3 / std::sqrt(2.0), 1e-4);
    EXPECT_FALSE(add_row("a_bit_off").error->within_bound());
    EXPECT_FALSE(add_row("a_bit_off").trainable);
    EXPECT_TRUE(std::isnan(add_row("nan").error->relative_l2));
    EXPECT_FALSE(add_row("nan").error->within_bound());
    EXPECT_TRUE(add_row("right").error->within_bound());
    EXPECT_EQ(add_row("right").workspace_bytes, 640);
}

TEST(KernelBench, AVariantIsHeldToWhatItMultipliesWith) {
    EXPECT_EQ(add_row("a_bit_off").error->bound, error_bound(Arithmetic::fp32, 1));
    EXPECT_EQ(add_row("rounding").error->bound, error_bound(Arithmetic::tf32, 1));
    EXPECT_TRUE(add_row("rounding").error->within_bound());
}

TEST(KernelBench, WhatIsOnlyChosenIsHeldToEveryBit) {
    for (const BenchRow& row : bench_of_all().rows) {
        if (row.op == "relu" && row.refusal.empty()) {
            EXPECT_EQ(row.error->bound, 0) << row.variant;
            EXPECT_EQ(row.error->relative_l2, 0) << row.variant;
        }
    }
}

TEST(KernelBench, ARefusalIsGivenWithItsReason) {
    BenchOptions options = quick({{parse_bench_shape("add", "elements=7").value(), ""}});
    options.variants = {"right"};
    const BenchReport report = run_kernel_bench(options);
    ASSERT_EQ(report.rows.size(), 1u);
    EXPECT_EQ(report.rows[0].refusal, "it counts by twos");
    EXPECT_FALSE(report.rows[0].times);
}

TEST(KernelBench, CompulsoryBytesAndFlopsAreThoseOfTheDefinition) {
    EXPECT_EQ(add_row("right").bytes, 3 * 4 * 1000);
    EXPECT_EQ(add_row("right").flops, 1000);
    for (const BenchRow& row : bench_of_all().rows) {
        if (row.op == "dense" && row.pass == "forward") {
            EXPECT_EQ(row.flops, 2 * 5 * 17 * 9);
            EXPECT_EQ(row.bytes, 4 * (5 * 17 + 17 * 9 + 9 + 5 * 9));
        }
        if (row.op == "dense" && row.pass == "backward") {
            EXPECT_EQ(row.flops, 4 * 5 * 17 * 9);
            EXPECT_EQ(row.bytes, 4 * (5 * 17 + 17 * 9 + 5 * 9 + 5 * 17 + 17 * 9 + 9));
        }
    }
}

TEST(KernelBench, TimesAreThreeRunsInOrder) {
    for (const BenchRow& row : bench_of_all().rows) {
        if (row.refusal.empty()) {
            ASSERT_TRUE(row.times) << row.op;
            EXPECT_EQ(row.times->runs, 3);
            EXPECT_GT(row.times->lower_quartile, 0);
            EXPECT_LE(row.times->lower_quartile, row.times->median);
            EXPECT_LE(row.times->median, row.times->upper_quartile);
        }
    }
}

TEST(KernelBench, NoMatrixProductIsAboveTheMatrixCeiling) {
    const BenchReport report = bench_of_all();
    ASSERT_TRUE(report.ceilings);
    EXPECT_GT(report.ceilings->bytes_per_second, 1e8);
    EXPECT_GT(report.ceilings->flops_per_second, 1e8);
    for (const BenchRow& row : report.rows) {
        if (row.op == "dense" || row.op == "matrix_multiply") {
            EXPECT_LE(report.share_of_matrix(row), 1);
        }
    }
}

TEST(KernelBench, FlopsOfMatrixToolsAreThoseOfTheBooks) {
    std::set<std::string> seen;
    for (const BenchRow& row : bench_of_all().rows) {
        if (row.op == "matrix_multiply") {
            EXPECT_EQ(row.flops, 2 * 7 * 9 * 33);
            EXPECT_EQ(row.bytes, 4 * (7 * 33 + 33 * 9 + 7 * 9));
        } else if (row.op == "matrix_inverse") {
            EXPECT_EQ(row.flops, 2.0 * 33 * 33 * 33);
            EXPECT_EQ(row.bytes, 4 * (2 * 33 * 33 + 1));
        } else if (row.op == "matrix_pseudo_inverse") {
            EXPECT_EQ(row.flops, (14 * 17 + 8 * 9) * 9 * 9 + 2 * 17 * 9 * 9);
        } else {
            continue;
        }
        seen.insert(row.op);
    }
    EXPECT_EQ(seen.size(), 3u);
}

TEST(KernelBench, AMatrixWithoutInverseIsAnAnswerAndItsPseudoInverseIsThere) {
    const BenchReport report = run_kernel_bench(quick(
        {{parse_bench_shape("matrix_inverse", "n=20,rank=deficient").value(), ""},
         {parse_bench_shape("matrix_pseudo_inverse", "m=20,n=20,rank=deficient").value(), ""}}));
    EXPECT_FALSE(report.ended_by);
    ASSERT_FALSE(report.rows.empty());
    for (const BenchRow& row : report.rows) {
        if (row.op == "matrix_inverse") {
            EXPECT_THAT(row.refusal,
                        AllOf(HasSubstr("the matrix is singular"), HasSubstr("pivot 20 ")));
            EXPECT_FALSE(row.times);
        } else {
            EXPECT_TRUE(row.error && row.error->within_bound());
            EXPECT_TRUE(row.times);
        }
    }
}

TEST(KernelBench, OfALargeMatrixTheErrorIsThatOfASmallerOne) {
    const auto large =
        make_bench_case(parse_bench_shape("matrix_inverse", "n=2000").value(), 1).value();
    // 2 n^3 flops, of which the reference does 2e9 in comfort.
    EXPECT_NEAR(static_cast<double>(case_for_errors(*large, 1)->shape()["n"]), 1000, 1);
}

TEST(KernelBench, CeilingsWhoseMeasurementWasCutShortAreNone) {
    std::stop_source stop;
    BenchOptions options = quick(small_items());
    options.ceilings.reset();
    options.stop = stop.get_token();
    options.progress = [&](const BenchProgress& /*progress*/) { stop.request_stop(); };
    const BenchReport report = run_kernel_bench(options);
    EXPECT_FALSE(report.ceilings);
    EXPECT_TRUE(report.rows.empty());
    ASSERT_TRUE(report.ended_by);
    EXPECT_EQ(report.ended_by->code, ErrorCode::cancelled);
}

TEST(KernelBench, TheSameSeedGivesTheSameErrors) {
    BenchOptions options = quick({{parse_bench_shape("dense", "n=5,in=17,out=9").value(), ""}});
    options.variants = {"naive"};
    const auto error = [&](std::uint64_t seed) {
        options.seed = seed;
        return run_kernel_bench(options).rows.at(0).error->relative_l2;
    };
    EXPECT_EQ(error(3), error(3));
    EXPECT_NE(error(3), error(4));
}

TEST(KernelBench, OfLargeShapesTheErrorIsMeasuredAtASmallerBatch) {
    BenchOptions options =
        quick({{parse_bench_shape("dense", "n=4096,in=512,out=512").value(), ""}});
    options.variants = {"onednn"};
    options.least_runs = options.most_runs = 1;
    for (const BenchRow& row : run_kernel_bench(options).rows) {
        EXPECT_EQ(row.shape, "n=4096,in=512,out=512");
        EXPECT_THAT(row.error->shape, AllOf(HasSubstr(",in=512,out=512"), Not(HasSubstr("4096"))));
        EXPECT_TRUE(row.error->within_bound());
    }
}

TEST(KernelBench, StopsWhenAskedAndKeepsWhatItHas) {
    std::stop_source stop;
    BenchOptions options = quick(small_items());
    options.stop = stop.get_token();
    options.progress = [&](const BenchProgress& progress) {
        if (progress.doing.starts_with("batch_norm")) {
            stop.request_stop();
        }
    };
    const BenchReport report = run_kernel_bench(options);
    ASSERT_TRUE(report.ended_by);
    EXPECT_EQ(report.ended_by->code, ErrorCode::cancelled);
    EXPECT_EQ(report.rows.size(), variants_of<Add>(DeviceKind::cpu).size());
    for (const BenchRow& row : report.rows) {
        EXPECT_EQ(row.op, "add");
        EXPECT_TRUE(row.times && row.error);
    }
}

TEST(KernelBench, ProgressGrowsToTheEnd) {
    double last = 0;
    BenchOptions options = quick(small_items());
    options.progress = [&](const BenchProgress& progress) {
        EXPECT_GE(progress.share, last) << progress.doing;
        EXPECT_LE(progress.share, 1);
        last = progress.share;
    };
    run_kernel_bench(options);
    EXPECT_GT(last, 0.9);
}

TEST(KernelBench, AnUnknownVariantIsNamedWithTheNearestOnes) {
    BenchOptions options = quick({{usual_bench_shape("conv2d").value(), ""}});
    options.variants = {"direct", "ondnn"};
    const Result<void> known = check_bench_variants(options);
    ASSERT_FALSE(known);
    EXPECT_THAT(known.error().message,
                AllOf(HasSubstr("'ondnn' of conv2d on cpu"), HasSubstr("did you mean 'onednn'")));
    options.variants = {"direct"};
    EXPECT_TRUE(check_bench_variants(options));
}

TEST(KernelBench, AModelGivesEachShapeOfItsLayersOnce) {
    const ModelSpec model = find_model("vgg-small").value();
    const Graph graph = build_graph(model, Shape{3, 32, 32}, 10).value();
    const std::vector<BenchItem> items = bench_items(graph, 16, OptimizerKind::adam);
    std::set<std::string> seen;
    std::string layers;
    for (const BenchItem& item : items) {
        EXPECT_TRUE(seen.insert(item.shape.op + item.shape.to_string()).second);
        EXPECT_TRUE(check_bench_shape(item.shape)) << item.shape.to_string();
        layers += item.layer + ", ";
    }
    for (const Node& node : graph.nodes) {
        if (node.type != "flatten") {
            EXPECT_THAT(layers, HasSubstr(node.name));
        }
    }
    EXPECT_EQ(items.back().shape.to_string(),
              "parameters=" + std::to_string(graph.parameter_count()) + ",kind=adam");
}

TEST(BenchCsv, HasAFieldForEveryColumnInEveryLine) {
    std::istringstream lines(bench_csv(bench_of_all()));
    std::string line;
    std::getline(lines, line);
    EXPECT_THAT(line, HasSubstr("variant,trainable,refusal,median_seconds,lower_quartile_seconds"));
    const auto columns = std::count(line.begin(), line.end(), ',');
    std::size_t count = 0;
    while (std::getline(lines, line)) {
        ++count;
        bool quoted = false;
        std::ptrdiff_t commas = 0;
        for (const char c : line) {
            quoted = quoted != (c == '"');
            commas += c == ',' && !quoted ? 1 : 0;
        }
        EXPECT_EQ(commas, columns) << line;
    }
    EXPECT_EQ(count, bench_of_all().rows.size());
}

}  // namespace
}  // namespace trainscope
