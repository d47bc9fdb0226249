// SPDX-License-Identifier: GPL-3.0-or-later
// CIFAR's binary files, right ones and wrong ones.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <functional>

#include "tests/data/data_files.h"

namespace trainscope {
namespace {

namespace fs = std::filesystem;
using testing::Bytes;
using testing::cifar_records;
using testing::cut;
using ::testing::ElementsAre;
using testing::joined;
using testing::write_file;

// Batches 1 and 2 and the test batch of CIFAR-10, or both files of CIFAR-100.
struct CifarFolder {
    explicit CifarFolder(std::string kind) : name(std::move(kind)) {
        if (name == "cifar10") {
            write_file(file("data_batch_1.bin"), cifar_records({6, 9, 9}));
            write_file(file("data_batch_2.bin"), cifar_records({4, 1}));
            write_file(file("test_batch.bin"), cifar_records({3, 8}));
        } else {
            write_file(file("train.bin"), cifar_records({19, 29, 99}, true));
            write_file(file("test.bin"), cifar_records({49, 0}, true));
        }
    }
    fs::path file(const std::string& of) const { return folder.path() / of; }
    DatasetOptions options() const {
        DatasetOptions options;
        options.name = name;
        options.folder = folder.path();
        return options;
    }
    std::string name;
    testing::TemporaryFolder folder;
};

TEST(Cifar10, IsReadBatchAfterBatch) {
    const CifarFolder set("cifar10");
    const auto opened = testing::expect_opened(set.options());
    ASSERT_NE(opened, nullptr);
    EXPECT_EQ(opened->sample, (Shape{3, 32, 32}));
    EXPECT_EQ(opened->classes, 10);
    EXPECT_THAT(opened->train.labels, ElementsAre(6, 9, 9, 4, 1));
    EXPECT_THAT(opened->test.labels, ElementsAre(3, 8));
    EXPECT_EQ(opened->train.count, 5);
    ASSERT_EQ(opened->train.pixels.size(), 5U * 3072);
    EXPECT_EQ(opened->train.pixels[3072 + 1], 8);       // record 1 of batch 1
    EXPECT_EQ(opened->train.pixels[4 * 3072 + 5], 12);  // record 1 of batch 2
}

TEST(Cifar10, AtMostAsManyAsAskedForMayEndInAnyBatch) {
    const CifarFolder set("cifar10");
    for (const std::int64_t count : {1, 3, 4, 5, 100}) {
        DatasetOptions options = set.options();
        options.train_count = count;
        const auto opened = testing::expect_opened(options);
        ASSERT_NE(opened, nullptr);
        EXPECT_EQ(opened->train.count, std::min<std::int64_t>(count, 5));
        EXPECT_EQ(static_cast<std::int64_t>(opened->train.labels.size()), opened->train.count);
        EXPECT_EQ(static_cast<std::int64_t>(opened->train.pixels.size()),
                  opened->train.count * 3072);
    }
}

TEST(Cifar10, NamesClassesAsItsFileSaysWhereThatFits) {
    const CifarFolder set("cifar10");
    EXPECT_EQ(testing::expect_opened(set.options())->class_names.at(9), "9");
    const auto write_names = [&](const std::string& text) {
        write_file(set.file("batches.meta.txt"), Bytes(text.begin(), text.end()));
    };
    write_names("a\nb\nc\nd\ne\nf\ng\nh\ni\r\nj  \n\n");
    EXPECT_THAT(testing::expect_opened(set.options())->class_names,
                ElementsAre("a", "b", "c", "d", "e", "f", "g", "h", "i", "j"));
    write_names("a\nb\n");
    EXPECT_EQ(testing::expect_opened(set.options())->class_names.at(1), "1");
}

TEST(Cifar100, UsesTheFineLabels) {
    const CifarFolder set("cifar100");
    const auto opened = testing::expect_opened(set.options());
    ASSERT_NE(opened, nullptr);
    EXPECT_EQ(opened->classes, 100);
    EXPECT_THAT(opened->train.labels, ElementsAre(19, 29, 99));
    EXPECT_THAT(opened->test.labels, ElementsAre(49, 0));
    EXPECT_EQ(opened->test.pixels[3072], 7);
}

struct Case {
    const char* name;
    const char* kind;
    std::function<void(const CifarFolder&)> break_it;
    testing::Refusal refusal;
};
void PrintTo(const Case& one, std::ostream* out) {
    *out << one.name;
}
std::function<void(const CifarFolder&)> content(const char* file, const Bytes& bytes) {
    return [=](const CifarFolder& set) { write_file(set.file(file), bytes); };
}
std::function<void(const CifarFolder&)> missing(const char* file) {
    return [=](const CifarFolder& set) { fs::remove(set.file(file)); };
}

class WrongCifarFile : public ::testing::TestWithParam<Case> {};

TEST_P(WrongCifarFile, IsRefusedByName) {
    const CifarFolder set(GetParam().kind);
    GetParam().break_it(set);
    testing::expect_refused(set.options(), GetParam().refusal);
}

std::string name_of(const ::testing::TestParamInfo<Case>& one) {
    return one.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    NotAFile, WrongCifarFile,
    ::testing::Values(
        Case{"NoFirstBatch",
             "cifar10",
             missing("data_batch_1.bin"),
             {ErrorCode::not_found,
              {"expected the files data_batch_1.bin to data_batch_2.bin without a gap",
               "found no data_batch_1.bin"}}},
        Case{"NoBatchAtAll",
             "cifar10",
             [](const CifarFolder& set) {
                 fs::remove(set.file("data_batch_1.bin"));
                 fs::remove(set.file("data_batch_2.bin"));
             },
             {ErrorCode::not_found,
              {"expected the files data_batch_1.bin, data_batch_2.bin, ... and test_batch.bin",
               "found no data_batch_1.bin"}}},
        Case{"NoBatchBetweenTwo",
             "cifar10",
             [](const CifarFolder& set) {
                 fs::rename(set.file("data_batch_2.bin"), set.file("data_batch_4.bin"));
             },
             {ErrorCode::not_found,
              {"expected the files data_batch_1.bin to data_batch_4.bin without a gap",
               "found no data_batch_2.bin"}}},
        Case{"NoTestBatch",
             "cifar10",
             missing("test_batch.bin"),
             {ErrorCode::not_found, {"and test_batch.bin, found no test_batch.bin"}}},
        Case{"NoTrainFile",
             "cifar100",
             missing("train.bin"),
             {ErrorCode::not_found,
              {"expected the files train.bin and test.bin, found no train.bin"}}},
        Case{"FilesOfTheOtherKind",
             "cifar100",
             [](const CifarFolder& set) {
                 fs::rename(set.file("train.bin"), set.file("data_batch_1.bin"));
             },
             {ErrorCode::not_found, {"train.bin"}}},
        Case{"Folder",
             "cifar10",
             [](const CifarFolder& set) {
                 fs::remove(set.file("test_batch.bin"));
                 fs::create_directory(set.file("test_batch.bin"));
             },
             {ErrorCode::bad_file, {"test_batch.bin", "expected a file", "found a folder"}}},
        Case{"Pipe",
             "cifar10",
             [](const CifarFolder& set) {
                 fs::remove(set.file("test_batch.bin"));
                 ASSERT_EQ(mkfifo(set.file("test_batch.bin").c_str(), 0600), 0);
             },
             {ErrorCode::bad_file, {"test_batch.bin", "device or pipe"}}},
        Case{"EndlessDevice",
             "cifar100",
             [](const CifarFolder& set) {
                 fs::remove(set.file("train.bin"));
                 fs::create_symlink("/dev/zero", set.file("train.bin"));
             },
             {ErrorCode::bad_file, {"train.bin", "device or pipe"}}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Content, WrongCifarFile,
    ::testing::Values(
        Case{"Empty",
             "cifar10",
             content("data_batch_2.bin", {}),
             {ErrorCode::bad_file, {"data_batch_2.bin", "3073 bytes", "found an empty file"}}},
        Case{"OneByte",
             "cifar10",
             content("data_batch_1.bin", {3}),
             {ErrorCode::bad_file, {"data_batch_1.bin", "3073 bytes", "found 1 bytes"}}},
        Case{"PartOfARecord",
             "cifar10",
             content("data_batch_1.bin", cut(cifar_records({1, 2, 3}), 3 * 3073 - 1)),
             {ErrorCode::bad_file, {"data_batch_1.bin", "found 9,218 bytes", "3072 more than 2"}}},
        Case{"OneByteTooMany",
             "cifar100",
             content("test.bin", joined({cifar_records({1, 2}, true), {0}})),
             {ErrorCode::bad_file,
              {"test.bin", "3074 bytes", "found 6,149 bytes", "1 more than 2"}}},
        Case{"Cifar10AsCifar100",
             "cifar100",
             content("train.bin", cifar_records({1, 2})),
             {ErrorCode::bad_file, {"train.bin", "3074 bytes"}}},
        Case{"LabelOutOfRange",
             "cifar10",
             content("test_batch.bin", cifar_records({3, 10})),
             {ErrorCode::bad_file,
              {"test_batch.bin", "from 0 to 9", "found 10", "record 1", "offset 3,073"}}},
        Case{"FineLabelOutOfRange",
             "cifar100",
             content("train.bin", cifar_records({3, 100}, true)),
             {ErrorCode::bad_file,
              {"train.bin", "from 0 to 99", "found 100", "record 1", "offset 3,075"}}},
        Case{"Compressed",
             "cifar10",
             content("data_batch_1.bin", testing::gzipped(cifar_records({1}))),
             {ErrorCode::bad_file, {"data_batch_1.bin", "found a compressed file"}}}),
    name_of);

// A file with a hole: it has a size, but nothing on the disk.
TEST(Cifar10, LargerThanMemoryIsRefused) {
    const CifarFolder set("cifar10");
    constexpr std::uintmax_t records = std::uintmax_t{1} << 31U;
    std::error_code failed;
    fs::resize_file(set.file("data_batch_1.bin"), records * 3073, failed);
    if (failed) {
        GTEST_SKIP() << "no file of 6.6 TB can be made here: " << failed.message();
    }
    testing::expect_refused(set.options(), {ErrorCode::out_of_memory, {"data_batch_1.bin", "TiB"}});
}

TEST(Cifar10, LabelsBeyondTheNumberAskedForAreCheckedToo) {
    const CifarFolder set("cifar10");
    write_file(set.file("data_batch_2.bin"), cifar_records({4, 77}));
    DatasetOptions options = set.options();
    options.train_count = 1;
    testing::expect_refused(options, {ErrorCode::bad_file, {"data_batch_2.bin", "found 77"}});
}

}  // namespace
}  // namespace trainscope
