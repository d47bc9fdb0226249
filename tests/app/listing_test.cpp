// SPDX-License-Identifier: GPL-3.0-or-later
// What the program says without training: lists, help, version, and that there is no display.
#include <gmock/gmock.h>

#include <array>
#include <cstdio>
#include <fstream>

#include "engine/core/build_info.h"
#include "engine/core/device.h"
#include "engine/core/format.h"
#include "engine/data/dataset.h"
#include "engine/model/graph.h"
#include "engine/model/model_spec.h"
#include "engine/ops/kernel_variant.h"
#include "tests/app/program.h"

namespace trainscope {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::run_program;

Outcome run_well(const testing::Arguments& arguments) {
    Outcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome;
}

TEST(Listing, DatasetsNamesEveryKind) {
    const Outcome outcome = run_well({"datasets"});
    for (const DatasetKind& kind : dataset_kinds()) {
        EXPECT_THAT(outcome.out, AllOf(HasSubstr(kind.name), HasSubstr(kind.title)));
    }
}

TEST(Listing, ADatasetIsShownWithItsSizeAndClasses) {
    const testing::TemporaryFolder folder;
    std::ofstream(folder.path() / "batches.meta.txt") << "plane\ncar\nbird\ncat\ndeer\ndog\nfrog\n"
                                                         "horse\nship\ntruck\n";
    for (const char* file : {"data_batch_1.bin", "test_batch.bin"}) {
        std::ofstream(folder.path() / file) << std::string(3 * 3073, '\x01');
    }
    const std::string dir = folder.path().string();
    const Outcome outcome = run_well({"datasets", "cifar10", "--data-dir", dir});
    EXPECT_THAT(outcome.out,
                AllOf(HasSubstr(dir), HasSubstr("plane, car, bird"),
                      ContainsRegex("train samples +3\n"), ContainsRegex("classes +10\n")));
    const Outcome wrong = run_program({"datasets", "cifar11"});
    EXPECT_EQ(wrong.exit_code, 2);
    EXPECT_THAT(wrong.err, HasSubstr("cifar10"));
}

std::string one_black_pixel() {  // as PNG
    constexpr std::array<unsigned char, 67> bytes = {
        0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48,
        0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00,
        0x00, 0x3a, 0x7e, 0x9b, 0x55, 0x00, 0x00, 0x00, 0x0a, 0x49, 0x44, 0x41, 0x54, 0x78,
        0x9c, 0x63, 0x60, 0x00, 0x00, 0x00, 0x02, 0x00, 0x01, 0x48, 0xaf, 0xa4, 0x71, 0x00,
        0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
    return {bytes.begin(), bytes.end()};
}

TEST(Listing, NamesOfFoldersCannotBreakALineOrSwitchTheTerminal) {
    const testing::TemporaryFolder folder;
    const std::filesystem::path train = folder.path() / "train";
    for (const char* name : {"a\nb", "caf\xe9", "\x1b[31mred"}) {
        std::filesystem::create_directories(train / name);
        std::ofstream(train / name / "1.png") << one_black_pixel();
    }
    const testing::Arguments show = {"datasets", "image-folder", "--data-dir",
                                     folder.path().string()};
    EXPECT_THAT(run_well(show).out, HasSubstr("class names    \\x1b[31mred, a\\nb, caf\\xe9\n"));

    std::filesystem::remove(train / "a\nb" / "1.png");
    const Outcome refused = run_program(show);
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.err, HasSubstr("of the class 'a\\nb'"));
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
}

TEST(Listing, ModelsNamesEveryPreset) {
    const Outcome outcome = run_well({"models"});
    for (const ModelSpec& preset : model_presets()) {
        EXPECT_THAT(outcome.out, AllOf(HasSubstr(preset.name), HasSubstr(preset.description)));
    }
}

TEST(Listing, AModelIsShownLayerByLayerForTheShapeOfItsData) {
    for (const ModelSpec& preset : model_presets()) {
        const Outcome outcome = run_well(
            {"models", preset.name, "--dataset", "random", "--shape", "3x32x32", "--classes", "7"});
        const auto graph = build_graph(preset, Shape{3, 32, 32}, 7);
        ASSERT_TRUE(graph);
        EXPECT_THAT(outcome.out, HasSubstr(format_count(graph->parameter_count())));
        for (const SummaryRow& row : summarize(*graph)) {
            EXPECT_THAT(outcome.out, AllOf(HasSubstr(row.layer), HasSubstr(row.output)));
        }
    }
}

TEST(Listing, DevicesNamesEveryDevice) {
    const Outcome outcome = run_well({"devices"});
    for (const DeviceInfo& device : list_devices()) {
        EXPECT_THAT(outcome.out, AllOf(HasSubstr(device.id), HasSubstr(device.description)));
    }
}

TEST(Listing, VariantsNamesEveryVariantOfEveryOperator) {
    const Outcome outcome = run_well({"variants"});
    for (const VariantInfo& info : list_variants(DeviceKind::cpu)) {
        EXPECT_THAT(outcome.out,
                    AllOf(HasSubstr(info.op), HasSubstr(info.name), HasSubstr(info.description)));
    }
}

TEST(Listing, VersionNamesTheLibrariesItRunsWith) {
    EXPECT_THAT(run_well({"--version"}).out,
                AllOf(HasSubstr("trainscope " + build_info().version), HasSubstr("Qt 6."),
                      HasSubstr("oneDNN "), HasSubstr(build_info().compiler)));
}

TEST(Listing, HelpNamesTheCommandsAndTheirOptions) {
    EXPECT_THAT(run_well({"--help"}).out, AllOf(HasSubstr("train"), HasSubstr("--start")));
    EXPECT_THAT(run_well({"train", "--help"}).out,
                AllOf(HasSubstr("--batch-size"), HasSubstr("--export"), HasSubstr("replaced")));
}

// What a shell prints in which no file may grow, and the output goes to one: as on a full disk, but
// for the reason.
std::string run_without_room(const std::string& words) {
    const testing::TemporaryFolder folder;
    const std::string command = "trap '' XFSZ; ulimit -f 0; " + std::string(TRAINSCOPE_PROGRAM) +
                                " " + words + " 2>&1 > '" + (folder.path() / "out").string() +
                                "'; echo status $?";
    std::FILE* pipe = popen(command.c_str(), "r");  // NOLINT(cert-env33-c)
    std::string said;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
        said += static_cast<char>(c);
    }
    pclose(pipe);
    return said;
}

TEST(Output, ThatCannotBeWrittenIsAnErrorAndSaysWhy) {
    for (const char* words :
         {"datasets", "models", "models simple-cnn", "devices", "variants", "--help", "--version",
          "train --train-count 64 --test-count 16 --steps 1"}) {
        EXPECT_EQ(run_without_room(words),
                  "trainscope: cannot write to standard output: File too large.\nstatus 1\n")
            << words;
    }
}

TEST(NoDisplay, IsSaidInOneLineThatPointsToTrain) {
    const Outcome outcome = run_program({});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr("trainscope train"));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);
}

TEST(NoDisplay, ADisplayThatDoesNotAnswerIsSaidTheSameWay) {
    const Outcome outcome = run_program({}, {"DISPLAY=:987"});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("trainscope train"));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

}  // namespace
}  // namespace trainscope
