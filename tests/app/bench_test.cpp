// SPDX-License-Identifier: GPL-3.0-or-later
// `trainscope bench` as a user runs it.
#include <gmock/gmock.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "engine/core/device.h"
#include "tests/app/program.h"

namespace trainscope {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::run_program;

Outcome bench(testing::Arguments arguments) {
    arguments.insert(arguments.begin(), "bench");
    return run_program(arguments);
}

void expect_mistake(const testing::Arguments& arguments, const char* sentence) {
    const Outcome outcome = bench(arguments);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr(sentence));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

TEST(Bench, PrintsATableOfTheVariantsAndWritesTheirFigures) {
    const testing::TemporaryFolder folder;
    const std::string file = (folder.path() / "bench.csv").string();
    const Outcome outcome = bench({"--op", "dense", "--shape", "n=4,in=30,out=7", "--repeat", "3",
                                   "--threads", "1", "--device", "cpu", "--csv", file});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    EXPECT_THAT(outcome.out, AllOf(ContainsRegex("copy [0-9.]+ GB/s, matrix [0-9.]+ GFLOP/s"),
                                   HasSubstr("dense n=4,in=30,out=7\n"),
                                   ContainsRegex("naive +forward +[0-9.]+ .s "),
                                   ContainsRegex("onednn +backward +[0-9.]+ .s ")));
    std::ifstream csv(file);
    std::string line;
    std::getline(csv, line);
    EXPECT_THAT(line, HasSubstr("device,threads,op,layer,shape,pass,variant,"));
    std::getline(csv, line);
    EXPECT_THAT(line, HasSubstr("cpu,1,dense,,\"n=4,in=30,out=7\",forward,"));
}

TEST(Bench, OffersMatrixToolsAndSaysWhereAMatrixHasNoInverse) {
    const Outcome product = bench(
        {"--op", "matrix_multiply", "--shape", "m=20,k=9", "--repeat", "3", "--device", "cpu"});
    EXPECT_EQ(product.exit_code, 0) << product.err;
    EXPECT_THAT(product.out, AllOf(HasSubstr("matrix_multiply m=20,n=20,k=9\n"),
                                   ContainsRegex("openblas +run +[0-9.]+ .s ")));
    const Outcome singular = bench({"--op", "matrix_inverse", "--shape", "n=8,rank=deficient",
                                    "--repeat", "1", "--device", "cpu"});
    EXPECT_EQ(singular.exit_code, 0) << singular.err;
    EXPECT_THAT(singular.out, AllOf(HasSubstr("n=8,rank=deficient\n"),
                                    ContainsRegex("lapack_lu: .*the matrix is singular: pivot 8")));
}

TEST(Bench, MeasuresEachLayerOfAModel) {
    const Outcome outcome = bench({"--model", "simple-cnn", "--batch-size", "2", "--input", "1x8x8",
                                   "--repeat", "1", "--device", "cpu", "--op", "conv2d"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("n=2,c=1,h=8,w=8"), HasSubstr("(conv1)")));
}

TEST(Bench, RefusesWhatItCannotReadWithTheNearestName) {
    expect_mistake({"--op", "conv2"}, "did you mean 'conv2d'");
    expect_mistake({"--op", "conv2d", "--shape", "n=2,strid=1"}, "did you mean 'stride'");
    expect_mistake({"--op", "conv2d", "--shape", "h=2,pad=0"}, "r=3 is larger than its input of 2");
    expect_mistake({"--op", "conv2d", "--variants", "ondnn", "--device", "cpu"},
                   "did you mean 'onednn'");
    expect_mistake({"--variants", "nosuch", "--device", "cpu"},
                   "there is no variant 'nosuch' of add, batch_norm, ");
    expect_mistake({"--variants", "ondnn", "--device", "cpu"}, "did you mean 'onednn'");
    expect_mistake({"--shape", "n=2"}, "say of which operator with --op");
    expect_mistake({"--model", "simple-cnn", "--shape", "n=2"}, "give one of the two");
    expect_mistake({"--model", "simple-cmm"}, "did you mean 'simple-cnn'");
    expect_mistake({"--time", "0"}, "--time: expected a number above 0");
    expect_mistake({"--device", "abacus"}, "There is no device 'abacus'");
}

TEST(Bench, HelpListsTheFieldsOfEveryShape) {
    EXPECT_THAT(bench({"--help"}).out,
                AllOf(HasSubstr("n=128,in=1024,out=1024"), HasSubstr("stride=1"),
                      HasSubstr("labels=hard"), HasSubstr("kind=momentum")));
}

TEST(Bench, EndsOnCtrlCAndPrintsWhatWasMeasured) {
    testing::Program program({"bench", "--device", "cpu", "--time", "1000", "--op", "relu"});
    ASSERT_TRUE(program.wait_until_it_catches(SIGINT));
    program.signal(SIGINT);
    const Outcome outcome = program.finish();
    EXPECT_EQ(outcome.exit_code, 130);
    EXPECT_THAT(outcome.err, HasSubstr("interrupted"));
    EXPECT_THAT(outcome.out, HasSubstr("(cpu)"));
    EXPECT_THAT(outcome.out, Not(HasSubstr("(dense )")));
    const bool measured = outcome.out.find("copy ") != std::string::npos;
    EXPECT_EQ(outcome.err, measured
                               ? "trainscope: interrupted: what was measured until then is above\n"
                               : "trainscope: interrupted before anything was measured\n");
}

TEST(Bench, ACsvThatCannotBeWrittenIsSaidBeforeAnythingIsMeasured) {
    const Outcome outcome = bench({"--op", "relu", "--shape", "elements=10", "--repeat", "1",
                                   "--device", "cpu", "--csv", "/nowhere/bench.csv"});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("/nowhere"));
    EXPECT_EQ(outcome.out, "");
}

TEST(BenchEmulated, ShowsErrorsButNoTimes) {
    if (!find_device("emulated")) {
        GTEST_SKIP() << "this build has no emulated device";
    }
    const Outcome outcome =
        bench({"--op", "batch_norm", "--shape", "n=2,c=3,h=5", "--device", "emulated"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out,
                AllOf(HasSubstr("emulation: times say nothing of a GPU\n"),
                      ContainsRegex("textbook_faulty \\* +forward +- .* - +[0-9. KiB]+ +"
                                    "[0-9.]+e-0[0-3] !"),
                      ContainsRegex("warp_welford +forward +- .*e-0[5-9] +1.0e-05\n"),
                      HasSubstr("for teaching only"), HasSubstr("above its bound"),
                      Not(HasSubstr(" ms ")), Not(HasSubstr(" us "))));
}

TEST(BenchEmulated, OffersMatrixToolsByTheLibraries) {
    if (!find_device("emulated")) {
        GTEST_SKIP() << "this build has no emulated device";
    }
    for (const auto& [op, variant] :
         {std::pair("matrix_add", "vectorized"), std::pair("matrix_multiply", "warp_tiled"),
          std::pair("matrix_inverse", "cusolver_lu"),
          std::pair("matrix_pseudo_inverse", "cusolver_svd")}) {
        const Outcome outcome =
            bench({"--op", op, "--variants", variant, "--shape",
                   std::string_view(op) == "matrix_inverse" ? "n=30" : "m=30,n=10", "--device",
                   "emulated"});
        EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
        EXPECT_THAT(outcome.out,
                    ContainsRegex(std::string(variant) + " +run +- .*(e-0[5-9]|0\\.0e\\+00) "))
            << op;
        EXPECT_THAT(outcome.out, Not(HasSubstr("!"))) << op;
    }
}

}  // namespace
}  // namespace trainscope
