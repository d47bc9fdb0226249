// SPDX-License-Identifier: GPL-3.0-or-later
// Logs: what is written is read back here, to the bit, in any locale, while a training writes.
#include "engine/record/log_export.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <atomic>
#include <bit>
#include <charconv>
#include <clocale>
#include <csignal>
#include <fstream>
#include <limits>
#include <locale>
#include <nlohmann/json.hpp>
#include <thread>

#include "engine/core/build_info.h"
#include "tests/support/shared.h"

namespace trainscope {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
namespace fs = std::filesystem;

using Rows = std::vector<std::vector<std::string>>;

// RFC 4180, as any reader takes it apart.
Rows parse_csv(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    Rows rows;
    std::vector<std::string> row(1);
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
                row.back() += '"';
                ++i;
            } else if (c == '"') {
                quoted = false;
            } else {
                row.back() += c;
            }
        } else if (c == '"') {
            quoted = true;
        } else if (c == ',') {
            row.emplace_back();
        } else if (c == '\n') {
            rows.push_back(row);
            row.assign(1, "");
        } else {
            row.back() += c;
        }
    }
    EXPECT_EQ(row, std::vector<std::string>{""}) << "the last line is not ended";
    return rows;
}

std::vector<json> parse_lines(const fs::path& file) {
    std::ifstream in(file);
    std::vector<json> lines;
    for (std::string line; std::getline(in, line);) {
        lines.push_back(json::parse(line));
    }
    return lines;
}

double number(const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    EXPECT_TRUE(error == std::errc{} && end == text.data() + text.size()) << "'" << text << "'";
    return value;
}

StepSample sample_of(double step, double loss = 0.1) {
    StepSample sample{};
    for (std::size_t i = 0; i < metric_count; ++i) {
        sample[i] = static_cast<double>(i) + 1.0 / 3.0;
    }
    sample[static_cast<std::size_t>(Metric::step)] = step;
    sample[static_cast<std::size_t>(Metric::loss)] = loss;
    return sample;
}

EvaluationSample evaluation_at(double step, double loss, double accuracy) {
    return {.step = step, .samples = step * 32, .loss = loss, .accuracy = accuracy};
}

class Log : public ::testing::Test {
  protected:
    fs::path file(const char* name = "log") const { return folder_.path() / name; }
    Rows csv() const {
        const auto written = write_csv(file(), telemetry_);
        EXPECT_TRUE(written) << written.error().message;
        return parse_csv(file());
    }
    std::vector<json> lines() const {
        const auto written = write_json_lines(file(), telemetry_, run_);
        EXPECT_TRUE(written) << written.error().message;
        return parse_lines(file());
    }

    testing::TemporaryFolder folder_;
    Telemetry telemetry_;
    RunDescription run_;
};

TEST_F(Log, CsvHasOneColumnAMetricAndTheEvaluationsBesideThem) {
    const Rows rows = csv();
    ASSERT_THAT(rows, SizeIs(1));
    ASSERT_THAT(rows[0], SizeIs(metric_count + 2));
    for (std::size_t i = 0; i < metric_count; ++i) {
        EXPECT_EQ(rows[0][i], metric_table()[i].name);
    }
    EXPECT_EQ(rows[0][metric_count], "eval_loss");
    EXPECT_EQ(rows[0][metric_count + 1], "eval_accuracy");
}

TEST_F(Log, CsvHoldsEveryStepAndEveryValueToTheBit) {
    const std::vector<double> awkward = {0.1,
                                         1.0 / 3.0,
                                         -0.0,
                                         0.0,
                                         1e-320,
                                         1.7976931348623157e308,
                                         123456789012345680.0,
                                         100000.0,
                                         -2.5e-7,
                                         std::numeric_limits<double>::infinity(),
                                         -std::numeric_limits<double>::infinity(),
                                         double{0.1F}};
    for (std::size_t i = 0; i < 5000; ++i) {
        telemetry_.append(sample_of(static_cast<double>(i + 1), awkward[i % awkward.size()]));
    }
    const Rows rows = csv();
    ASSERT_THAT(rows, SizeIs(5001));
    for (std::size_t i = 0; i < 5000; ++i) {
        for (std::size_t m = 0; m < metric_count; ++m) {
            ASSERT_EQ(std::bit_cast<std::uint64_t>(number(rows[i + 1][m])),
                      std::bit_cast<std::uint64_t>(telemetry_.at(static_cast<Metric>(m), i)))
                << rows[i + 1][m];
        }
    }
}

TEST_F(Log, WholeNumbersStayWholeInCsv) {
    telemetry_.append(sample_of(100000));
    EXPECT_EQ(csv()[1][0], "100000");
}

TEST_F(Log, CsvWritesNotANumberAsNan) {
    telemetry_.append(sample_of(1, std::numeric_limits<double>::quiet_NaN()));
    EXPECT_EQ(csv()[1][static_cast<std::size_t>(Metric::loss)], "nan");
}

TEST_F(Log, CsvPutsAnEvaluationInTheRowOfItsStepAndLeavesTheOthersBlank) {
    for (int step = 1; step <= 3; ++step) {
        telemetry_.append(sample_of(step));
    }
    telemetry_.append(evaluation_at(2, 0.25, 0.875));
    const Rows rows = csv();
    ASSERT_THAT(rows, SizeIs(4));
    EXPECT_EQ(rows[1][metric_count], "");
    EXPECT_EQ(rows[2][metric_count], "0.25");
    EXPECT_EQ(rows[2][metric_count + 1], "0.875");
    EXPECT_EQ(rows[3][metric_count + 1], "");
}

TEST_F(Log, CsvLosesNoEvaluationBeforeTheFirstStepNorASecondOneAtAStep) {
    telemetry_.append(evaluation_at(0, 2.5, 0.125));
    telemetry_.append(sample_of(1));
    telemetry_.append(evaluation_at(1, 1.5, 0.25));
    telemetry_.append(evaluation_at(1, 1.5, 0.5));
    const Rows rows = csv();
    ASSERT_THAT(rows, SizeIs(4));
    for (const auto& row : rows) {
        EXPECT_THAT(row, SizeIs(metric_count + 2));
    }
    EXPECT_EQ(rows[1][0], "0");
    EXPECT_EQ(rows[1][metric_count], "2.5");
    EXPECT_EQ(rows[1][static_cast<std::size_t>(Metric::loss)], "");
    EXPECT_EQ(rows[2][metric_count + 1], "0.25");
    EXPECT_EQ(rows[3][metric_count + 1], "0.5");
}

TEST_F(Log, JsonLinesBeginWithTheRunAndFollowTheOrderOfSteps) {
    run_.configuration = {{"model", "simple-cnn"}};
    run_.environment = {{"host", "a \"quoted\"\nname, 主机"}};
    telemetry_.append(sample_of(1));
    telemetry_.append(evaluation_at(1, 0.5, 0.75));
    telemetry_.append(
        Annotation{.step = 1, .what = "micro_batch", .from = "32", .to = "64", .reason = {}});
    telemetry_.append(sample_of(2));
    const std::vector<json> all = lines();
    std::vector<std::string> types;
    types.reserve(all.size());
    for (const json& line : all) {
        types.push_back(line.at("type"));
    }
    ASSERT_THAT(types, ElementsAre("run", "step", "evaluation", "annotation", "step"));
    EXPECT_EQ(all[0]["configuration"]["model"], "simple-cnn");
    EXPECT_EQ(all[0]["environment"]["host"], run_.environment["host"]);
    EXPECT_EQ(all[2]["accuracy"], 0.75);
    EXPECT_EQ(all[3]["to"], "64");
    EXPECT_EQ(all[3]["refused"], false);
    for (std::size_t m = 0; m < metric_count; ++m) {
        EXPECT_EQ(all[4].at(std::string(metric_table()[m].name)),
                  telemetry_.at(static_cast<Metric>(m), 1));
    }
}

TEST_F(Log, JsonLinesSpellWhatJsonHasNoNumberFor) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    telemetry_.append(sample_of(1, std::numeric_limits<double>::quiet_NaN()));
    telemetry_.append(sample_of(2, infinity));
    telemetry_.append(sample_of(3, -infinity));
    const std::vector<json> all = lines();
    EXPECT_EQ(all[1]["loss"], "NaN");
    EXPECT_EQ(all[2]["loss"], "Infinity");
    EXPECT_EQ(all[3]["loss"], "-Infinity");
}

TEST_F(Log, TextWithQuotesCommasLineBreaksAndChineseSurvivesBothForms) {
    const std::string awkward = "a \"b\", c\r\nd\te 批大小 \\";
    telemetry_.append(Annotation{.step = 3,
                                 .what = awkward,
                                 .from = ",",
                                 .to = "\"",
                                 .refused = true,
                                 .reason = "因为 \"满\""});
    const json line = lines().at(1);
    EXPECT_EQ(line["what"], awkward);
    EXPECT_EQ(line["reason"], "因为 \"满\"");
    ASSERT_TRUE(write_annotations_csv(file(), telemetry_));
    const Rows rows = parse_csv(file());
    ASSERT_THAT(rows, SizeIs(2));
    EXPECT_THAT(rows[1],
                ElementsAre("3", "0", "0", "0", awkward, ",", "\"", "true", "因为 \"满\"", "knob"));
}

TEST(LayerTimes, AreARowALayerAndBlankWhereALayerWasComputedWithTheOneBeforeIt) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    const testing::TemporaryFolder folder;
    Telemetry telemetry({{"conv1", "conv2d"}, {"relu1", "relu"}, {"flatten1", ""}, {"a,b", "x"}});
    telemetry.operator_times().append(3, std::array{0.25, 0.5, none, none, none, none, 0.1, none});
    const fs::path file = folder.path() / "layer_times.csv";
    ASSERT_TRUE(write_layer_times_csv(file, telemetry));
    EXPECT_THAT(parse_csv(file), ElementsAre(ElementsAre("step", "layer", "operator",
                                                         "forward_seconds", "backward_seconds"),
                                             ElementsAre("3", "conv1", "conv2d", "0.25", "0.5"),
                                             ElementsAre("3", "relu1", "relu", "", ""),
                                             ElementsAre("3", "a,b", "x", "0.1", "")));
}

TEST_F(Log, BytesThatAreNotUtf8DoNotBreakTheJson) {
    run_.configuration = {{"dataset_source", "/data/\xff\xfe"}};
    telemetry_.append(Annotation{.what = "\xc3", .from = {}, .to = {}, .reason = {}});
    EXPECT_THAT(lines(), SizeIs(2));
}

// A locale that writes 1.234,5 for 1234.5.
class CommaLocale : public std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

TEST_F(Log, IsTheSameInALocaleWithADecimalComma) {
    for (int step = 1; step <= 3; ++step) {
        telemetry_.append(sample_of(1234567 + step, 1234.5));
    }
    telemetry_.append(evaluation_at(1234568, 0.5, 0.25));
    const Rows plain = csv();
    const std::vector<json> plain_lines = lines();

    const std::locale before = std::locale::global(std::locale(std::locale(), new CommaLocale));
    const std::string numbers_before = std::setlocale(LC_NUMERIC, nullptr);
    std::setlocale(LC_NUMERIC, "de_DE.UTF-8");  // where the system has it
    const Rows german = csv();
    const std::vector<json> german_lines = lines();
    std::locale::global(before);
    std::setlocale(LC_NUMERIC, numbers_before.c_str());

    EXPECT_EQ(german, plain);
    EXPECT_EQ(german_lines, plain_lines);
    EXPECT_EQ(plain[1][static_cast<std::size_t>(Metric::loss)], "1234.5");
}

TEST_F(Log, ThatIsCancelledLeavesTheFileAsItWas) {
    for (int step = 1; step <= 3000; ++step) {
        telemetry_.append(sample_of(step));
    }
    telemetry_.operator_times().append(1, {});
    std::stop_source stop;
    stop.request_stop();
    for (const LogExporter& exporter : log_exporters()) {
        if (exporter.name == "annotations" || exporter.name == "run") {
            continue;  // short ones are written all the same
        }
        const std::filesystem::path target = folder_.path() / exporter.file_name;
        std::ofstream(target) << "before";
        const auto written = exporter.write(target, telemetry_, run_, stop.get_token());
        ASSERT_FALSE(written) << exporter.name;
        EXPECT_EQ(written.error().code, ErrorCode::cancelled);
        EXPECT_THAT(written.error().message, HasSubstr(std::string(exporter.file_name)));
        std::string text;
        std::ifstream(target) >> text;
        EXPECT_EQ(text, "before");
    }
}

TEST_F(Log, IsAPrefixOfTheRunWhileATrainingWrites) {
    std::atomic<bool> stop{false};
    std::jthread writer([&] {
        for (int step = 1; !stop && step <= 30'000; ++step) {
            telemetry_.append(sample_of(step));
            if (step % 50 == 0) {
                telemetry_.append(evaluation_at(step, 1, 0.5));
            }
            if (step % 77 == 0) {
                telemetry_.append(Annotation{.step = static_cast<double>(step),
                                             .what = "x",
                                             .from = {},
                                             .to = {},
                                             .reason = {}});
            }
        }
    });
    for (int round = 0; round < 3; ++round) {
        const Rows rows = csv();
        for (std::size_t i = 1; i < rows.size(); ++i) {
            ASSERT_EQ(rows[i].size(), metric_count + 2);
            ASSERT_EQ(rows[i][0], std::to_string(i));
        }
        double last = 0;
        for (const json& line : lines()) {
            if (line["type"] != "run") {
                ASSERT_GE(line["step"].get<double>(), last);
                last = line["step"];
            }
        }
    }
    stop = true;
}

TEST_F(Log, EveryExporterOfTheTableWritesItsFile) {
    telemetry_.append(sample_of(1));
    run_.configuration = {{"model", "m"}};
    for (const LogExporter& exporter : log_exporters()) {
        const fs::path target = folder_.path() / exporter.file_name;
        const auto written = exporter.write(target, telemetry_, run_, {});
        ASSERT_TRUE(written) << written.error().message;
        EXPECT_GT(fs::file_size(target), 10u) << exporter.name;
    }
    std::ifstream in(folder_.path() / "run.json");
    EXPECT_EQ(json::parse(in)["configuration"]["model"], "m");
}

TEST_F(Log, AFileThatCannotBeWrittenIsAnErrorThatNamesItAndLeavesNothing) {
    for (const LogExporter& exporter : log_exporters()) {
        const fs::path nowhere = folder_.path() / "no" / exporter.file_name;
        const auto written = exporter.write(nowhere, telemetry_, run_, {});
        ASSERT_FALSE(written);
        EXPECT_EQ(written.error().code, ErrorCode::io);
        EXPECT_THAT(written.error().message, HasSubstr(nowhere.string()));
        EXPECT_FALSE(exporter.write(folder_.path(), telemetry_, run_, {})) << "a folder";
    }
    EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(Log, AFullDiskKeepsTheOldFileAndSaysWhy) {
    ASSERT_TRUE(write_csv(file(), telemetry_));
    const Rows old = parse_csv(file());
    for (int step = 1; step <= 3000; ++step) {
        telemetry_.append(sample_of(step));
    }
    // A limit on the size of files fails writes as a full disk does.
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    rlimit small = before;
    small.rlim_cur = 100'000;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    const auto written = write_csv(file(), telemetry_);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);

    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, ErrorCode::io);
    EXPECT_THAT(written.error().message, AllOf(HasSubstr(file().string()), HasSubstr("too large")));
    EXPECT_EQ(parse_csv(file()), old);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 1);
}

TEST(RunDescription, SaysWhatRanAndWhere) {
    Dataset dataset;
    dataset.name = "digits";
    dataset.sample = Shape{1, 28, 28};
    dataset.classes = 10;
    dataset.train.count = 60;
    TrainerConfig config;
    config.model.name = "m";
    config.seed = 7;
    config.micro_batch = 16;
    config.optimizer.learning_rate = 0.1F;
    config.variants.set("conv2d", "direct");
    config.threads = 3;
    const RunDescription run = describe_run(config, dataset);
    EXPECT_EQ(run.configuration.at("model"), "m");
    EXPECT_EQ(run.configuration.at("dataset"), "digits");
    EXPECT_EQ(run.configuration.at("sample"), "[1, 28, 28]");
    EXPECT_EQ(run.configuration.at("train_samples"), "60");
    EXPECT_EQ(run.configuration.at("seed"), "7");
    EXPECT_EQ(run.configuration.at("micro_batch"), "16");
    EXPECT_EQ(run.configuration.at("learning_rate"), "0.1");
    EXPECT_EQ(run.configuration.at("variant.conv2d"), "direct");
    EXPECT_EQ(run.configuration.at("threads"), "3");
    EXPECT_EQ(run.environment.at("trainscope"), build_info().version);
    EXPECT_THAT(run.environment.at("oneDNN"), HasSubstr("."));
    EXPECT_FALSE(run.environment.at("compiler").empty());
    EXPECT_FALSE(run.environment.at("host").empty());
}

TEST(MetricTable, MarksWhatAClockMeasures) {
    for (const MetricInfo& info : metric_table()) {
        const bool named_so = info.name.find("second") != std::string_view::npos;
        EXPECT_EQ(info.is_time, named_so) << info.name;
    }
}

}  // namespace
}  // namespace trainscope
