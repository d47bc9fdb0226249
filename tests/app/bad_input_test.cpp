// SPDX-License-Identifier: GPL-3.0-or-later
// Bad input gets one line that names the option or file, and an exit code: 2 for the command line
// itself, 1 for what it leads to.
#include <gmock/gmock.h>

#include <fstream>

#include "tests/app/program.h"

namespace trainscope {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
namespace fs = std::filesystem;

void expect_refused(const testing::Arguments& arguments, int exit_code,
                    const std::vector<std::string>& says) {
    SCOPED_TRACE(::testing::PrintToString(arguments));
    const testing::Outcome outcome = testing::run_program(arguments);
    EXPECT_EQ(outcome.exit_code, exit_code);
    EXPECT_THAT(outcome.err, StartsWith("trainscope: "));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    for (const std::string& part : says) {
        EXPECT_THAT(outcome.err, HasSubstr(part));
    }
}

struct Case {
    const char* name;
    testing::Arguments arguments;
    std::vector<std::string> says;
};

void PrintTo(const Case& one, std::ostream* out) {
    *out << one.name;
}

class WrongCommandLine : public ::testing::TestWithParam<Case> {};

TEST_P(WrongCommandLine, IsRefusedWithExitCode2) {
    expect_refused(GetParam().arguments, 2, GetParam().says);
}

INSTANTIATE_TEST_SUITE_P(
    Table, WrongCommandLine,
    ::testing::Values(
        Case{"UnknownCommand", {"trian"}, {"'trian'", "'train'"}},
        Case{"UnknownOption", {"train", "--bacth-size", "3"}, {"--bacth-size", "--batch-size"}},
        Case{"UnknownOptionOfTheWindow", {"--datset", "digits"}, {"--datset", "--dataset"}},
        Case{"NoValue", {"train", "--batch-size"}, {"--batch-size"}},
        Case{"BatchZero", {"train", "--batch-size", "0"}, {"--batch-size", "from 1", "'0'"}},
        Case{"BatchNegative", {"train", "--batch-size", "-3"}, {"--batch-size", "from 1"}},
        Case{"BatchWord", {"train", "--batch-size", "many"}, {"--batch-size", "'many'"}},
        Case{"BatchHuge",
             {"train", "--batch-size", "99999999999999999999"},
             {"--batch-size", "whole number from 1 to 1000000000"}},
        Case{"SeedHuge",
             {"train", "--seed", "18446744073709551615"},
             {"--seed", "from 0 to 9223372036854775807"}},
        Case{"ThreadsHuge",
             {"train", "--threads", "1025"},
             {"--threads", "from 1 to 1024", "'1025'"}},
        Case{"AccumulationHuge",
             {"train", "--accumulation", "1000001"},
             {"--accumulation", "from 1 to 1000000"}},
        Case{"AccumulationZero", {"train", "--accumulation", "0"}, {"--accumulation", "from 1"}},
        Case{"LearningRateNan", {"train", "--learning-rate", "nan"}, {"--learning-rate", "'nan'"}},
        Case{"LearningRateZero", {"train", "--learning-rate", "0"}, {"--learning-rate", "above 0"}},
        Case{"LearningRateComma", {"train", "--learning-rate", "0,05"}, {"--learning-rate"}},
        Case{"ClassesHuge", {"train", "--classes", "65537"}, {"--classes", "from 2 to 65536"}},
        Case{"EpochsZero", {"train", "--epochs", "0"}, {"--epochs"}},
        Case{"UnknownDataset", {"train", "--dataset", "mnsit"}, {"--dataset", "'mnist'"}},
        Case{"UnknownModel", {"train", "--model", "simple-cn"}, {"--model", "'simple-cnn'"}},
        Case{"UnknownOptimizer", {"train", "--optimizer", "adm"}, {"--optimizer", "'adam'"}},
        Case{"UnknownOperator",
             {"train", "--variant", "conv=direct"},
             {"--variant", "There is no operator 'conv'"}},
        Case{"UnknownVariant",
             {"train", "--variant", "conv2d=dirct"},
             {"--variant", "conv2d has no variant 'dirct'", "'direct'"}},
        Case{"VariantOfAMatrixTool",
             {"train", "--variant", "matrix_multiply=naive"},
             {"--variant", "No model has the operator matrix_multiply", "trainscope bench"}},
        Case{"VariantWithoutName", {"train", "--variant", "conv2d"}, {"--variant"}},
        Case{"MemoryBudget", {"train", "--memory-budget", "lots"}, {"--memory-budget", "8GiB"}},
        Case{"Shape", {"train", "--shape", "32x32"}, {"--shape", "3x32x32"}},
        Case{"UnknownFormat",
             {"train", "--export-formats", "csv,pgn"},
             {"--export-formats", "'png'"}},
        Case{"ChartDpi", {"train", "--chart-dpi", "1"}, {"--chart-dpi", "24 to 1200"}},
        Case{"ChartSize", {"train", "--chart-size", "0x9"}, {"--chart-size"}},
        Case{"FormatsWithoutExport",
             {"train", "--export-formats", "csv"},
             {"--export-formats: ", "--export"}},
        Case{"ChartSizeWithoutExport",
             {"train", "--chart-size", "400x300"},
             {"--chart-size: ", "--export"}},
        Case{
            "ChartDpiWithoutExport", {"train", "--chart-dpi", "96"}, {"--chart-dpi: ", "--export"}},
        Case{"ChartSizeWithoutCharts",
             {"train", "--export", "o", "--export-formats", "csv", "--chart-size", "400x300"},
             {"--chart-size: ", "png, svg or pdf"}},
        Case{"ChartDpiWithoutPixels",
             {"train", "--export", "o", "--export-formats", "csv,svg", "--chart-dpi", "96"},
             {"--chart-dpi: ", "png"}},
        Case{"BenchBatchSizeWithoutModel",
             {"bench", "--op", "relu", "--batch-size", "4"},
             {"--batch-size: ", "--model"}},
        Case{"BenchInputWithoutModel", {"bench", "--input", "1x8x8"}, {"--input: ", "--model"}},
        Case{"BenchClassesWithoutModel", {"bench", "--classes", "4"}, {"--classes: ", "--model"}},
        Case{"EmptyExportFolder", {"train", "--export", ""}, {"--export"}}),
    [](const auto& info) { return std::string(info.param.name); });

class Refused : public ::testing::Test {
  protected:
    std::string write(const char* name, const std::string& text) const {
        const fs::path file = folder_.path() / name;
        std::ofstream(file) << text;
        return file.string();
    }
    std::string path(const char* name) const { return (folder_.path() / name).string(); }
    static testing::Arguments train(const testing::Arguments& more) {
        testing::Arguments all = {"train", "--train-count", "64", "--test-count",
                                  "16",    "--steps",       "1"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }

    testing::TemporaryFolder folder_;
};

TEST_F(Refused, ADataSetOfFilesWithoutItsFolder) {
    expect_refused(train({"--dataset", "mnist"}), 1, {"mnist", "--data-dir"});
}

TEST_F(Refused, AFolderForADataSetWithoutFiles) {
    expect_refused(train({"--data-dir", folder_.path()}), 1, {"digits", "--data-dir"});
}

TEST_F(Refused, AnOptionThatTheDataSetDoesNotTake) {
    const std::vector<testing::Arguments> options = {
        {"--shape", "3x32x32"}, {"--classes", "10"}, {"--soft-labels"}};
    for (const testing::Arguments& option : options) {
        expect_refused(train(option), 1, {option.front(), "'digits'"});
        testing::Arguments mnist = {"--dataset", "mnist", "--data-dir", folder_.path()};
        mnist.insert(mnist.end(), option.begin(), option.end());
        expect_refused(train(mnist), 1, {option.front(), "'mnist'"});
    }
}

TEST_F(Refused, AFolderThatIsMissingOrEmpty) {
    for (const char* name : {"mnist", "cifar10", "cifar100", "image-folder"}) {
        expect_refused(train({"--dataset", name, "--data-dir", path("no")}), 1, {path("no")});
        expect_refused(train({"--dataset", name, "--data-dir", folder_.path()}), 1,
                       {folder_.path()});
    }
}

TEST_F(Refused, ABatchLargerThanTheDataSet) {
    expect_refused(train({"--batch-size", "65"}), 1, {"65", "64"});
}

TEST_F(Refused, AModelFileThatIsMissing) {
    expect_refused(train({"--model", path("m.json")}), 1, {path("m.json")});
}

TEST_F(Refused, AModelFileThatIsNotJson) {
    expect_refused(train({"--model", write("m.json", "{\"layers\": [")}), 1, {path("m.json")});
}

TEST_F(Refused, AModelWithAnUnknownLayer) {
    const std::string file = write("m.json", R"({"name": "m", "layers": [{"type": "lstm"}]})");
    expect_refused(train({"--model", file}), 1, {file, "lstm"});
}

TEST_F(Refused, AModelWhosePoolIsLargerThanItsInput) {
    const std::string file =
        write("m.json",
              R"({"layers": [{"type": "max_pool", "kernel": 64}, {"type": "flatten"},
            {"type": "dense", "units": "classes"}, {"type": "softmax_cross_entropy"}]})");
    expect_refused(train({"--model", file}), 1,
                   {"m.json", "max_pool", "64x64 is larger than its input of 28x28"});
}

TEST_F(Refused, AnUnknownDevice) {
    expect_refused(train({"--device", "tpu"}), 1, {"tpu", "cpu", "emulated"});
}

TEST_F(Refused, AMemoryBudgetThatDoesNotHoldTheTraining) {
    expect_refused(train({"--memory-budget", "1KiB"}), 1, {"1.0 KiB"});
}

TEST_F(Refused, AnExportFolderThatIsAFile) {
    const std::string file = write("taken", "x");
    expect_refused(train({"--export", file}), 1, {"--export", file});
}

}  // namespace
}  // namespace trainscope
