// SPDX-License-Identifier: GPL-3.0-or-later
// Folders of pictures: what is read, in what order and size, and what is refused.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <functional>

#include "tests/data/pictures.h"

namespace trainscope {
namespace {

namespace fs = std::filesystem;
using testing::Bytes;
using ::testing::ElementsAre;
using testing::expect_opened;
using testing::plain_png;
using testing::write_file;

// train/{ant,bee} with 2 and 3 pictures of 4x2, test/bee with one.
struct PictureFolder {
    PictureFolder() {
        add("train/bee/b.png", plain_png(4, 2, {20, 21, 22}));
        add("train/bee/c.png", plain_png(4, 2, {30, 31, 32}));
        add("train/bee/a.png", plain_png(4, 2, {10, 11, 12}));
        add("train/ant/2.png", plain_png(4, 2, {2, 3, 4}));
        add("train/ant/1.png", plain_png(4, 2, {1, 2, 3}));
        add("test/bee/t.png", plain_png(4, 2, {200, 201, 202}));
    }
    void add(const std::string& name, const Bytes& bytes) const {
        fs::create_directories(file(name).parent_path());
        write_file(file(name), bytes);
    }
    fs::path file(const std::string& name) const { return folder.path() / name; }
    DatasetOptions options() const {
        DatasetOptions options;
        options.name = "image-folder";
        options.folder = folder.path();
        return options;
    }
    testing::TemporaryFolder folder;
};

// The first byte of each sample: which picture it is.
std::vector<int> first_bytes(const Dataset& dataset, const SplitData& split) {
    std::vector<int> bytes;
    for (std::int64_t i = 0; i < split.count; ++i) {
        bytes.push_back(split.pixels[static_cast<std::size_t>(i * dataset.sample.elements())]);
    }
    return bytes;
}

TEST(ImageFolder, IsReadInTheOrderOfItsNames) {
    const PictureFolder set;
    const auto opened = expect_opened(set.options());
    ASSERT_NE(opened, nullptr);
    EXPECT_EQ(opened->sample, (Shape{3, 2, 4}));
    EXPECT_THAT(opened->class_names, ElementsAre("ant", "bee"));
    EXPECT_THAT(first_bytes(*opened, opened->train), ElementsAre(1, 2, 10, 20, 30));
    EXPECT_THAT(opened->train.labels, ElementsAre(0, 0, 1, 1, 1));
    EXPECT_THAT(first_bytes(*opened, opened->test), ElementsAre(200));
    EXPECT_THAT(opened->test.labels, ElementsAre(1));
}

TEST(ImageFolder, PicturesAreStoredChannelAfterChannel) {
    const PictureFolder set;
    const auto opened = expect_opened(set.options());
    ASSERT_NE(opened, nullptr);
    const Bytes& pixels = opened->train.pixels;
    EXPECT_EQ(Bytes(pixels.begin(), pixels.begin() + 24),
              (Bytes{1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3}));
}

TEST(ImageFolder, NeedsNoTestPictures) {
    const PictureFolder set;
    fs::remove_all(set.file("test"));
    auto opened = expect_opened(set.options());
    ASSERT_NE(opened, nullptr);
    EXPECT_EQ(opened->test.count, 0);
    fs::create_directory(set.file("test"));
    opened = expect_opened(set.options());
    ASSERT_NE(opened, nullptr);
    EXPECT_EQ(opened->test.count, 0);
}

TEST(ImageFolder, OtherAndHiddenFilesAreLeftOut) {
    const PictureFolder set;
    set.add("train/ant/notes.txt", {1});
    set.add("train/ant/.hidden.png", {1});
    set.add("train/.cache/x.png", {1});
    set.add("train/README", {1});
    const auto opened = expect_opened(set.options());
    ASSERT_NE(opened, nullptr);
    EXPECT_EQ(opened->train.count, 5);
    EXPECT_EQ(opened->classes, 2);
}

TEST(ImageFolder, PicturesAreKnownByTheirContent) {
    const PictureFolder set;
    set.add("train/ant/3.png", testing::jpeg(4, 2, 3, Bytes(24, 99)));
    set.add("train/ant/4.JPEG", plain_png(4, 2, {98, 98, 98}));
    const auto opened = expect_opened(set.options());
    ASSERT_NE(opened, nullptr);
    EXPECT_THAT(first_bytes(*opened, opened->train), ElementsAre(1, 2, 99, 98, 10, 20, 30));
}

TEST(ImageFolder, DifferingSizesBecomeThatOfTheFirst) {
    const PictureFolder set;
    set.add("train/bee/z.png", plain_png(13, 50, {77, 78, 79}));
    const auto opened = expect_opened(set.options());
    ASSERT_NE(opened, nullptr);
    EXPECT_EQ(opened->sample, (Shape{3, 2, 4}));
    EXPECT_THAT(Bytes(opened->train.pixels.end() - 8, opened->train.pixels.end()),
                ::testing::Each(79));
}

TEST(ImageFolder, SizeAndChannelsCanBeAskedFor) {
    const PictureFolder set;
    DatasetOptions options = set.options();
    options.sample = Shape{1, 5, 6};
    const auto opened = expect_opened(options);
    ASSERT_NE(opened, nullptr);
    EXPECT_EQ(opened->sample, (Shape{1, 5, 6}));
    EXPECT_EQ(opened->train.pixels.size(), 5U * 30);
    EXPECT_NEAR(opened->test.pixels[0], 201, 1);
}

TEST(ImageFolder, AtMostAsManyAsAskedForAreSpreadOverAllClasses) {
    const PictureFolder set;
    DatasetOptions options = set.options();
    options.train_count = 2;
    const auto opened = expect_opened(options);
    ASSERT_NE(opened, nullptr);
    EXPECT_THAT(opened->train.labels, ElementsAre(0, 1));
}

TEST(ImageFolder, WrongSizesAskedForAreRefused) {
    const PictureFolder set;
    for (const Shape& wrong :
         {Shape{2, 4, 4}, Shape{3, 0, 4}, Shape{3, 4}, Shape{3, 4, -1}, Shape{3, 4, 16'385}}) {
        DatasetOptions options = set.options();
        options.sample = wrong;
        testing::expect_refused(options, {ErrorCode::invalid_argument, {wrong.to_string()}});
    }
}

struct Case {
    const char* name;
    std::function<void(const PictureFolder&)> break_it;
    testing::Refusal refusal;
};
void PrintTo(const Case& one, std::ostream* out) {
    *out << one.name;
}
std::function<void(const PictureFolder&)> adding(const char* file, const Bytes& bytes) {
    return [=](const PictureFolder& set) { set.add(file, bytes); };
}

class WrongImageFolder : public ::testing::TestWithParam<Case> {};

TEST_P(WrongImageFolder, IsRefusedByName) {
    const PictureFolder set;
    GetParam().break_it(set);
    testing::expect_refused(set.options(), GetParam().refusal);
}

std::string name_of(const ::testing::TestParamInfo<Case>& one) {
    return one.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    Folders, WrongImageFolder,
    ::testing::Values(
        Case{"NoTrainFolder",
             [](const PictureFolder& set) { fs::remove_all(set.file("train")); },
             {ErrorCode::not_found, {"'train'"}}},
        Case{"TrainIsAFile",
             [](const PictureFolder& set) {
                 fs::remove_all(set.file("train"));
                 write_file(set.file("train"), {1});
             },
             {ErrorCode::not_found, {"'train'"}}},
        Case{"NoClass",
             [](const PictureFolder& set) {
                 fs::remove_all(set.file("train"));
                 fs::create_directory(set.file("train"));
             },
             {ErrorCode::bad_file, {"/train", "at least 2 folders", "found 0"}}},
        Case{"OneClass",
             [](const PictureFolder& set) { fs::remove_all(set.file("train/ant")); },
             {ErrorCode::bad_file, {"/train", "at least 2 folders", "found 1 ('bee')"}}},
        Case{"ClassWithoutPictures",
             [](const PictureFolder& set) { fs::create_directory(set.file("train/cow")); },
             {ErrorCode::bad_file, {"train/cow", "'cow'", "found none"}}},
        Case{"ClassOfTestAlone",
             adding("test/fly/1.png", plain_png(4, 2, {1, 1, 1})),
             {ErrorCode::bad_file, {"/test", "'fly'"}}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Pictures, WrongImageFolder,
    ::testing::Values(
        Case{"EmptyPicture",
             adding("train/bee/d.png", {}),
             {ErrorCode::bad_file, {"bee/d.png", "found neither"}}},
        Case{"TextAsPicture",
             adding("train/ant/0.png", {'t', 'e', 'x', 't'}),
             {ErrorCode::bad_file, {"ant/0.png", "expected a PNG or JPEG"}}},
        Case{"CutOffPng",
             adding("test/bee/u.png", testing::cut(plain_png(40, 20, {1, 2, 3}), 70)),
             {ErrorCode::bad_file, {"bee/u.png", "broken PNG"}}},
        Case{
            "CutOffJpeg",
            [](const PictureFolder& set) {
                const Bytes right = testing::jpeg(40, 20, 3, Bytes(2400, 9));
                set.add("train/bee/d.jpg", testing::cut(right, right.size() - 30));
            },
            {ErrorCode::bad_file, {"bee/d.jpg", "broken JPEG"}}},
        Case{"HugePicture",
             adding("train/ant/0.png",
                    testing::png({.width = 1U << 14U, .height = 1U << 14U, .palette = {}}, {1})),
             {ErrorCode::bad_file, {"ant/0.png", "16384x16384", "cannot hold"}}},
        Case{"FolderAsPicture",
             [](const PictureFolder& set) { fs::create_directory(set.file("train/bee/d.png")); },
             {ErrorCode::bad_file, {"bee/d.png", "found a folder"}}},
        Case{"PipeAsPicture",
             [](const PictureFolder&
                    set) { ASSERT_EQ(mkfifo(set.file("train/bee/d.png").c_str(), 0600), 0); },
             {ErrorCode::bad_file, {"bee/d.png", "device or pipe"}}},
        Case{"DanglingPicture",
             [](const PictureFolder&
                    set) { fs::create_symlink("nowhere", set.file("train/bee/d.png")); },
             {ErrorCode::not_found, {"bee/d.png"}}}),
    name_of);

}  // namespace
}  // namespace trainscope
