// SPDX-License-Identifier: GPL-3.0-or-later
// Problems that every variant of an operator must solve: inputs, and results in float64 from a
// golden file or from the reference.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ops/kernel_variant.h"
#include "tests/support/golden.h"
#include "tests/support/guarded.h"
#include "tests/support/numerics.h"
#include "tests/support/seeded_floats.h"

namespace trainscope::testing {

// What variants are looked for on and run on.
struct TestDevice {
    DeviceKind kind = DeviceKind::cpu;
    DeviceRuntime* runtime = nullptr;
    KernelContext context(int threads) const { return {.threads = threads, .runtime = runtime}; }
};
TestDevice& device_under_test();

class Problem {
  public:
    virtual ~Problem() = default;
    // The golden case, or the shape.
    virtual std::string name() const = 0;
    // Why a variant is not asked to solve it; nullopt when it is.
    virtual std::optional<std::string> refused_by(std::string_view variant) const = 0;
    // Expectations that hold for a right kernel: forward and backward are close to the float64
    // results, stay inside their memory, and give the same bits again.
    virtual void expect_solved_by(std::string_view variant, int threads) const = 0;
    // Expectation that the float64 reference gives the same results to 1e-12.
    virtual void expect_solved_by_reference() const = 0;
};

struct OperatorProblems {
    std::string_view op;
    // The operator of the golden cases that make a problem of it.
    std::string_view golden_op;
    std::function<std::unique_ptr<Problem>(const GoldenCase&)> from_golden;
    // Random numbers in ugly shapes: 1, primes, next to multiples of 32, ...
    std::function<std::vector<std::unique_ptr<Problem>>()> ugly;
};

// One row an operator; the tests iterate over it.
const std::vector<OperatorProblems>& operator_problems();

inline constexpr double reference_tolerance = 1e-12;

// Scratch of exactly the size a variant asks for. Each use finds other bytes in it.
class Workspace {
  public:
    explicit Workspace(std::int64_t bytes) : memory_(static_cast<std::size_t>(bytes)) {}
    void* fresh() {
        fill_ = fill_ == 0xFF ? 0x3C : 0xFF;
        std::memset(memory_.data(), fill_, memory_.size());
        return memory_.data();
    }
    ::testing::AssertionResult is_intact() { return memory_.is_intact("the workspace"); }

  private:
    int fill_ = 0;
    Guarded<std::byte> memory_;
};

// What a problem of one operator shares with all others: the variant and how it is made.
template <class Op>
class ProblemOf : public Problem {
  public:
    ProblemOf(std::string name, const typename Op::Shape& shape)
        : name_(std::move(name)), shape_(shape) {}

    std::string name() const override { return name_; }

    std::optional<std::string> refused_by(std::string_view variant) const override {
        const KernelVariant<Op>& found = find(variant);
        if (!found.trainable) {
            return "for teaching only";
        }
        if (auto reason = found.refuses(shape_)) {
            return reason;
        }
        if (found.make(shape_, device_under_test().context(1)) == nullptr) {
            return "no kernel of its own";
        }
        return std::nullopt;
    }

    void expect_solved_by(std::string_view variant, int threads) const override {
        const KernelVariant<Op>& found = find(variant);
        const KernelContext context = device_under_test().context(threads);
        const auto kernel = found.make(shape_, context);
        ASSERT_NE(kernel, nullptr);
        arithmetic_ = found.arithmetic;
        Workspace workspace(found.workspace_bytes(shape_, context));
        expect_solved(*kernel, workspace);
        EXPECT_TRUE(workspace.is_intact());
    }

  protected:
    virtual void expect_solved(typename Op::Kernel& kernel, Workspace& workspace) const = 0;
    const typename Op::Shape& shape() const { return shape_; }
    // For the variant that is to solve it.
    double tolerance(std::int64_t reduction_length) const {
        return error_bound(arithmetic_, reduction_length);
    }

  private:
    static const KernelVariant<Op>& find(std::string_view name) {
        for (const KernelVariant<Op>& variant : variants_of<Op>(device_under_test().kind)) {
            if (variant.name == name) {
                return variant;
            }
        }
        throw std::out_of_range("no variant " + std::string(name) + " of " + std::string(Op::name));
    }

    std::string name_;
    typename Op::Shape shape_;
    mutable Arithmetic arithmetic_ = Arithmetic::fp32;  // of the variant that solves it now
};

inline Floats random_floats(std::int64_t count, std::uint64_t stream, double scale = 1) {
    return seeded_floats(count, 20, stream, 0, scale);
}

inline Doubles doubles_of(const Floats& values) {
    return {values.begin(), values.end()};
}

// A parameter gradient: what is in it before an accumulating call, and what must be there after.
class Gradient {
  public:
    Gradient(std::string_view what, const Doubles& expected, bool accumulate)
        : what_(what), expected_(expected), memory_(expected.size()) {
        for (std::size_t i = 0; accumulate && i < expected.size(); ++i) {
            const float before = 0.25F * static_cast<float>(i % 7) - 0.5F;
            memory_.data()[i] = before;
            expected_[i] += static_cast<double>(before);
        }
    }
    float* data() { return memory_.data(); }
    Floats copy() const { return memory_.copy(); }
    void expect_close(double tolerance) {
        EXPECT_TRUE(is_close(what_, memory_.values(), expected_, tolerance));
        EXPECT_TRUE(memory_.is_intact(what_));
    }

  private:
    std::string_view what_;
    Doubles expected_;
    Guarded<float> memory_;
};

}  // namespace trainscope::testing
