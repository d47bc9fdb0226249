// SPDX-License-Identifier: GPL-3.0-or-later
// Damaged models, 20,000 of them and the same in every run: each is read and planned or refused
// with a sentence, in little time and little memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <ctime>
#include <new>

#include "engine/core/random.h"
#include "engine/model/embedded_presets.h"
#include "tests/model/plan_support.h"

namespace {
std::atomic<std::size_t> largest_request{0};

void* counted(std::size_t bytes) noexcept {
    std::size_t seen = largest_request.load(std::memory_order_relaxed);
    while (bytes > seen && !largest_request.compare_exchange_weak(seen, bytes)) {
    }
    return std::malloc(bytes > 0 ? bytes : 1);
}
}  // namespace

// GCC 12 sees the pair only half inlined and takes free for the wrong partner of new.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

// All of a family, so that what one gives another can take back under AddressSanitizer too.
void* operator new(std::size_t bytes) {
    void* memory = counted(bytes);
    return memory != nullptr ? memory : throw std::bad_alloc();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return counted(bytes);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
    std::free(memory);
}

namespace trainscope {
namespace {

constexpr int mutants = 20'000;

const std::vector<std::string_view> numbers = {"0",
                                               "-1",
                                               "1",
                                               "2",
                                               "7",
                                               "255",
                                               "1024",
                                               "1048576",
                                               "1e5",
                                               "1e400",
                                               "0.5",
                                               "-0",
                                               "65536",
                                               "1e-400",
                                               "4294967296",
                                               "9223372036854775807",
                                               "99999999999999999999"};
const std::vector<std::string_view> pieces = {"\"same\"",
                                              "\"classes\"",
                                              "null",
                                              "true",
                                              "[2, 3]",
                                              "[]",
                                              "{}",
                                              "{\"type\": \"relu\"},",
                                              "{\"type\": \"flatten\"},",
                                              "{\"type\": \"max_pool\", \"kernel\": 3},",
                                              "{\"type\": \"conv2d\", \"filters\": 1000000},",
                                              "{\"type\": \"dense\", \"units\": 1000000},",
                                              "\"kernel\": 9,",
                                              "\"groups\": 2,",
                                              "\"stride\": [1, 5],",
                                              "\"padding\": 1000,",
                                              ",",
                                              "\"",
                                              "[[[[[[[[[[[[[[[[[[[[",
                                              "\\u0000",
                                              "\xC3",
                                              "\xEF\xBB\xBF"};

class Mutator {
  public:
    explicit Mutator(std::uint64_t stream) : random_(20'260'101, stream) {}

    std::size_t below(std::size_t bound) {
        return static_cast<std::size_t>(random_.below(std::max<std::size_t>(bound, 1)));
    }

    // Half of them stay JSON, so that what is behind the parser gets its share.
    std::string mutated(std::string text) {
        const bool well_formed = below(2) == 0;
        for (std::size_t i = 0, count = 1 + below(3); i < count; ++i) {
            if (well_formed) {
                change_layers(text);
            } else {
                change(text);
            }
        }
        return text;
    }

  private:
    void change(std::string& text) {
        const std::size_t at = below(text.size() + 1);
        switch (below(7)) {
            case 0:  // a bit flipped
                if (at < text.size()) {
                    text[at] =
                        static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1U << below(8)));
                }
                break;
            case 1:  // any byte
                if (at < text.size()) {
                    text[at] = static_cast<char>(static_cast<unsigned char>(below(256)));
                }
                break;
            case 2:
                text.resize(at);
                break;
            case 3:  // a piece taken out
                text.erase(at, 1 + below(40));
                break;
            case 4:  // a piece put twice
                text.insert(at, text.substr(below(text.size() + 1), 1 + below(80)));
                break;
            case 5:
                text.insert(at, pieces[below(pieces.size())]);
                break;
            default:
                replace_number(text, at);
        }
    }

    // The presets have a layer a line.
    void change_layers(std::string& text) {
        const std::size_t layer = text.find("{\"type\"", below(text.size()));
        const std::size_t end = text.find('\n', layer);
        const std::size_t begin = text.rfind('\n', layer) + 1;
        const bool movable = layer != std::string::npos && end != std::string::npos &&
                             text[end - 1] == ',';  // the last has none
        const std::size_t how = below(5);
        if (!movable || how > 2) {
            return replace_number(text, below(text.size() + 1));
        }
        const std::string line = text.substr(begin, end + 1 - begin);
        if (how != 0) {  // taken out, or moved
            text.erase(begin, line.size());
        }
        const std::size_t target = text.find("    {\"type\"", below(text.size()));
        if (how != 1 && target != std::string::npos) {
            text.insert(target, line);
        }
    }

    void replace_number(std::string& text, std::size_t at) {
        const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
        const auto from = static_cast<std::ptrdiff_t>(at);
        const auto first = std::find_if(text.begin() + from, text.end(), digit);
        const auto last = std::find_if_not(first, text.end(), digit);
        text.replace(first, last, numbers[below(numbers.size())]);
    }

    Random random_;
};

struct Outcomes {
    int not_parsed = 0, no_graph = 0, no_plan = 0, planned = 0;
};

void expect_sentence(const Error& error, const std::string& text) {
    EXPECT_FALSE(error.message.empty()) << text;
    EXPECT_LT(error.message.size(), 600u) << text;
    EXPECT_TRUE(error.message.ends_with('.')) << error.message;
}

void run(const std::string& text, Mutator& mutator, Outcomes& outcomes) {
    const Result<ModelSpec> spec = parse_model(text, "mutant.json");
    if (!spec) {
        ++outcomes.not_parsed;
        EXPECT_TRUE(spec.error().message.starts_with("mutant.json: ")) << spec.error().message;
        return expect_sentence(spec.error(), text);
    }
    EXPECT_EQ(to_json(parse_model(to_json(*spec), "again.json").value()), to_json(*spec)) << text;
    const Shape input = mutator.below(2) == 0 ? Shape{1, 28, 28} : Shape{3, 32, 32};
    const Result<Graph> graph = build_graph(*spec, input, 10);
    if (!graph) {
        ++outcomes.no_graph;
        return expect_sentence(graph.error(), text);
    }
    EXPECT_FALSE(summary_text(*graph).empty());
    const std::vector<std::int64_t> batches = {1, 32, 1'000'000, std::int64_t{1} << 40};
    const Result<MemoryPlan> plan = plan_memory(
        *graph, testing::settings_of({.micro_batch = batches[mutator.below(batches.size())]}));
    if (!plan) {
        ++outcomes.no_plan;
        return expect_sentence(plan.error(), text);
    }
    ++outcomes.planned;
    std::int64_t sum = 0;
    for (const PlannedBlock& block : plan->blocks) {
        ASSERT_GT(block.bytes, 0) << block.name << "\n" << text;
        sum += block.bytes;
    }
    EXPECT_EQ(sum, plan->usage.total()) << text;
}

TEST(ModelFuzz, DamagedPresetsAreReadOrRefusedInLittleTimeAndMemory) {
    const std::vector<EmbeddedPreset>& presets = embedded_presets();
    Outcomes outcomes;
    double slowest = 0;
    largest_request = 0;
    for (int i = 0; i < mutants && !HasFailure(); ++i) {
        Mutator mutator(static_cast<std::uint64_t>(i));
        const EmbeddedPreset& preset = presets[static_cast<std::size_t>(i) % presets.size()];
        const std::string text = mutator.mutated(std::string(preset.json));
        const std::clock_t start = std::clock();
        run(text, mutator, outcomes);
        slowest = std::max(slowest, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    // Generous, for sanitizers; a hang or an allocation by a number of the file is far beyond.
    EXPECT_LT(slowest, 2.0) << "seconds of processor time for one model";
    EXPECT_LT(largest_request.load(), std::size_t{1} << 20) << "bytes asked for at once";
    // The damage must reach every room.
    EXPECT_GT(outcomes.not_parsed, 1000);
    EXPECT_GT(outcomes.no_graph, 100);
    EXPECT_GT(outcomes.no_plan, 100);
    EXPECT_GT(outcomes.planned, 1000);
    RecordProperty("not_parsed", outcomes.not_parsed);
    RecordProperty("no_graph", outcomes.no_graph);
    RecordProperty("no_plan", outcomes.no_plan);
    RecordProperty("planned", outcomes.planned);
    RecordProperty("slowest_ms", static_cast<int>(slowest * 1000));
    RecordProperty("largest_request", static_cast<int>(largest_request.load()));
}

}  // namespace
}  // namespace trainscope
