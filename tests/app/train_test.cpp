// SPDX-License-Identifier: GPL-3.0-or-later
// `trainscope train` does the whole job without a window.
#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "engine/core/device.h"
#include "engine/record/log_export.h"
#include "tests/app/program.h"

namespace trainscope {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    EXPECT_TRUE(in) << file;
    return {std::istreambuf_iterator<char>(in), {}};
}

using Rows = std::vector<std::vector<std::string>>;

Rows read_csv(const fs::path& file) {
    std::istringstream in(text_of(file));
    Rows rows;
    for (std::string line; std::getline(in, line);) {
        rows.emplace_back();
        std::istringstream fields(line + ",");
        for (std::string field; std::getline(fields, field, ',');) {
            rows.back().push_back(field);
        }
    }
    return rows;
}

Rows without_times(Rows rows) {
    for (auto& row : rows) {
        for (std::size_t i = metric_count; i-- > 0;) {
            if (metric_table()[i].is_time) {
                row.erase(row.begin() + static_cast<std::ptrdiff_t>(i));
            }
        }
    }
    return rows;
}

// What is left of a JSON log when everything a clock measured is taken out.
std::vector<json> without_times(const fs::path& file) {
    std::istringstream in(text_of(file));
    std::vector<json> lines;
    for (std::string line; std::getline(in, line);) {
        json object = json::parse(line);
        object.erase("started_at");
        object.erase("seconds");
        for (const MetricInfo& info : metric_table()) {
            if (info.is_time) {
                object.erase(std::string(info.name));
            }
        }
        lines.push_back(std::move(object));
    }
    return lines;
}

class Train : public ::testing::Test {
  protected:
    fs::path folder(const char* name = "export") const { return folder_.path() / name; }

    testing::Outcome train(const testing::Arguments& more, const char* name = "export",
                           const testing::Arguments& environment = {}) const {
        testing::Arguments all = {"train",     "--dataset",    "digits", "--train-count",
                                  "200",       "--test-count", "50",     "--batch-size",
                                  "32",        "--epochs",     "2",      "--export",
                                  folder(name)};
        all.insert(all.end(), more.begin(), more.end());
        testing::Outcome outcome = testing::run_program(all, environment);
        EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
        return outcome;
    }

    testing::TemporaryFolder folder_;
};

TEST_F(Train, WritesEveryStepAndEveryEvaluationToItsLogs) {
    const testing::Outcome outcome = train({"--export-formats", "csv,jsonl,annotations,run"});
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("simple-cnn on digits"), HasSubstr("Finished"),
                                   HasSubstr("samples/s"), HasSubstr("test accuracy")));
    const Rows rows = read_csv(folder() / "log.csv");
    ASSERT_THAT(rows, SizeIs(1 + 14));  // two epochs of 200 samples in batches of 32
    EXPECT_EQ(rows[7][1], "200");       // the short last batch is trained on
    EXPECT_EQ(rows[14][0], "14");
    EXPECT_NE(rows[7][metric_count], "");
    EXPECT_EQ(rows[8][metric_count], "");
    EXPECT_NE(rows[14][metric_count + 1], "");

    int steps = 0;
    int evaluations = 0;
    for (const json& line : without_times(folder() / "log.jsonl")) {
        steps += line["type"] == "step" ? 1 : 0;
        evaluations += line["type"] == "evaluation" ? 1 : 0;
    }
    EXPECT_EQ(steps, 14);
    EXPECT_EQ(evaluations, 2);
    const json run = json::parse(text_of(folder() / "run.json"));
    EXPECT_EQ(run["configuration"]["micro_batch"], "32");
    EXPECT_EQ(run["configuration"]["dataset"], "digits");
    EXPECT_TRUE(run["environment"].contains("oneDNN"));
}

TEST_F(Train, OnAnEmulatedDeviceItSaysSoWhereverTimesAreShown) {
    if (!find_device("emulated")) {
        GTEST_SKIP() << "this build has no emulated device";
    }
    const testing::Outcome outcome =
        train({"--device", "emulated", "--train-count", "4", "--test-count", "2", "--batch-size",
               "2", "--epochs", "1", "--export-formats", "svg"},
              "emulated");
    EXPECT_THAT(outcome.out, HasSubstr("\nemulation: times say nothing of a GPU\n"));
    EXPECT_THAT(text_of(folder("emulated") / "throughput.svg"),
                HasSubstr("Throughput (emulation)"));
    EXPECT_THAT(text_of(folder("emulated") / "loss.svg"), Not(HasSubstr("(emulation)")));
}

TEST_F(Train, WritesItsChartsAsPicturesWithoutADisplay) {
    train({"--export-formats", "png,svg,pdf", "--chart-size", "400x300"});
    for (const char* name : {"loss", "throughput", "memory"}) {
        EXPECT_THAT(text_of(folder() / (std::string(name) + ".png")), StartsWith("\x89PNG"));
        EXPECT_THAT(text_of(folder() / (std::string(name) + ".svg")), HasSubstr("<svg"));
        EXPECT_THAT(text_of(folder() / (std::string(name) + ".pdf")), StartsWith("%PDF"));
    }
    EXPECT_FALSE(fs::exists(folder() / "log.csv"));
}

TEST_F(Train, TheSameSeedOnOneThreadGivesTheSameLogToTheBitApartFromTimes) {
    const testing::Arguments same = {"--threads",      "1", "--seed",           "7",
                                     "--accumulation", "2", "--export-formats", "csv,jsonl"};
    for (const char* model : {"simple-cnn", "bn-cnn"}) {
        testing::Arguments one = same;
        one.insert(one.end(), {"--model", model});
        train(one, "first");
        train(one, "second");
        const Rows first = without_times(read_csv(folder("first") / "log.csv"));
        EXPECT_THAT(first, SizeIs(1 + 8));
        EXPECT_EQ(first, without_times(read_csv(folder("second") / "log.csv")));
        EXPECT_EQ(without_times(folder("first") / "log.jsonl"),
                  without_times(folder("second") / "log.jsonl"));
    }
    train({"--threads", "1", "--seed", "8", "--accumulation", "2"}, "other");
    train(same, "first");
    EXPECT_NE(without_times(read_csv(folder("first") / "log.csv")),
              without_times(read_csv(folder("other") / "log.csv")));
}

TEST_F(Train, FollowsItsKnobs) {
    train({"--batch-size", "10", "--accumulation", "3", "--learning-rate", "0.01", "--optimizer",
           "adam", "--steps", "5", "--eval-every", "2", "--variant", "conv2d=direct", "--variant",
           "dense=naive", "--export-formats", "csv,run"});
    const Rows rows = read_csv(folder() / "log.csv");
    ASSERT_THAT(rows, SizeIs(1 + 5));
    EXPECT_EQ(rows[1][static_cast<std::size_t>(Metric::micro_batch)], "10");
    EXPECT_EQ(rows[1][static_cast<std::size_t>(Metric::accumulation)], "3");
    EXPECT_EQ(rows[1][static_cast<std::size_t>(Metric::batch_samples)], "30");
    EXPECT_THAT(rows[1][static_cast<std::size_t>(Metric::learning_rate)], StartsWith("0.01"));
    EXPECT_NE(rows[2][metric_count], "");
    EXPECT_NE(rows[4][metric_count], "");
    const json run = json::parse(text_of(folder() / "run.json"));
    EXPECT_EQ(run["configuration"]["optimizer"], "adam");
    EXPECT_EQ(run["configuration"]["variant.conv2d"], "direct");
    EXPECT_EQ(run["configuration"]["variant.dense"], "naive");
}

TEST_F(Train, AnInterruptEndsItCleanlyAndWhatWasRecordedIsExported) {
    testing::Program program({"train", "--dataset", "digits", "--train-count", "2000",
                              "--test-count", "50", "--epochs", "100000", "--eval-every", "5",
                              "--export", folder(), "--export-formats", "csv,jsonl"});
    ASSERT_TRUE(program.wait_for_output("test loss"));
    program.signal(SIGINT);
    const testing::Outcome outcome = program.finish();
    EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("Stopped"));
    EXPECT_GE(read_csv(folder() / "log.csv").size(), 6u);
    EXPECT_THAT(text_of(folder() / "log.jsonl"), HasSubstr("evaluation"));
}

TEST_F(Train, ATerminalThatGoesAwayEndsItAsAnInterruptDoesThoughItSaysSoTwice) {
    testing::Program program({"train", "--dataset", "digits", "--train-count", "2000",
                              "--test-count", "50", "--epochs", "100000", "--eval-every", "5",
                              "--export", folder(), "--export-formats", "csv,png"});
    ASSERT_TRUE(program.wait_for_output("test loss"));
    program.signal(SIGHUP);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    program.signal(SIGHUP);
    const testing::Outcome outcome = program.finish();
    EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
    EXPECT_GE(read_csv(folder() / "log.csv").size(), 6u);
    EXPECT_TRUE(fs::exists(folder() / "loss.png"));
}

TEST_F(Train, AnInterruptWhileDataIsOpenedEndsItWithoutAnExport) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        testing::Program program({"train", "--dataset", "digits", "--train-count", "1000000",
                                  "--test-count", "50", "--export", folder()});
        ASSERT_TRUE(program.wait_until_it_catches(signal));
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        program.signal(signal);
        const testing::Outcome outcome = program.finish();
        EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
        EXPECT_THAT(outcome.err, HasSubstr("interrupted before the training began"));
        EXPECT_FALSE(fs::exists(folder() / "log.csv"));
    }
}

TEST_F(Train, ADivergedRunSaysSoAndExportsWhatThereIs) {
    testing::TemporaryFolder other;
    const testing::Outcome outcome = testing::run_program(
        {"train", "--dataset", "digits", "--train-count", "200", "--test-count", "50", "--epochs",
         "1", "--learning-rate", "1e20", "--export", other.path(), "--export-formats", "csv"});
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_THAT(outcome.err, HasSubstr("the loss stopped being finite at step "));
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("loss became"), Not(HasSubstr("-nan"))));
    EXPECT_TRUE(fs::exists(other.path() / "log.csv"));
}

TEST_F(Train, AReaderOfItsOutputThatGoesAwayCostsNoExport) {
    const std::string command = std::string(TRAINSCOPE_PROGRAM) +
                                " train --dataset digits --train-count 200 --test-count 50"
                                " --epochs 3 --export-formats csv --export '" +
                                folder().string() + "' | head -n 1 > /dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0);  // NOLINT(cert-env33-c): a pipe is what is tested
    EXPECT_THAT(read_csv(folder() / "log.csv"), SizeIs(1 + 21));
}

TEST_F(Train, ClosedStandardStreamsCostNothing) {
    testing::Program program({"train", "--train-count", "64", "--test-count", "16", "--steps", "2",
                              "--export", folder(), "--export-formats", "csv"},
                             {}, testing::Streams::closed);
    EXPECT_EQ(program.finish().exit_code, 0);
    EXPECT_THAT(read_csv(folder() / "log.csv"), SizeIs(1 + 2));
}

TEST_F(Train, AnExportThatCannotBeWrittenIsSaidBeforeItTrains) {
    fs::create_directories(folder() / "log.csv");
    fs::create_directories(folder() / "memory.png");
    const auto expect_refused = [](const fs::path& to, const char* formats, const fs::path& named) {
        const testing::Outcome outcome =
            testing::run_program({"train", "--train-count", "64", "--test-count", "16", "--steps",
                                  "1", "--export", to, "--export-formats", formats});
        EXPECT_EQ(outcome.exit_code, 1);
        EXPECT_EQ(outcome.out, "");
        EXPECT_THAT(outcome.err, AllOf(HasSubstr("--export: "), HasSubstr(named.string())));
    };
    expect_refused(folder(), "csv", folder() / "log.csv");
    expect_refused(folder(), "jsonl,png", folder() / "memory.png");
    expect_refused("/sys", "csv", "/sys");  // access() says yes to the superuser
    train({"--steps", "1", "--export-formats", "jsonl"});
    EXPECT_TRUE(fs::exists(folder() / "log.jsonl")) << "what is not written is in nobody's way";
    EXPECT_EQ(std::distance(fs::directory_iterator(folder()), {}), 3);
}

TEST_F(Train, WhereALogFindsNoRoomNoPictureIsLeftAndOneSentenceSaysSo) {
    fs::create_directories(folder());
    std::ofstream(folder() / "log.csv") << "of an earlier run";
    // No file may grow beyond 4 or 8 KiB, as the shell counts: as on a full disk.
    const std::string command = "trap '' XFSZ; ulimit -f 8; exec " +
                                std::string(TRAINSCOPE_PROGRAM) +
                                " train --train-count 200 --test-count 10 --batch-size 2"
                                " --quiet --export '" +
                                folder().string() + "' 2> '" + folder("said").string() + "'";
    EXPECT_NE(std::system(command.c_str()), 0);  // NOLINT(cert-env33-c)
    EXPECT_EQ(text_of(folder("said")), "trainscope: Cannot write '" +
                                           (folder() / "log.csv").string() +
                                           "' and 1 more file: File too large; charts were left "
                                           "out.\n");
    EXPECT_EQ(text_of(folder() / "log.csv"), "of an earlier run");
    EXPECT_TRUE(fs::exists(folder() / "annotations.csv"));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder()), {}), 4)
        << "with layer_times.csv and run.json";
}

TEST_F(Train, WhatChartsAreToBeIsCheckedBeforeItTrains) {
    const testing::Outcome outcome = testing::run_program(
        {"train", "--dataset", "digits", "--train-count", "200", "--export", folder(),
         "--export-formats", "png", "--chart-size", "16000x16000", "--chart-dpi", "1200"});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("--chart-size"));
    EXPECT_EQ(outcome.out, "");
}

TEST_F(Train, NumbersAreReadAndWrittenTheSameWhereAPointIsAComma) {
    const fs::path locales = folder("locales");
    fs::create_directories(locales);
    const std::string made =
        "localedef -i de_DE -f UTF-8 '" + (locales / "de_DE.UTF-8").string() + "' >/dev/null 2>&1";
    if (std::system(made.c_str()) != 0) {  // NOLINT(cert-env33-c)
        GTEST_SKIP() << "no localedef, or no source of the locale de_DE, here";
    }
    const testing::Arguments same = {
        "--threads", "1", "--learning-rate", "0.03", "--export-formats", "csv,jsonl,svg"};
    train(same, "point");
    const testing::Outcome outcome =
        train(same, "comma", {"LC_ALL=de_DE.UTF-8", "LOCPATH=" + locales.string()});
    EXPECT_THAT(outcome.out, HasSubstr("learning rate 0.03"));
    EXPECT_EQ(without_times(read_csv(folder("point") / "log.csv")),
              without_times(read_csv(folder("comma") / "log.csv")));
    EXPECT_EQ(without_times(folder("point") / "log.jsonl"),
              without_times(folder("comma") / "log.jsonl"));
    EXPECT_THAT(text_of(folder("comma") / "loss.svg"), HasSubstr("<svg"));
}

TEST_F(Train, ChartsAreDrawnWithoutAWordAboutARuntimeFolder) {
    const testing::Outcome outcome = train({"--export-formats", "svg"});
    EXPECT_EQ(outcome.err, "");
}

TEST_F(Train, IsQuietWhenAskedTo) {
    const testing::Outcome outcome = train({"--quiet", "--export-formats", "csv"});
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, "");
}

TEST_F(Train, IntoAFileItPrintsPlainLines) {
    const testing::Outcome outcome = train({"--export-formats", "csv"});
    EXPECT_THAT(outcome.out, AllOf(Not(HasSubstr("\033")), Not(HasSubstr("\r"))));
}

TEST_F(Train, ReplacesTheFilesOfAnEarlierExport) {
    train({"--export-formats", "csv"});
    train({"--export-formats", "csv", "--epochs", "1"});
    EXPECT_THAT(read_csv(folder() / "log.csv"), SizeIs(1 + 7));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder()), {}), 1);
}

TEST_F(Train, SoftLabelsAndOtherShapesOfRandomDataTrain) {
    const testing::Outcome outcome = testing::run_program({"train",
                                                           "--dataset",
                                                           "random",
                                                           "--shape",
                                                           "2x9x7",
                                                           "--classes",
                                                           "3",
                                                           "--soft-labels",
                                                           "--train-count",
                                                           "37",
                                                           "--test-count",
                                                           "5",
                                                           "--batch-size",
                                                           "8",
                                                           "--model",
                                                           "keras-cnn",
                                                           "--export",
                                                           folder(),
                                                           "--export-formats",
                                                           "csv"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(read_csv(folder() / "log.csv"), SizeIs(1 + 5));
}

TEST_F(Train, RealMnistTrainsAsTheReadmeShowsIt) {
    TRAINSCOPE_NEEDS_SHARED();
    const testing::Outcome outcome =
        testing::run_program({"train",
                              "--dataset",
                              "mnist",
                              "--data-dir",
                              testing::shared_folder() / "data" / "mnist",
                              "--train-count",
                              "512",
                              "--test-count",
                              "64",
                              "--model",
                              "simple-cnn",
                              "--batch-size",
                              "32",
                              "--accumulation",
                              "4",
                              "--epochs",
                              "2",
                              "--seed",
                              "1",
                              "--export",
                              folder()});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(read_csv(folder() / "log.csv"), SizeIs(1 + 8));
    for (const LogExporter& exporter : log_exporters()) {
        EXPECT_TRUE(fs::exists(folder() / exporter.file_name));
    }
    EXPECT_TRUE(fs::exists(folder() / "loss.png"));
}

}  // namespace
}  // namespace trainscope
