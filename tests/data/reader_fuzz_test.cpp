// SPDX-License-Identifier: GPL-3.0-or-later
// Two thousand damaged copies of a right file for each reader, from a fixed seed: every one is
// either refused with a sentence or gives a data set that is whole. Most is proved under
// AddressSanitizer.
#include <gmock/gmock.h>

#include <cstdlib>

#include "engine/core/random.h"
#include "tests/data/pictures.h"

namespace trainscope {
namespace {

namespace fs = std::filesystem;
using testing::Bytes;
using testing::write_file;

constexpr int mutations = 2000;

// Its thousands of files are kept in memory where the system has a folder for that: a disk would
// take a minute for them.
class ReaderFuzz : public ::testing::Test {
  protected:
    static void SetUpTestSuite() {
        std::error_code ignored;
        if (std::getenv("TMPDIR") == nullptr && fs::is_directory("/dev/shm", ignored)) {
            setenv("TMPDIR", "/dev/shm", 1);
            moved_ = true;
        }
    }
    static void TearDownTestSuite() {
        if (moved_) {
            unsetenv("TMPDIR");
        }
    }

  private:
    inline static bool moved_ = false;
};

// One to three of: another byte, a cut, a doubled stretch, an extreme number of 32 bits.
Bytes damaged(Bytes bytes, Random& random) {
    for (std::uint64_t left = 1 + random.below(3); left > 0 && !bytes.empty(); --left) {
        const std::size_t at = random.below(bytes.size());
        const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
        switch (random.below(6)) {
            case 0:
            case 1:
                bytes[at] = static_cast<std::uint8_t>(random.below(256));
                break;
            case 2:  // near the front, where the lengths are
                bytes[random.below(std::min<std::size_t>(bytes.size(), 40))] ^=
                    static_cast<std::uint8_t>(1U << random.below(8));
                break;
            case 3:
                bytes.erase(place, bytes.end());
                break;
            case 4: {
                const std::size_t length =
                    std::min<std::size_t>(bytes.size() - at, 1 + random.below(20));
                const Bytes part(place, place + static_cast<std::ptrdiff_t>(length));
                bytes.insert(place, part.begin(), part.end());
                break;
            }
            default:
                for (std::size_t i = at; i < std::min(at + 4, bytes.size()); ++i) {
                    bytes[i] = i == at && random.below(2) == 0 ? 0x7F : 0xFF;
                }
        }
    }
    return bytes;
}

void expect_whole(const Dataset& dataset) {
    ASSERT_EQ(dataset.sample.rank(), 3U);
    ASSERT_EQ(static_cast<std::int64_t>(dataset.class_names.size()), dataset.classes);
    ASSERT_GE(dataset.train.count, 1);
    for (const SplitData* split : {&dataset.train, &dataset.test}) {
        ASSERT_EQ(static_cast<std::int64_t>(split->pixels.size()),
                  split->count * dataset.sample.elements());
        ASSERT_EQ(static_cast<std::int64_t>(split->labels.size()), split->count);
        for (const std::int32_t label : split->labels) {
            ASSERT_GE(label, 0);
            ASSERT_LT(label, dataset.classes);
        }
    }
}

struct Tally {
    int opened = 0, refused = 0;
};

// Damages `file`, whose right content is `right`, again and again.
Tally fuzz(const DatasetOptions& options, const fs::path& file, const Bytes& right,
           std::uint64_t seed, bool pack = false) {
    Random random(seed);
    Tally tally;
    for (int i = 0; i < mutations; ++i) {
        const Bytes wrong = damaged(right, random);
        write_file(file, pack ? testing::gzipped(wrong) : wrong);
        const auto opened = open_dataset(options);
        if (opened) {
            ++tally.opened;
            expect_whole(**opened);
        } else {
            ++tally.refused;
            EXPECT_THAT(opened.error().message, ::testing::HasSubstr(options.folder.string()));
        }
        if (::testing::Test::HasFailure()) {
            ADD_FAILURE() << "at mutation " << i << " of " << file.filename();
            break;
        }
    }
    return tally;
}

// A fuzz that is always refused, or never, would prove little.
void expect_both(const Tally& tally) {
    EXPECT_GT(tally.opened, 20);
    EXPECT_GT(tally.refused, 200);
}

TEST_F(ReaderFuzz, IdxImages) {
    const testing::IdxFolder set;
    expect_both(
        fuzz(set.options(), set.file("train-images-idx3-ubyte"), testing::idx_images(5, 4, 3), 1));
}

TEST_F(ReaderFuzz, IdxLabels) {
    const testing::IdxFolder set;
    expect_both(fuzz(set.options(), set.file("train-labels-idx1-ubyte"),
                     testing::idx_labels({3, 1, 4, 1, 5}), 2));
}

TEST_F(ReaderFuzz, PackedIdxImages) {
    const testing::IdxFolder set;
    const fs::path file = set.file("train-images-idx3-ubyte");
    const Tally tally =
        fuzz(set.options(), file, testing::gzipped(testing::idx_images(5, 4, 3)), 3);
    EXPECT_GT(tally.refused, 1000);
    expect_both(fuzz(set.options(), file, testing::idx_images(5, 4, 3), 4, true));
}

TEST_F(ReaderFuzz, Cifar) {
    for (const bool coarse : {false, true}) {
        const testing::TemporaryFolder folder;
        DatasetOptions options;
        options.name = coarse ? "cifar100" : "cifar10";
        options.folder = folder.path();
        const Bytes right = testing::cifar_records({1, 9}, coarse);
        write_file(folder.path() / (coarse ? "test.bin" : "test_batch.bin"), right);
        expect_both(
            fuzz(options, folder.path() / (coarse ? "train.bin" : "data_batch_1.bin"), right, 5));
    }
}

// The first picture, which decides the size of all.
Tally fuzz_picture(const Bytes& right, std::uint64_t seed) {
    const testing::TemporaryFolder folder;
    DatasetOptions options;
    options.name = "image-folder";
    options.folder = folder.path();
    for (const char* name : {"a", "b"}) {
        fs::create_directories(folder.path() / "train" / name);
        write_file(folder.path() / "train" / name / "2.png", testing::plain_png(3, 2, {1, 2, 3}));
    }
    return fuzz(options, folder.path() / "train" / "a" / "1.jpg", right, seed);
}

Bytes some_pixels(std::size_t count) {
    Bytes pixels(count);
    for (std::size_t i = 0; i < count; ++i) {
        pixels[i] = static_cast<std::uint8_t>(i * i * 31 >> 3U);
    }
    return pixels;
}

TEST_F(ReaderFuzz, PngPictures) {
    const Tally colour = fuzz_picture(
        testing::png({.width = 8, .height = 6, .color = 2, .palette = {}, .pixel_bytes = 3},
                     some_pixels(144)),
        6);
    EXPECT_GT(colour.refused, 1000);
    const Tally palette = fuzz_picture(
        testing::png({.width = 8, .height = 6, .depth = 4, .color = 3, .palette = some_pixels(48)},
                     some_pixels(24)),
        7);
    EXPECT_GT(palette.refused, 1000);
}

TEST_F(ReaderFuzz, JpegPictures) {
    expect_both(fuzz_picture(testing::jpeg(16, 12, 3, some_pixels(576)), 8));
    expect_both(fuzz_picture(testing::jpeg(16, 12, 1, some_pixels(192)), 9));
    expect_both(fuzz_picture(testing::jpeg(16, 12, 4, some_pixels(768)), 10));
}

}  // namespace
}  // namespace trainscope
