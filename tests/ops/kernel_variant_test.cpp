// SPDX-License-Identifier: GPL-3.0-or-later
// How a variant is chosen, on an operator made for this test: a shape is one number.
#include "engine/ops/kernel_variant.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace trainscope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr DeviceKind cpu = DeviceKind::cpu;

// An operator of its own type has a table of its own, which no other test sees.
template <int table>
struct Counting {
    static constexpr std::string_view name = "counting";
    struct Shape {
        int size = 1;
    };
    class Kernel {};
};
using Usual = Counting<0>;
using Reversed = Counting<1>;  // the same, registered in the other order
using Empty = Counting<2>;

template <class Op>
KernelVariant<Op> variant(const std::string& name, int preference, int largest,
                          bool trainable = true) {
    return {.name = name,
            .description = "Counts.",
            .preference = preference,
            .refuses = [=](const typename Op::Shape& shape) -> std::optional<std::string> {
                if (shape.size > largest) {
                    return fmt::format("it counts to {} only", largest);
                }
                return std::nullopt;
            },
            .workspace_bytes = [](const typename Op::Shape&,
                                  const KernelContext&) { return std::int64_t{0}; },
            .make = [](const typename Op::Shape&,
                       const KernelContext&) { return std::make_unique<typename Op::Kernel>(); },
            .trainable = trainable,
            .why_untrainable = trainable ? "" : "It cannot count."};
}

template <class Op>
std::vector<KernelVariant<Op>> variants() {
    return {variant<Op>("plain", 0, 1000), variant<Op>("quick", 10, 100),
            variant<Op>("quickest", 20, 10), variant<Op>("faulty", 99, 1000, false)};
}

const bool filled = [] {
    detail::variant_table<Usual>(cpu) = variants<Usual>();
    std::vector<KernelVariant<Reversed>> backwards = variants<Reversed>();
    std::reverse(backwards.begin(), backwards.end());
    detail::variant_table<Reversed>(cpu) = backwards;
    return true;
}();

template <class Op>
std::string chosen(std::string_view name, int size) {
    const auto variant = choose_variant<Op>(cpu, name, {size});
    return variant ? (*variant)->name : "refused: " + variant.error().message;
}

Error refused(std::string_view name, int size) {
    const auto variant = choose_variant<Usual>(cpu, name, {size});
    if (variant) {
        ADD_FAILURE() << "expected an error, but got " << (*variant)->name;
        return {};
    }
    return variant.error();
}

TEST(ChooseVariant, APreferenceMayDependOnTheShape) {
    using OfShape = Counting<3>;
    auto large = variant<OfShape>("large", 0, 1000);
    large.preference_for_shape = [](const OfShape::Shape& shape) { return shape.size / 10; };
    detail::variant_table<OfShape>(cpu) = {variant<OfShape>("plain", 5, 1000), large};
    EXPECT_EQ(chosen<OfShape>("auto", 10), "plain");
    EXPECT_EQ(chosen<OfShape>("auto", 100), "large");
}

TEST(ChooseVariant, AutoTakesTheHighestPreferenceThatSupportsTheShape) {
    EXPECT_EQ(chosen<Usual>("auto", 10), "quickest");
    EXPECT_EQ(chosen<Usual>("auto", 11), "quick");
    EXPECT_EQ(chosen<Usual>("auto", 100), "quick");
    EXPECT_EQ(chosen<Usual>("auto", 101), "plain");
}

TEST(ChooseVariant, AutoDoesNotDependOnTheOrderOfRegistration) {
    for (const int size : {1, 10, 11, 100, 101, 1000}) {
        EXPECT_EQ(chosen<Reversed>("auto", size), chosen<Usual>("auto", size)) << size;
    }
}

TEST(ChooseVariant, AutoNeverTakesATeachingVariant) {
    // It has the highest preference of all and supports every one of these.
    for (const int size : {1, 50, 1000}) {
        EXPECT_NE(chosen<Usual>("auto", size), "faulty") << size;
    }
}

TEST(ChooseVariant, AutoNeverTakesAVariantThatMultipliesInLessThanFloat32) {
    using Rounding = Counting<4>;
    auto rounding = variant<Rounding>("rounding", 99, 1000);
    rounding.arithmetic = Arithmetic::bf16;
    detail::variant_table<Rounding>(cpu) = {rounding, variant<Rounding>("plain", 0, 1000)};
    EXPECT_EQ(chosen<Rounding>("auto", 1), "plain");
    EXPECT_EQ(chosen<Rounding>("rounding", 1), "rounding");
}

TEST(ChooseVariant, ANameTakesThatVariantThoughAnotherIsPreferred) {
    EXPECT_EQ(chosen<Usual>("plain", 1), "plain");
    EXPECT_EQ(chosen<Usual>("quick", 1), "quick");
}

TEST(ChooseVariant, ANameThatCannotDoTheShapeSaysWhy) {
    const Error error = refused("quickest", 11);
    EXPECT_EQ(error.code, ErrorCode::unsupported);
    EXPECT_EQ(error.message,
              "The counting variant quickest cannot be used here: it counts to 10 only. These can: "
              "plain, quick.");
}

TEST(ChooseVariant, ATeachingVariantIsRefusedByNameAndSaysWhy) {
    const Error error = refused("faulty", 1);
    EXPECT_EQ(error.code, ErrorCode::unsupported);
    EXPECT_EQ(
        error.message,
        "The counting variant faulty is for teaching only and cannot train. It cannot count.");
}

TEST(ChooseVariant, AnUnknownNameIsNotFoundWithTheNearestAndAllThereAre) {
    const Error error = refused("quik", 1);
    EXPECT_EQ(error.code, ErrorCode::not_found);
    EXPECT_EQ(error.message,
              "counting has no variant 'quik' on cpu; did you mean 'quick'? (known: auto, plain, "
              "quick, quickest, faulty).");
    EXPECT_THAT(refused("something else", 1).message,
                AllOf(HasSubstr("'something else'"), Not(HasSubstr("did you mean"))));
    EXPECT_EQ(refused("", 1).code, ErrorCode::not_found);
}

TEST(ChooseVariant, AutoSaysWhyEachVariantCannotWhereNoneCan) {
    const Error error = refused("auto", 1001);
    EXPECT_EQ(error.code, ErrorCode::unsupported);
    EXPECT_THAT(error.message,
                AllOf(HasSubstr("counting"), HasSubstr("plain: it counts to 1000 only"),
                      HasSubstr("quickest: it counts to 10 only"), Not(HasSubstr("faulty"))));
    const auto none = choose_variant<Empty>(cpu, "auto", {1});
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, ErrorCode::unsupported);
}

TEST(ListVariants, IsSortedByOperatorAndNameAndHasEachOnce) {
    const std::vector<VariantInfo> list = list_variants(cpu);
    ASSERT_FALSE(list.empty());
    for (std::size_t i = 1; i < list.size(); ++i) {
        EXPECT_LT(std::pair(list[i - 1].op, list[i - 1].name), std::pair(list[i].op, list[i].name));
    }
}

TEST(ListVariants, EveryVariantIsDescribedInASentence) {
    for (const VariantInfo& info : list_variants(cpu)) {
        EXPECT_TRUE(info.description.ends_with('.')) << info.op << " " << info.name;
        EXPECT_NE(info.name, "auto") << info.op;
    }
}

TEST(ListVariants, EveryOperatorHasAVariantToTrainWith) {
    std::vector<std::string> trained;
    std::vector<std::string> all;
    for (const VariantInfo& info : list_variants(cpu)) {
        all.push_back(info.op);
        if (info.trainable) {
            trained.push_back(info.op);
        }
    }
    for (const std::string& op : all) {
        EXPECT_THAT(trained, ::testing::Contains(op));
    }
    for (const std::string op :
         {"batch_norm", "batch_norm_relu", "conv2d", "conv_relu_pool", "dense", "dense_relu",
          "max_pool2d", "optimizer", "relu", "softmax_cross_entropy"}) {
        EXPECT_THAT(all, ::testing::Contains(op));
    }
}

}  // namespace
}  // namespace trainscope
