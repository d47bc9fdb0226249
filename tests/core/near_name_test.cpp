// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/near_name.h"

#include <gmock/gmock.h>

#include <array>

namespace trainscope {
namespace {

constexpr std::array<std::string_view, 4> names = {"simple-cnn", "keras-cnn", "bn-cnn",
                                                   "vgg-small"};

TEST(NearName, FindsTheNameThatWasMeant) {
    EXPECT_EQ(nearest_name("simple-cn", names), "simple-cnn");
    EXPECT_EQ(nearest_name("Simple-CNN", names), "simple-cnn");
    EXPECT_EQ(nearest_name("vgg-samll", names), "vgg-small");
}

TEST(NearName, SaysNothingWhereNothingIsNear) {
    EXPECT_EQ(nearest_name("resnet-50", names), std::nullopt);
    EXPECT_EQ(nearest_name("", names), std::nullopt);
    EXPECT_EQ(nearest_name(std::string(100'000, 'a'), names), std::nullopt);
    EXPECT_EQ(near_name_hint("resnet-50", names), "");
}

TEST(NearName, IsAskedAsAQuestion) {
    EXPECT_EQ(near_name_hint("kears-cnn", names), "; did you mean 'keras-cnn'?");
}

TEST(NearName, IsFollowedByAllThatAreKnown) {
    EXPECT_EQ(known_names_hint("kears-cnn", names),
              "; did you mean 'keras-cnn'? (known: simple-cnn, keras-cnn, bn-cnn, vgg-small)");
    EXPECT_EQ(known_names_hint("resnet-50", names),
              " (known: simple-cnn, keras-cnn, bn-cnn, vgg-small)");
}

}  // namespace
}  // namespace trainscope
