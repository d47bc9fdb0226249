// SPDX-License-Identifier: GPL-3.0-or-later
// IDX files that are missing, cut off, too long, hostile or do not belong together: one sentence
// names the file, what was expected and what was found.
#include <sys/stat.h>

#include <fstream>
#include <functional>

#include "tests/data/data_files.h"

namespace trainscope {
namespace {

namespace fs = std::filesystem;
using testing::Bytes;
using testing::cut;
using testing::gzipped;
using testing::idx_header;
using testing::idx_images;
using testing::idx_labels;
using testing::IdxFolder;
using testing::joined;
using testing::write_file;

constexpr const char* train_images = "train-images-idx3-ubyte";
constexpr const char* train_labels = "train-labels-idx1-ubyte";
constexpr const char* test_images = "t10k-images-idx3-ubyte";
constexpr const char* test_labels = "t10k-labels-idx1-ubyte";
constexpr std::uint32_t huge = 0xFFFFFFFFU;

struct Case {
    const char* name;
    std::function<void(const IdxFolder&)> break_it;
    testing::Refusal refusal;
};
void PrintTo(const Case& one, std::ostream* out) {
    *out << one.name;
}

// Puts other content in place of a file.
std::function<void(const IdxFolder&)> content(const char* file, const Bytes& bytes) {
    return [=](const IdxFolder& set) { write_file(set.file(file), bytes); };
}
// The same, as .gz beside no plain file.
std::function<void(const IdxFolder&)> packed(const char* file, const Bytes& bytes) {
    return [=](const IdxFolder& set) {
        fs::remove(set.file(file));
        write_file(set.file(std::string(file) + ".gz"), bytes);
    };
}

class WrongIdxFile : public ::testing::TestWithParam<Case> {};

TEST_P(WrongIdxFile, IsRefusedByName) {
    const IdxFolder set;
    GetParam().break_it(set);
    testing::expect_refused(set.options(), GetParam().refusal);
}

std::string name_of(const ::testing::TestParamInfo<Case>& one) {
    return one.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    NotAFile, WrongIdxFile,
    ::testing::Values(
        Case{"NoTrainImages",
             [](const IdxFolder& set) { fs::remove(set.file(train_images)); },
             {ErrorCode::not_found, {train_images, ".gz", "found neither"}}},
        Case{"NoTestLabels",
             [](const IdxFolder& set) { fs::remove(set.file(test_labels)); },
             {ErrorCode::not_found, {test_labels, "found neither"}}},
        Case{"NoTestFiles",
             [](const IdxFolder& set) {
                 fs::remove(set.file(test_images));
                 fs::remove(set.file(test_labels));
             },
             {ErrorCode::not_found, {test_images}}},
        Case{"DanglingLink",
             [](const IdxFolder& set) {
                 fs::remove(set.file(train_labels));
                 fs::create_symlink("nowhere", set.file(train_labels));
             },
             {ErrorCode::not_found, {train_labels}}},
        Case{"Folder",
             [](const IdxFolder& set) {
                 fs::remove(set.file(train_images));
                 fs::create_directory(set.file(train_images));
             },
             {ErrorCode::bad_file, {train_images, "expected a file", "found a folder"}}},
        Case{"Pipe",
             [](const IdxFolder& set) {
                 fs::remove(set.file(train_images));
                 ASSERT_EQ(mkfifo(set.file(train_images).c_str(), 0600), 0);
             },
             {ErrorCode::bad_file, {train_images, "found a device or pipe"}}},
        Case{"EndlessDevice",
             [](const IdxFolder& set) {
                 fs::remove(set.file(train_labels));
                 fs::create_symlink("/dev/zero", set.file(train_labels));
             },
             {ErrorCode::bad_file, {train_labels, "found a device or pipe"}}},
        Case{"TwoSetsInOneFolder",
             [](const IdxFolder& set) {
                 fs::rename(set.file(train_images),
                            set.file("emnist-a-" + std::string(train_images)));
                 write_file(set.file("emnist-b-" + std::string(train_images)), {});
             },
             {ErrorCode::invalid_argument, {"expected one data set", "emnist-a-", "emnist-b-"}}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Plain, WrongIdxFile,
    ::testing::Values(
        Case{"EmptyImages",
             content(train_images, {}),
             {ErrorCode::bad_file, {train_images, "magic number", "offset 0", "only 0 bytes"}}},
        Case{"EmptyLabels",
             content(test_labels, {}),
             {ErrorCode::bad_file, {test_labels, "magic number", "only 0 bytes"}}},
        Case{"CutInMagic",
             content(train_images, cut(idx_images(5, 4, 3), 3)),
             {ErrorCode::bad_file, {train_images, "magic number", "only 3 bytes"}}},
        Case{"CutInDimensions",
             content(train_images, cut(idx_images(5, 4, 3), 15)),
             {ErrorCode::bad_file, {train_images, "dimensions", "offset 4", "only 11 bytes"}}},
        Case{"CutBeforeData",
             content(train_images, cut(idx_images(5, 4, 3), 16)),
             {ErrorCode::bad_file,
              {train_images, "5 images of 4x3 (60 bytes)", "offset 16", "only 0 bytes"}}},
        Case{"CutInData",
             content(train_images, cut(idx_images(5, 4, 3), 75)),
             {ErrorCode::bad_file, {train_images, "60 bytes", "only 59 bytes"}}},
        Case{"CutInLabels",
             content(train_labels, cut(idx_labels({3, 1, 4, 1, 5}), 12)),
             {ErrorCode::bad_file, {train_labels, "5 labels", "offset 8", "only 4 bytes"}}},
        Case{"ImagesTooLong",
             content(test_images, joined({idx_images(3, 4, 3), {0}})),
             {ErrorCode::bad_file, {test_images, "end at offset 52", "found more"}}},
        Case{"LabelsTooLong",
             content(train_labels, joined({idx_labels({3, 1, 4, 1, 5}), {0}})),
             {ErrorCode::bad_file, {train_labels, "end at offset 13", "found more"}}},
        Case{"LabelsAsImages",
             content(train_images, idx_labels({3, 1, 4, 1, 5})),
             {ErrorCode::bad_file, {train_images, "0x00000803", "found 0x00000801"}}},
        Case{"ImagesAsLabels",
             content(train_labels, idx_images(5, 4, 3)),
             {ErrorCode::bad_file, {train_labels, "0x00000801", "found 0x00000803"}}},
        Case{"FloatImages",
             content(train_images, joined({idx_header(0x0D, {5, 4, 3}), Bytes(240)})),
             {ErrorCode::bad_file, {train_images, "0x00000803", "found 0x00000d03"}}},
        Case{"Text",
             content(train_labels, {'h', 'e', 'l', 'l', 'o', '\n'}),
             {ErrorCode::bad_file, {train_labels, "found 0x68656c6c"}}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Dimensions, WrongIdxFile,
    ::testing::Values(
        Case{"AllHuge",
             content(train_images, idx_header(8, {huge, huge, huge})),
             {ErrorCode::bad_file, {train_images, "found 4294967295 of 4294967295x4294967295"}}},
        Case{"HugeCount",
             content(train_images, idx_header(8, {huge, 4, 3})),
             {ErrorCode::bad_file, {train_images, "4,294,967,295 images", "only 0 bytes"}}},
        Case{"HugeCountOfLargestImages",
             content(train_images, idx_header(8, {huge, 1U << 14U, 1U << 14U})),
             {ErrorCode::bad_file, {train_images, "16384x16384", "only 0 bytes"}}},
        Case{"HugeCountPacked",
             packed(train_images, gzipped(idx_header(8, {huge, 1U << 14U, 1U << 14U}))),
             {ErrorCode::bad_file, {train_images, "cannot hold"}}},
        Case{"HugeLabelCount",
             content(train_labels, idx_header(8, {huge})),
             {ErrorCode::bad_file, {train_labels, "4,294,967,295 labels"}}},
        Case{"HugeLabelCountPacked",
             packed(train_labels, gzipped(idx_header(8, {huge}))),
             {ErrorCode::bad_file, {train_labels, "4,294,967,295 labels", "cannot hold"}}},
        Case{"NoRows",
             content(train_images, idx_header(8, {5, 0, 3})),
             {ErrorCode::bad_file, {train_images, "found 5 of 0x3"}}},
        Case{"NoColumns",
             content(train_images, idx_header(8, {5, 4, 0})),
             {ErrorCode::bad_file, {train_images, "found 5 of 4x0"}}},
        Case{"NoImages",
             [](const IdxFolder& set) {
                 write_file(set.file(train_images), idx_header(8, {0, 4, 3}));
                 write_file(set.file(train_labels), idx_labels({}));
             },
             {ErrorCode::bad_file, {train_images, "at least 1 image", "found 0 of 4x3"}}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Together, WrongIdxFile,
    ::testing::Values(
        Case{"FewerLabelsThanImages",
             content(train_labels, idx_labels({3, 1, 4, 1})),
             {ErrorCode::bad_file, {train_labels, train_images, ", 5, found 4"}}},
        Case{"MoreLabelsThanImages",
             content(test_labels, idx_labels({9, 2, 6, 5})),
             {ErrorCode::bad_file, {test_labels, test_images, ", 3, found 4"}}},
        Case{"TrainLabelOutOfRange",
             content(train_labels, idx_labels({3, 1, 200, 1, 5})),
             {ErrorCode::bad_file,
              {train_labels, "from 0 to 9", "found 200", "sample 2", "offset 10"}}},
        Case{"TestLabelOutOfRange",
             content(test_labels, idx_labels({9, 2, 10})),
             {ErrorCode::bad_file, {test_labels, "from 0 to 9", "found 10", "offset 10"}}},
        Case{"TestImagesOfAnotherSize",
             content(test_images, idx_images(3, 3, 4)),
             {ErrorCode::bad_file, {test_images, train_images, "expected images of 4x3", "3x4"}}}),
    name_of);

// A compressed file is as long as the images of its numbers, so that it can be cut anywhere.
Bytes packed_images() {
    Bytes images = idx_header(8, {5, 40, 30});
    for (std::uint32_t i = 0; i < 5 * 40 * 30; ++i) {
        images.push_back(static_cast<std::uint8_t>(i * i * 2654435761U >> 13U));
    }
    return gzipped(images);
}

TEST(PackedIdxFile, CutOffAnywhereIsRefused) {
    const IdxFolder set;
    const Bytes right = packed_images();
    write_file(set.file(test_images), idx_images(3, 40, 30));
    packed(train_images, right)(set);
    ASSERT_NE(testing::expect_opened(set.options()), nullptr);
    // Every length near the ends (gzip's header; its checksum and length), and some between.
    for (std::size_t length = 0; length < right.size(); ++length) {
        if (length < 40 || length + 40 > right.size() || length % 97 == 0) {
            SCOPED_TRACE(length);
            packed(train_images, cut(right, length))(set);
            testing::expect_refused(set.options(), {ErrorCode::bad_file, {train_images}});
        }
    }
}

TEST(PackedIdxFile, WithAWrongChecksumIsRefused) {
    const IdxFolder set;
    Bytes wrong = gzipped(idx_images(5, 4, 3));
    wrong[wrong.size() - 6] ^= 1U;
    packed(train_images, wrong)(set);
    testing::expect_refused(set.options(), {ErrorCode::bad_file, {train_images, "check"}});
}

TEST(PackedIdxFile, TooLongIsRefused) {
    const IdxFolder set;
    packed(train_images, gzipped(joined({idx_images(5, 4, 3), {0}})))(set);
    testing::expect_refused(set.options(),
                            {ErrorCode::bad_file, {train_images, "end at offset 76"}});
}

TEST(PackedIdxFile, WithSomethingAfterItsEndIsRefused) {
    const IdxFolder set;
    for (const Bytes& more : {Bytes{0}, Bytes{'x', 'y'}, Bytes{0x1F}, Bytes{0x1F, 0x8B, 0, 0},
                              gzipped({1}), Bytes(1U << 20U)}) {
        packed(train_images, joined({gzipped(idx_images(5, 4, 3)), more}))(set);
        testing::expect_refused(set.options(), {ErrorCode::bad_file, {train_images}});
    }
    packed(train_images, joined({gzipped(idx_images(5, 4, 3)), {'x', 'y'}}))(set);
    testing::expect_refused(set.options(), {ErrorCode::bad_file, {"more bytes follow"}});
}

// As bgzip and "cat a.gz b.gz" make them.
TEST(PackedIdxFile, MayConsistOfSeveralMembers) {
    const IdxFolder set;
    const Bytes plain = idx_images(5, 4, 3);
    for (const std::size_t length :
         {std::size_t{0}, std::size_t{2}, std::size_t{16}, std::size_t{50}, plain.size()}) {
        const Bytes rest(plain.begin() + static_cast<std::ptrdiff_t>(length), plain.end());
        packed(train_images, joined({gzipped(cut(plain, length)), gzipped(rest)}))(set);
        const auto opened = testing::expect_opened(set.options());
        ASSERT_NE(opened, nullptr);
        EXPECT_EQ(opened->train.pixels, Bytes(plain.begin() + 16, plain.end()));
    }
}

TEST(PackedIdxFile, IsKnownByItsContentAndNotByItsName) {
    const IdxFolder set;
    write_file(set.file(train_images), gzipped(idx_images(5, 4, 3)));
    const auto opened = testing::expect_opened(set.options());
    ASSERT_NE(opened, nullptr);
    const Bytes plain = idx_images(5, 4, 3);
    EXPECT_EQ(opened->train.pixels, Bytes(plain.begin() + 16, plain.end()));
}

// The most memory this process ever had, in KiB.
std::int64_t peak_memory() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:")) {
            return std::stoll(line.substr(6));
        }
    }
    ADD_FAILURE() << "no VmHWM in /proc/self/status";
    return 0;
}

// 2 GiB of zeros claimed in 4 MiB: as much as deflate could hold, but there is nothing there.
TEST(PackedIdxFile, ThatClaimsWhatItDoesNotHoldIsRefusedBeforeMemoryIsTaken) {
    const IdxFolder set;
    Bytes noise(4U << 20U);
    std::uint32_t state = 1;
    for (std::uint8_t& byte : noise) {
        byte = static_cast<std::uint8_t>((state = state * 1664525U + 1013904223U) >> 24U);
    }
    packed(train_images, gzipped(joined({idx_header(8, {1U << 17U, 128, 128}), noise})))(set);
    const std::int64_t before = peak_memory();
    testing::expect_refused(set.options(), {ErrorCode::bad_file, {train_images, "found only"}});
    EXPECT_LT(peak_memory() - before, 512 * 1024);
}

TEST(IdxFolderAlone, IsOpenedAsWritten) {
    const IdxFolder set;
    const auto opened = testing::expect_opened(set.options());
    ASSERT_NE(opened, nullptr);
    EXPECT_EQ(opened->sample, (Shape{1, 4, 3}));
    EXPECT_EQ(opened->train.labels, (std::vector<std::int32_t>{3, 1, 4, 1, 5}));
    EXPECT_EQ(opened->test.labels, (std::vector<std::int32_t>{9, 2, 6}));
    EXPECT_EQ(opened->train.pixels.back(), 59);
    EXPECT_EQ(opened->test.pixels.front(), 100);
}

}  // namespace
}  // namespace trainscope
