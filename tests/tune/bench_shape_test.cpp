// SPDX-License-Identifier: GPL-3.0-or-later
// Shapes as they are typed.
#include "engine/tune/bench_shape.h"

#include <gmock/gmock.h>

#include "engine/ops/kernel_variant.h"
#include "engine/ops/operators.h"

namespace trainscope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string refusal(std::string_view op, std::string_view text) {
    const Result<BenchShape> shape = parse_bench_shape(op, text);
    if (!shape) {
        return shape.error().message;
    }
    const Result<void> checked = check_bench_shape(*shape);
    return checked ? "accepted: " + shape->to_string() : checked.error().message;
}

TEST(BenchShape, EveryOperatorHasOne) {
    for (const DeviceKind device : all_device_kinds) {
        for (const VariantInfo& info : list_variants(device)) {
            EXPECT_TRUE(usual_bench_shape(info.op)) << info.op;
        }
    }
    EXPECT_EQ(bench_operator_names().size(), std::tuple_size_v<OfAllOperators<std::tuple>>);
}

TEST(BenchShape, IsReadBackFromItsText) {
    for (const std::string_view op : bench_operator_names()) {
        const BenchShape usual = usual_bench_shape(op).value();
        EXPECT_EQ(parse_bench_shape(op, usual.to_string()).value(), usual);
    }
    const char* const odd =
        "n=3,c=4,h=9,w=7,k=6,r=3,s=1,stride=2,stride_w=1,pad=1,pad_w=0,groups=2,bias=0";
    EXPECT_EQ(parse_bench_shape("conv2d", odd)->to_string(), odd);
    EXPECT_EQ(parse_bench_shape("optimizer", "kind=adamw, parameters=10")->to_string(),
              "parameters=10,kind=adamw");
}

TEST(BenchShape, WhatIsNotNamedFollowsFromWhatIs) {
    const BenchShape shape = parse_bench_shape("conv2d", "h=17,r=5,stride=2").value();
    EXPECT_EQ(shape["w"], 17);
    EXPECT_EQ(shape["s"], 5);
    EXPECT_EQ(shape["pad"], 2);
    EXPECT_EQ(shape["stride_w"], 2);
    EXPECT_EQ(parse_bench_shape("max_pool2d", "kernel=3").value()["stride"], 3);
}

TEST(BenchShape, SaysWhatItCannotRead) {
    EXPECT_THAT(refusal("conv2d", "n=32,chanels=3"), HasSubstr("conv2d has no field 'chanels'"));
    EXPECT_THAT(refusal("conv2d", "strid=2"), HasSubstr("did you mean 'stride'"));
    EXPECT_THAT(refusal("conv2d", "n=0"),
                AllOf(HasSubstr("n: expected a whole number from 1"), HasSubstr("found '0'")));
    EXPECT_THAT(refusal("conv2d", "n=2x"), HasSubstr("found '2x'"));
    EXPECT_THAT(refusal("conv2d", "n=2,n=3"), HasSubstr("n is given twice"));
    EXPECT_THAT(refusal("conv2d", "32x16x28x28"),
                AllOf(HasSubstr("name=value"), HasSubstr("n=32,c=16,h=28")));
    EXPECT_THAT(refusal("optimizer", "kind=adamx"), HasSubstr("sgd, momentum, adam, adamw"));
    EXPECT_THAT(refusal("conv3d", ""), HasSubstr("did you mean 'conv2d'"));
}

TEST(BenchShape, SaysWhichFieldsDoNotFitOneAnother) {
    EXPECT_THAT(refusal("conv2d", "h=2,pad=0"), HasSubstr("r=3 is larger than its input of 2"));
    EXPECT_THAT(refusal("conv2d", "c=6,k=8,groups=4"), HasSubstr("groups=4 does not divide"));
    EXPECT_THAT(refusal("batch_norm", "n=1,h=1"), HasSubstr("more than one value a channel"));
    EXPECT_THAT(refusal("max_pool2d", "kernel=2,pad=2"), HasSubstr("less than the kernel"));
    EXPECT_THAT(refusal("max_pool2d", "kernel=17"), HasSubstr("at most 255"));
    EXPECT_THAT(refusal("conv_relu_pool", "h=4,pad=0,pool=3"), HasSubstr("pool=3 is larger"));
    EXPECT_THAT(refusal("dense", "n=1000000,in=1000000"), HasSubstr("make the shape smaller"));
}

}  // namespace
}  // namespace trainscope
