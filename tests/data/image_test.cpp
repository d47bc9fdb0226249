// SPDX-License-Identifier: GPL-3.0-or-later
// Decoding pictures of every kind to grey or RGB bytes, and refusing what is none.
#include "engine/data/image.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/data/pictures.h"

namespace trainscope {
namespace {

using testing::Bytes;
using testing::cut;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::plain_png;
using testing::png;
using testing::write_file;

class Picture : public ::testing::Test {
  protected:
    Image read(const Bytes& bytes, std::int64_t channels) {
        write_file(file_, bytes);
        const Result<Image> image = read_image(file_, channels);
        EXPECT_TRUE(image.has_value()) << image.error().message;
        return image ? *image : Image{};
    }
    void expect_refused(const Bytes& bytes, ErrorCode code, const std::vector<std::string>& says) {
        write_file(file_, bytes);
        for (const std::int64_t channels : {1, 3}) {
            const Result<Image> image = read_image(file_, channels);
            ASSERT_FALSE(image.has_value());
            EXPECT_EQ(image.error().code, code);
            EXPECT_THAT(image.error().message, ::testing::HasSubstr("picture.bin: "));
            for (const std::string& part : says) {
                EXPECT_THAT(image.error().message, ::testing::HasSubstr(part));
            }
        }
    }
    testing::TemporaryFolder folder_;
    std::filesystem::path file_ = folder_.path() / "picture.bin";
};
using PngPicture = Picture;
using JpegPicture = Picture;

TEST_F(PngPicture, OfRgbIsReadAsItIs) {
    const Image image =
        read(png({.width = 2, .height = 1, .color = 2, .palette = {}, .pixel_bytes = 3},
                 {10, 20, 30, 40, 50, 60}),
             3);
    EXPECT_EQ(image.width, 2);
    EXPECT_EQ(image.height, 1);
    EXPECT_THAT(image.pixels, ElementsAre(10, 20, 30, 40, 50, 60));
}

TEST_F(PngPicture, OfGreyIsReadAsItIsAndAsThreeEqualChannels) {
    const Bytes file = png({.width = 3, .height = 1, .palette = {}}, {0, 77, 255});
    EXPECT_THAT(read(file, 1).pixels, ElementsAre(0, 77, 255));
    EXPECT_THAT(read(file, 3).pixels, ElementsAre(0, 0, 0, 77, 77, 77, 255, 255, 255));
}

TEST_F(PngPicture, OfAPaletteIsReadAsItsColours) {
    const Bytes file = png({.width = 3,
                            .height = 1,
                            .depth = 2,
                            .color = 3,
                            .palette = {1, 2, 3, 200, 100, 50, 0, 255, 0}},
                           {0b01'00'10'00});
    EXPECT_THAT(read(file, 3).pixels, ElementsAre(200, 100, 50, 1, 2, 3, 0, 255, 0));
}

TEST_F(PngPicture, OfOneBitAPixelIsReadAsBlackAndWhite) {
    const Bytes file = png({.width = 4, .height = 1, .depth = 1, .palette = {}}, {0b1010'0000});
    EXPECT_THAT(read(file, 1).pixels, ElementsAre(255, 0, 255, 0));
}

// Without a word about gamma, 16 bits mean the same brightness as 8 bits.
TEST_F(PngPicture, OfSixteenBitsKeepsItsUpperEight) {
    const Bytes file = png({.width = 3, .height = 1, .depth = 16, .palette = {}, .pixel_bytes = 2},
                           {0x00, 0x00, 0x80, 0x80, 0xFF, 0xFF});
    EXPECT_THAT(read(file, 1).pixels, ElementsAre(0, 128, 255));
    const Bytes colour =
        png({.width = 1, .height = 1, .depth = 16, .color = 2, .palette = {}, .pixel_bytes = 6},
            {0x20, 0x20, 0x80, 0x80, 0xC0, 0xC0});
    EXPECT_THAT(read(colour, 3).pixels, ElementsAre(0x20, 0x80, 0xC0));
}

TEST_F(PngPicture, TransparentPixelsAreLaidOnBlack) {
    const Bytes file = png({.width = 2, .height = 1, .color = 6, .palette = {}, .pixel_bytes = 4},
                           {200, 150, 100, 255, 200, 150, 100, 0});
    EXPECT_THAT(read(file, 3).pixels, ElementsAre(200, 150, 100, 0, 0, 0));
    const Bytes grey = png({.width = 2, .height = 1, .color = 4, .palette = {}, .pixel_bytes = 2},
                           {90, 255, 90, 0});
    EXPECT_THAT(read(grey, 1).pixels, ElementsAre(90, 0));
}

TEST_F(PngPicture, HeaderSaysSizeAndChannels) {
    write_file(file_, plain_png(5, 2, {1, 2, 3}));
    Result<ImageHeader> header = read_image_header(file_);
    ASSERT_TRUE(header.has_value()) << header.error().message;
    EXPECT_EQ(header->channels, 3);
    EXPECT_EQ(header->width, 5);
    EXPECT_EQ(header->height, 2);
    write_file(file_, png({.width = 1, .height = 7, .palette = {}}, Bytes(7)));
    header = read_image_header(file_);
    ASSERT_TRUE(header.has_value()) << header.error().message;
    EXPECT_EQ(header->channels, 1);
    EXPECT_EQ(header->height, 7);
}

TEST_F(PngPicture, CutOffAnywhereIsRefused) {
    Bytes noise(3 * 40 * 40);
    for (std::size_t i = 0; i < noise.size(); ++i) {
        noise[i] = static_cast<std::uint8_t>(i * i * 31 >> 3U);
    }
    const Bytes right =
        png({.width = 40, .height = 40, .color = 2, .palette = {}, .pixel_bytes = 3}, noise);
    EXPECT_EQ(read(right, 3).pixels, noise);
    // All but the last chunk, IEND, whose 12 bytes carry nothing.
    for (std::size_t length = 0; length + 24 < right.size(); length += length < 60 ? 1 : 53) {
        SCOPED_TRACE(length);
        expect_refused(cut(right, length), ErrorCode::bad_file, {});
    }
}

TEST_F(PngPicture, WithAWrongChecksumIsRefused) {
    Bytes file = plain_png(8, 8, {9, 8, 7});
    file[29] ^= 1U;  // of IHDR
    expect_refused(file, ErrorCode::bad_file, {"broken PNG"});
}

TEST_F(PngPicture, OfHugeSizeIsRefused) {
    for (const std::uint32_t side : {16'385U, 0x7FFFFFFFU, 0xFFFFFFFFU}) {
        expect_refused(png({.width = side, .height = side, .palette = {}}, {1}),
                       ErrorCode::bad_file, {});
    }
    expect_refused(png({.width = 16'385, .height = 1, .palette = {}}, Bytes(16'385)),
                   ErrorCode::bad_file, {"at most 16384x16384", "found 1x16385"});
    expect_refused(png({.width = 1, .height = 0, .palette = {}}, {}), ErrorCode::bad_file, {});
}

TEST_F(PngPicture, ThatClaimsMoreThanItsFileCanHoldIsRefused) {
    expect_refused(png({.width = 16'384, .height = 16'384, .palette = {}}, {1}),
                   ErrorCode::bad_file, {"16384x16384", "cannot hold"});
}

TEST_F(JpegPicture, IsReadNearToWhatWasCompressed) {
    Bytes pixels;
    for (int i = 0; i < 16 * 8; ++i) {
        pixels.insert(pixels.end(), {200, 100, 50});
    }
    const Image image = read(testing::jpeg(16, 8, 3, pixels), 3);
    EXPECT_EQ(image.width, 16);
    EXPECT_EQ(image.height, 8);
    ASSERT_EQ(image.pixels.size(), pixels.size());
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        EXPECT_NEAR(image.pixels[i], pixels[i], 3);
    }
}

TEST_F(JpegPicture, OfGreyIsReadAsOneOrThreeChannels) {
    const Bytes file = testing::jpeg(8, 8, 1, Bytes(64, 130));
    EXPECT_THAT(read(file, 1).pixels, Each(130));
    EXPECT_THAT(read(file, 3).pixels, Each(130));
    const Result<ImageHeader> header = read_image_header(file_);
    ASSERT_TRUE(header.has_value());
    EXPECT_EQ(header->channels, 1);
}

// ImageNet has some: four inks, stored as the light they let through.
TEST_F(JpegPicture, OfFourInksIsReadAsTheirColour) {
    Bytes inks;
    for (int i = 0; i < 64; ++i) {
        inks.insert(inks.end(), {255, 128, 0, 255});
    }
    Image image = read(testing::jpeg(8, 8, 4, inks), 3);
    ASSERT_EQ(image.pixels.size(), 192U);
    EXPECT_NEAR(image.pixels[0], 255, 3);
    EXPECT_NEAR(image.pixels[1], 128, 3);
    EXPECT_NEAR(image.pixels[2], 0, 3);
    image = read(testing::jpeg(8, 8, 4, Bytes(256, 128)), 1);
    ASSERT_EQ(image.pixels.size(), 64U);
    EXPECT_NEAR(image.pixels[63], 64, 3);
}

TEST_F(JpegPicture, CutOffIsRefused) {
    Bytes noise(3 * 40 * 40);
    for (std::size_t i = 0; i < noise.size(); ++i) {
        noise[i] = static_cast<std::uint8_t>(i * i * 31 >> 3U);
    }
    const Bytes right = testing::jpeg(40, 40, 3, noise);
    read(right, 3);
    for (std::size_t length = 0; length + 40 < right.size(); length += length < 60 ? 1 : 53) {
        SCOPED_TRACE(length);
        expect_refused(cut(right, length), ErrorCode::bad_file, {});
    }
}

TEST_F(JpegPicture, OfHugeSizeIsRefused) {
    const Bytes small = testing::jpeg(8, 8, 3, Bytes(192, 100));
    expect_refused(testing::with_jpeg_size(small, 65'000, 65'000), ErrorCode::bad_file,
                   {"at most 16384x16384", "found 65000x65000"});
    expect_refused(testing::with_jpeg_size(small, 16'384, 16'384), ErrorCode::bad_file,
                   {"16384x16384", "cannot hold"});
    expect_refused(testing::with_jpeg_size(small, 0, 8), ErrorCode::bad_file, {});
}

TEST_F(Picture, NeitherPngNorJpegIsRefused) {
    const std::string text = "no picture at all\n";
    for (const Bytes& bytes : {Bytes{}, Bytes{0xFF}, Bytes(text.begin(), text.end()),
                               Bytes{'G', 'I', 'F', '8', '9', 'a', 1, 0, 1, 0}}) {
        expect_refused(bytes, ErrorCode::bad_file, {"expected a PNG or JPEG picture"});
        const Result<ImageHeader> header = read_image_header(file_);
        ASSERT_FALSE(header.has_value());
        EXPECT_THAT(header.error().message, ::testing::HasSubstr("expected a PNG or JPEG"));
    }
    expect_refused(testing::gzipped(plain_png(2, 2, {1, 2, 3})), ErrorCode::bad_file,
                   {"expected a PNG or JPEG picture", "compressed"});
}

}  // namespace
}  // namespace trainscope
