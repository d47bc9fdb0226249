// SPDX-License-Identifier: GPL-3.0-or-later
// Models from files and by name.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/model/refusal.h"
#include "tests/support/shared.h"

namespace trainscope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class LoadModel : public ::testing::Test {
  protected:
    std::filesystem::path write(const std::string& name, std::string_view text) {
        std::filesystem::path file = folder_.path() / name;
        std::ofstream(file, std::ios::binary) << text;
        return file;
    }
    testing::TemporaryFolder folder_;
};

TEST_F(LoadModel, AFileGivesWhatWasWrittenToIt) {
    const ModelSpec spec = testing::preset("bn-cnn");
    const Result<ModelSpec> loaded = load_model(write("m.json", to_json(spec)));
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(to_json(*loaded), to_json(spec));
}

TEST_F(LoadModel, AMistakeInTheFileNamesTheFile) {
    const auto file = write("mine.json", R"({"layers": [{"type": "relu", "x": 1}]})");
    EXPECT_THAT(testing::refusal(load_model(file)),
                AllOf(HasSubstr(file.string()), HasSubstr("layer 1 (relu)"), HasSubstr("'x'")));
}

TEST_F(LoadModel, ShapesThatDoNotFitNameTheFileToo) {
    const auto file = write("mine.json", R"({"name": "mine", "layers": [
        {"type": "max_pool", "kernel": 64}, {"type": "flatten"}, {"type": "dense", "units": 10},
        {"type": "softmax_cross_entropy"}]})");
    const Result<ModelSpec> loaded = load_model(file);
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_THAT(testing::refusal(build_graph(*loaded, Shape{1, 28, 28}, 10)),
                AllOf(HasSubstr(file.string()), HasSubstr("layer 1 (max_pool)")));
}

TEST_F(LoadModel, AMissingFileIsNotFound) {
    const auto file = folder_.path() / "none.json";
    const Result<ModelSpec> loaded = load_model(file);
    EXPECT_THAT(testing::refusal(loaded), HasSubstr(file.string()));
    EXPECT_EQ(loaded.error().code, ErrorCode::not_found);
}

TEST_F(LoadModel, AFolderIsNoModel) {
    EXPECT_THAT(testing::refusal(load_model(folder_.path())),
                AllOf(HasSubstr(folder_.path().string()), HasSubstr("folder")));
}

TEST_F(LoadModel, APipeIsNoModelAndIsNotWaitedFor) {
    const auto pipe = folder_.path() / "pipe.json";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_THAT(testing::refusal(load_model(pipe)),
                AllOf(HasSubstr(pipe.string()), HasSubstr("pipe")));
}

TEST_F(LoadModel, AFileLargerThanAMebibyteIsRefusedWithoutReadingItAll) {
    const auto file = write("large.json", "{}");
    std::filesystem::resize_file(file, std::uintmax_t{1} << 40);  // a hole: takes no disk space
    EXPECT_THAT(testing::refusal(load_model(file)),
                AllOf(HasSubstr(file.string()), HasSubstr("more than 1048576 bytes")));
}

TEST_F(LoadModel, AFileThatCannotBeReadToItsEndIsAnError) {
    const std::filesystem::path unreadable = "/proc/self/mem";  // opens, but address 0 fails
    if (!std::filesystem::exists(unreadable)) {
        GTEST_SKIP() << "this system has no " << unreadable;
    }
    const Result<ModelSpec> loaded = load_model(unreadable);
    EXPECT_THAT(testing::refusal(loaded), HasSubstr("/proc/self/mem"));
    EXPECT_EQ(loaded.error().code, ErrorCode::io);
}

TEST_F(LoadModel, FindModelTakesAPresetOrAFile) {
    EXPECT_EQ(find_model("vgg-small").value().name, "vgg-small");
    ModelSpec spec = testing::preset("simple-cnn");
    spec.name = "mine";
    EXPECT_EQ(find_model(write("m.json", to_json(spec)).string()).value().name, "mine");
    EXPECT_EQ(find_model(write("no-ending", to_json(spec)).string()).value().name, "mine");
}

TEST_F(LoadModel, AModelWithoutANameIsCalledByItsFile) {
    const auto file = write("mine.json", R"({"layers": [{"type": "softmax_cross_entropy"}]})");
    EXPECT_EQ(load_model(file).value().name, "mine.json");
}

TEST_F(LoadModel, FindModelHintsAtTheNearestPresetAndListsAll) {
    const Result<ModelSpec> found = find_model("simple-cn");
    EXPECT_THAT(testing::refusal(found),
                AllOf(HasSubstr("'simple-cn'"), HasSubstr("did you mean 'simple-cnn'?"),
                      HasSubstr("keras-cnn"), HasSubstr("bn-cnn"), HasSubstr("vgg-small")));
    EXPECT_EQ(found.error().code, ErrorCode::not_found);
    EXPECT_THAT(testing::refusal(find_model("VGG-small")), HasSubstr("'vgg-small'?"));
    EXPECT_THAT(testing::refusal(find_model("transformer")),
                ::testing::Not(HasSubstr("did you mean")));
}

TEST_F(LoadModel, FindModelOfAJsonFileThatIsMissingSpeaksOfTheFile) {
    EXPECT_THAT(testing::refusal(find_model((folder_.path() / "none.json").string())),
                AllOf(HasSubstr("none.json"), HasSubstr("there is no such file")));
}

TEST_F(LoadModel, FindModelRefusesNonsense) {
    EXPECT_THAT(testing::refusal(find_model("")), HasSubstr("''"));
    EXPECT_FALSE(find_model(std::string(100'000, 'a')));
    EXPECT_FALSE(find_model(std::string("a\0b", 3)));
}

}  // namespace
}  // namespace trainscope
