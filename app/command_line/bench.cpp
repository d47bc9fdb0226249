// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line/bench.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>

#include "app/command_line/bench_table.h"
#include "app/command_line/interruption.h"
#include "app/command_line/progress.h"
#include "app/command_line/say.h"
#include "engine/model/graph.h"
#include "engine/ops/kernel_variant.h"
#include "engine/record/atomic_file.h"
#include "engine/tune/bench_csv.h"
#include "engine/tune/kernel_bench.h"

namespace trainscope::command_line {

namespace {

Result<std::vector<BenchItem>> items_of_model(const BenchArguments& arguments) {
    const Result<ModelSpec> model = find_model(arguments.model);
    if (!model) {
        return make_error(model.error());
    }
    const Result<Graph> graph = build_graph(*model, arguments.input, arguments.classes);
    if (!graph) {
        return make_error(graph.error());
    }
    std::vector<BenchItem> items =
        bench_items(*graph, arguments.micro_batch, model->optimizer.kind);
    if (!arguments.op.empty()) {
        std::erase_if(items, [&](const BenchItem& item) { return item.shape.op != arguments.op; });
    }
    if (items.empty()) {
        return make_error(ErrorCode::not_found, "the model {} has no {}", model->name,
                          arguments.op);
    }
    return items;
}

// Whether a variant that was asked for is one of this operator's.
bool is_asked_for(const BenchArguments& arguments, std::string_view op, DeviceKind device) {
    const std::vector<VariantInfo> infos = list_variants(device);
    return arguments.variants.empty() ||
           std::any_of(infos.begin(), infos.end(), [&](const VariantInfo& info) {
               return info.op == op &&
                      std::find(arguments.variants.begin(), arguments.variants.end(), info.name) !=
                          arguments.variants.end();
           });
}

Result<std::vector<BenchItem>> usual_items(const BenchArguments& arguments, DeviceKind device) {
    std::vector<BenchItem> items;
    for (const std::string_view op : bench_operator_names()) {
        if (is_asked_for(arguments, op, device)) {
            items.push_back({usual_bench_shape(op).value(), ""});
        }
    }
    return items;
}

Result<std::vector<BenchItem>> choose_items(const BenchArguments& arguments, DeviceKind device) {
    if (!arguments.model.empty() && !arguments.shape.empty()) {
        return make_error(ErrorCode::invalid_argument,
                          "--shape: the shapes are those of --model; give one of the two.");
    }
    if (!arguments.model.empty()) {
        return items_of_model(arguments);
    }
    if (arguments.op.empty() && !arguments.shape.empty()) {
        return make_error(ErrorCode::invalid_argument, "--shape: say of which operator with --op.");
    }
    if (arguments.op.empty()) {
        return usual_items(arguments, device);
    }
    const Result<BenchShape> shape = parse_bench_shape(arguments.op, arguments.shape);
    if (!shape) {
        return make_error(shape.error().code, "--shape: {}.", shape.error().message);
    }
    if (const Result<void> fits = check_bench_shape(*shape); !fits) {
        return make_error(fits.error().code, "--shape: {}.", fits.error().message);
    }
    return std::vector<BenchItem>{{*shape, ""}};
}

Result<BenchOptions> make_options(const BenchArguments& arguments) {
    const Result<DeviceInfo> device = find_device(arguments.device);
    if (!device) {
        return make_error(device.error());
    }
    Result<std::vector<BenchItem>> items = choose_items(arguments, device->kind);
    if (!items) {
        return make_error(items.error());
    }
    BenchOptions options;
    options.items = std::move(*items);
    options.variants = arguments.variants;
    options.device = *device;
    options.threads = arguments.threads;
    options.seed = arguments.seed;
    options.seconds = static_cast<double>(arguments.seconds);
    if (arguments.repeat > 0) {
        options.least_runs = static_cast<int>(arguments.repeat);
        options.most_runs = options.least_runs;
    }
    if (const Result<void> known = check_bench_variants(options); !known) {
        return make_error(known.error().code, "--variants: {}.", known.error().message);
    }
    return options;
}

// On a terminal one line that is drawn over and over; elsewhere nothing.
class BenchLine {
  public:
    void show(const BenchProgress& progress) {
        const auto now = std::chrono::steady_clock::now();
        if (!terminal_ || now - drawn_ < std::chrono::milliseconds(100)) {
            return;
        }
        drawn_ = now;
        say_text(stderr, "\r\033[K" + progress_line(progress.share, progress.doing,
                                                    terminal_columns(STDERR_FILENO)));
        std::fflush(stderr);
    }
    void clear() const {
        if (terminal_) {
            say_text(stderr, "\r\033[K");
        }
    }

  private:
    bool terminal_ = isatty(STDERR_FILENO) == 1;
    std::chrono::steady_clock::time_point drawn_;
};

// Opened before the bench: nobody waits for figures that then have no place.
Result<std::optional<AtomicFile>> open_csv(const std::filesystem::path& file) {
    if (file.empty()) {
        return std::nullopt;
    }
    auto target = AtomicFile::create(file);
    if (!target) {
        return make_error(target.error());
    }
    return std::move(*target);
}

bool has_figures(const BenchReport& report) {
    return report.ceilings ||
           std::any_of(report.rows.begin(), report.rows.end(), [](const BenchRow& row) {
               return row.times.has_value() || row.error.has_value();
           });
}

}  // namespace

int run_bench(const BenchArguments& arguments) {
    Result<BenchOptions> options = make_options(arguments);
    if (!options) {
        say_error("{}", options.error().message);
        return options.error().code == ErrorCode::io ? exit_error : exit_usage;
    }
    Result<std::optional<AtomicFile>> csv = open_csv(arguments.csv);
    if (!csv) {
        return say_failure(csv.error());
    }
    std::signal(SIGPIPE, SIG_IGN);  // a reader of the output that went away costs no CSV
    const Interruption interruption;
    BenchLine line;
    options->stop = interruption.token();
    options->progress = [&](const BenchProgress& progress) { line.show(progress); };
    const BenchReport report = run_kernel_bench(*options);
    line.clear();
    print_bench(report);
    int exit_code = exit_ok;
    if (report.ended_by && report.ended_by->code == ErrorCode::cancelled) {
        say_error("interrupted{}", has_figures(report) ? ": what was measured until then is above"
                                                       : " before anything was measured");
        exit_code = exit_interrupted;
    } else if (report.ended_by) {
        exit_code = say_failure(*report.ended_by);
    }
    if (*csv) {
        (*csv)->write(bench_csv(report));
        if (const Result<void> written = (*csv)->commit(); !written) {
            exit_code = say_failure(written.error());
        }
    }
    return exit_code;
}

}  // namespace trainscope::command_line
