// SPDX-License-Identifier: GPL-3.0-or-later
// What resizing keeps: size alone, constants, order, mean; and that nothing aliases.
#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "engine/core/random.h"
#include "engine/data/image.h"

namespace trainscope {
namespace {

Image picture(std::int64_t height, std::int64_t width, std::int64_t channels) {
    return {
        .channels = channels,
        .height = height,
        .width = width,
        .pixels = std::vector<std::uint8_t>(static_cast<std::size_t>(height * width * channels))};
}
Image noise(std::int64_t height, std::int64_t width, std::int64_t channels) {
    Image image = picture(height, width, channels);
    Random random(5);
    for (std::uint8_t& pixel : image.pixels) {
        pixel = static_cast<std::uint8_t>(random.below(256));
    }
    return image;
}
double mean(const Image& image) {
    return std::accumulate(image.pixels.begin(), image.pixels.end(), 0.0) /
           static_cast<double>(image.pixels.size());
}

TEST(Resized, ToItsOwnSizeIsThePictureItself) {
    const Image image = noise(7, 5, 3);
    EXPECT_EQ(resized(image, 7, 5).pixels, image.pixels);
}

TEST(Resized, OneColourStaysOneColour) {
    for (const auto& [height, width] :
         {std::pair{1, 1}, {1, 9}, {3, 2}, {10, 7}, {28, 28}, {64, 1}, {101, 53}}) {
        Image image = picture(10, 7, 3);
        for (std::size_t i = 0; i < image.pixels.size(); ++i) {
            image.pixels[i] = static_cast<std::uint8_t>(i % 3 == 0 ? 255 : i % 3 == 1 ? 0 : 131);
        }
        const Image other = resized(image, height, width);
        EXPECT_EQ(other.height, height);
        EXPECT_EQ(other.width, width);
        ASSERT_EQ(other.pixels.size(), static_cast<std::size_t>(3 * height * width));
        for (std::size_t i = 0; i < other.pixels.size(); ++i) {
            ASSERT_EQ(other.pixels[i], i % 3 == 0   ? 255
                                       : i % 3 == 1 ? 0
                                                    : 131)
                << height << "x" << width;
        }
    }
}

// Taking every eighth pixel would give black or white.
TEST(Resized, FineCheckerboardBecomesGreyWhenItShrinks) {
    Image board = picture(64, 64, 1);
    for (std::size_t i = 0; i < board.pixels.size(); ++i) {
        board.pixels[i] = (i % 64 + i / 64) % 2 == 0 ? 255 : 0;
    }
    for (const std::int64_t side : {8, 16, 13, 31}) {
        for (const std::uint8_t pixel : resized(board, side, side).pixels) {
            ASSERT_NEAR(pixel, 127.5, 14) << side;
        }
    }
}

TEST(Resized, ShrunkNoiseKeepsItsMeanAndLosesItsSpread) {
    const Image image = noise(96, 96, 1);
    const Image small = resized(image, 12, 12);
    EXPECT_NEAR(mean(small), mean(image), 2.0);
    const auto [low, high] = std::minmax_element(small.pixels.begin(), small.pixels.end());
    EXPECT_GT(*low, 80);
    EXPECT_LT(*high, 175);
}

TEST(Resized, EnlargedRampStaysARamp) {
    Image ramp = picture(1, 8, 1);
    for (std::size_t x = 0; x < 8; ++x) {
        ramp.pixels[x] = static_cast<std::uint8_t>(10 + 30 * x);
    }
    const Image large = resized(ramp, 3, 50);
    for (std::size_t y = 0; y < 3; ++y) {
        for (std::size_t x = 0; x < 50; ++x) {
            const std::uint8_t pixel = large.pixels[50 * y + x];
            EXPECT_GE(pixel, x == 0 ? 10 : large.pixels[50 * y + x - 1]);
            EXPECT_EQ(pixel, large.pixels[x]);
        }
    }
    EXPECT_EQ(large.pixels[0], 10);
    EXPECT_EQ(large.pixels[49], 220);
}

// Pixel centres: of two pixels 0 and 100, four are 0, 25, 75, 100.
TEST(Resized, EnlargingInterpolatesBetweenPixelCentres) {
    Image two = picture(2, 1, 1);
    two.pixels = {0, 100};
    EXPECT_THAT(resized(two, 4, 1).pixels, ::testing::ElementsAre(0, 25, 75, 100));
}

TEST(Resized, IsTheSameForAPictureAndItsMirrorImage) {
    const Image image = noise(9, 20, 1);
    Image mirrored = image;
    for (std::size_t y = 0; y < 9; ++y) {
        std::reverse(mirrored.pixels.begin() + static_cast<std::ptrdiff_t>(20 * y),
                     mirrored.pixels.begin() + static_cast<std::ptrdiff_t>(20 * y + 20));
    }
    const Image one = resized(image, 5, 7);
    const Image other = resized(mirrored, 5, 7);
    for (std::size_t y = 0; y < 5; ++y) {
        for (std::size_t x = 0; x < 7; ++x) {
            EXPECT_NEAR(one.pixels[7 * y + x], other.pixels[7 * y + 6 - x], 1);
        }
    }
}

TEST(Resized, ChannelsDoNotMix) {
    const Image colour = noise(11, 6, 3);
    const Image small = resized(colour, 4, 9);
    for (std::size_t c = 0; c < 3; ++c) {
        Image grey = picture(11, 6, 1);
        for (std::size_t i = 0; i < grey.pixels.size(); ++i) {
            grey.pixels[i] = colour.pixels[3 * i + c];
        }
        const Image alone = resized(grey, 4, 9);
        for (std::size_t i = 0; i < alone.pixels.size(); ++i) {
            EXPECT_EQ(small.pixels[3 * i + c], alone.pixels[i]);
        }
    }
}

}  // namespace
}  // namespace trainscope
