// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line/bench_options.h"

#include <limits>

#include "app/command_line/options.h"
#include "app/command_line/values.h"
#include "engine/core/shape.h"
#include "engine/model/memory_plan.h"
#include "engine/model/model_spec.h"
#include "engine/tune/bench_shape.h"

namespace trainscope::command_line {

namespace {

std::vector<std::string> operator_names() {
    const std::vector<std::string_view> names = bench_operator_names();
    return {names.begin(), names.end()};
}

// The fields of every operator's shape, for the end of the help.
std::string shapes_help() {
    std::string text = "Shapes are name=value pairs, all of them optional:\n";
    for (const std::string_view op : bench_operator_names()) {
        text += fmt::format("  {:<22} ", op);
        std::string fields;
        for (const BenchField& field : bench_fields(op)) {
            fields +=
                fmt::format("{}{}={}", fields.empty() ? "" : ",", field.name, field.usual_text);
        }
        text += fields + "\n";
    }
    return text + "Example: trainscope bench --op conv2d --shape n=32,c=16,h=28,w=28,k=32,r=3";
}

void read_variants(BenchArguments& bench, const std::string& text) {
    bench.variants = CLI::detail::split(text, ',');
    for (const std::string& name : bench.variants) {
        if (name.empty()) {
            refuse("--variants",
                   fmt::format("expected names such as naive,onednn, found '{}'", text));
        }
    }
}

void add_model_options(CLI::App& app, BenchArguments& bench) {
    add_value(app, "--model", "NAME|FILE", "each layer of this model, and its optimizer",
              [&bench](const auto& text) { bench.model = text; });
    add_count(app, "--batch-size,--micro-batch", "samples that go through the model at once [32]",
              {.most = largest_dimension}, [&bench](auto n) { bench.micro_batch = n; });
    add_value(
        app, "--input", "CxHxW", "shape of the model's samples [1x28x28]",
        [&bench](const auto& text) { bench.input = accept("--input", read_sample_shape(text)); });
    add_count(app, "--classes", "of the model [10]", {.least = 2, .most = largest_dimension},
              [&bench](auto n) { bench.classes = n; });
}

}  // namespace

void add_bench_options(CLI::App& app, BenchArguments& bench) {
    add_value(app, "--op", "NAME", "the operator [all]", [&bench](const auto& text) {
        require_name("--op", "operator", text, operator_names());
        bench.op = text;
    });
    add_value(app, "--shape", "n=32,c=16,...", "its shape; the fields are listed below",
              [&bench](const auto& text) { bench.shape = text; });
    add_model_options(app, bench);
    add_value(app, "--variants", "A,B,...", "only these variants [all]",
              [&bench](const auto& text) { read_variants(bench, text); });
    add_value(app, "--device", "ID", "'trainscope devices' lists them [auto]",
              [&bench](const auto& id) { bench.device = id; });
    add_count(app, "--threads", "threads for kernels [as many as the device has]",
              {.most = most_threads}, [&bench](auto n) { bench.threads = static_cast<int>(n); });
    add_value(
        app, "--time", "SECONDS", "for each variant and pass, at least 5 runs [0.5]",
        [&bench](const auto& text) { bench.seconds = accept("--time", read_positive(text)); });
    add_count(app, "--repeat", "runs of each variant and pass, instead of --time",
              {.most = 1'000'000}, [&bench](auto n) { bench.repeat = n; });
    add_count(app, "--seed", "of the data [1]",
              {.least = 0, .most = std::numeric_limits<std::int64_t>::max()},
              [&bench](auto n) { bench.seed = static_cast<std::uint64_t>(n); });
    add_value(app, "--csv", "FILE", "write every figure to FILE; a file of that name is replaced",
              [&bench](const auto& text) {
                  if (text.empty()) {
                      refuse("--csv", "expected a file, found ''");
                  }
                  bench.csv = text;
              });
    app.footer(shapes_help());
}

void check_bench_options(const CLI::App& app, const BenchArguments& bench) {
    for (const char* option : {"--batch-size", "--input", "--classes"}) {
        if (app.count(option) > 0 && bench.model.empty()) {
            refuse(option, "it is of a model, and none is benched; name one with --model.");
        }
    }
}

}  // namespace trainscope::command_line
