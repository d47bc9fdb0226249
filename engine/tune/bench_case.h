// SPDX-License-Identifier: GPL-3.0-or-later
// One operator and shape, ready to be computed by any of its variants: the tensors with their data,
// the passes with what they cost, and the results in float64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "engine/ops/kernel_variant.h"
#include "engine/tune/bench_shape.h"

namespace trainscope {

enum class BenchElement : std::uint8_t { float32, float64, int32, uint8, totals };
std::int64_t bytes_of(BenchElement element);

struct BenchTensor {
    std::string_view name;
    BenchElement element = BenchElement::float32;
    std::int64_t count = 0;
    std::vector<std::byte> initial = {};  // empty: not written yet
    // Written by forward for backward of the same variant, so that each variant has its own.
    bool saved = false;

    std::int64_t bytes() const { return count * bytes_of(element); }
};

struct BenchPass {
    std::string_view name;  // "forward", "backward", or "run" where there is only one
    double flops = 0;       // additions and multiplications as the definition has them
    std::vector<std::size_t> reads, writes;  // tensors, each once
};

struct ExpectedTensor {
    std::size_t tensor = 0;
    std::vector<double> values;
    std::int64_t terms = 0;  // addends of its longest sum; 0: nothing is rounded
};

// What a variant says of itself for this shape.
struct VariantOffer {
    std::string name;
    bool trainable = true;
    std::string why_untrainable;
    std::optional<std::string> refusal;
    Arithmetic arithmetic = Arithmetic::fp32;
};

// A kernel made for the case.
class BenchKernel {
  public:
    virtual ~BenchKernel() = default;
    virtual std::int64_t workspace_bytes() const = 0;
    // `tensors` are device memory, in the order of the case's.
    virtual void run(std::size_t pass, std::span<void* const> tensors, void* workspace) = 0;
};

class BenchCase {
  public:
    explicit BenchCase(BenchShape shape) : shape_(std::move(shape)) {}
    virtual ~BenchCase() = default;
    BenchCase(const BenchCase&) = delete;
    BenchCase& operator=(const BenchCase&) = delete;

    const BenchShape& shape() const { return shape_; }
    std::span<const BenchTensor> tensors() const { return tensors_; }
    std::span<const BenchPass> passes() const { return passes_; }
    // Bytes that a pass cannot do without: each tensor read or written once.
    double compulsory_bytes(const BenchPass& pass) const;

    // The float64 reference. Slow: about as many seconds as its flops are 1e9.
    virtual std::vector<ExpectedTensor> expected(std::size_t pass) const = 0;

    // Whether what a run computes exists, by what it left in the tensors that `read` gives as
    // numbers. Error: why not, as of the inverse of a singular matrix.
    virtual Result<void> outcome(
        const std::function<std::vector<double>(std::size_t tensor)>& /*read*/) const {
        return {};
    }

    virtual std::vector<VariantOffer> offers(DeviceKind device) const = 0;
    // nullptr for a choice that is no kernel. `variant` is one of the offers that is not refused.
    // The case must outlive it.
    virtual std::unique_ptr<BenchKernel> make(std::string_view variant, DeviceKind device,
                                              const KernelContext& context) const = 0;

  protected:
    std::size_t add(BenchTensor tensor);
    template <class T>
    std::size_t add_input(std::string_view name, BenchElement element, const std::vector<T>& data) {
        const auto bytes = std::as_bytes(std::span(data));
        return add({.name = name,
                    .element = element,
                    .count = static_cast<std::int64_t>(data.size()),
                    .initial = {bytes.begin(), bytes.end()}});
    }
    std::size_t add_input(std::string_view name, const std::vector<float>& data) {
        return add_input(name, BenchElement::float32, data);
    }
    std::size_t add_output(std::string_view name, std::int64_t count) {
        return add({.name = name, .count = count});
    }
    void add_pass(BenchPass pass) { passes_.push_back(std::move(pass)); }
    // The initial floats of a tensor, as doubles.
    std::vector<double> doubles(std::size_t tensor) const;

  private:
    BenchShape shape_;
    std::vector<BenchTensor> tensors_;
    std::vector<BenchPass> passes_;
};

// The device's tensors by their index.
class BenchPointers {
  public:
    explicit BenchPointers(std::span<void* const> tensors) : tensors_(tensors) {}
    float* operator[](std::size_t tensor) const { return as<float>(tensor); }
    template <class T>
    T* as(std::size_t tensor) const {
        return static_cast<T*>(tensors_[tensor]);
    }

  private:
    std::span<void* const> tensors_;
};

// What a case of one operator shares with all others: its variants and how they are made.
template <class Op>
class CaseOf : public BenchCase {
  public:
    CaseOf(BenchShape written, const typename Op::Shape& shape)
        : BenchCase(std::move(written)), op_shape_(shape) {}

    std::vector<VariantOffer> offers(DeviceKind device) const final {
        std::vector<VariantOffer> offers;
        for (const KernelVariant<Op>& variant : variants_of<Op>(device)) {
            offers.push_back({variant.name, variant.trainable, variant.why_untrainable,
                              variant.refuses(op_shape_), variant.arithmetic});
        }
        return offers;
    }

    std::unique_ptr<BenchKernel> make(std::string_view variant, DeviceKind device,
                                      const KernelContext& context) const final {
        for (const KernelVariant<Op>& known : variants_of<Op>(device)) {
            if (known.name != variant) {
                continue;
            }
            if (auto kernel = known.make(op_shape_, context)) {
                return std::make_unique<Bound>(*this, std::move(kernel),
                                               known.workspace_bytes(op_shape_, context));
            }
        }
        return nullptr;
    }

  protected:
    const typename Op::Shape& op_shape() const { return op_shape_; }
    virtual void run(typename Op::Kernel& kernel, std::size_t pass, const BenchPointers& tensors,
                     void* workspace) const = 0;

  private:
    class Bound final : public BenchKernel {
      public:
        Bound(const CaseOf& owner, std::unique_ptr<typename Op::Kernel> kernel,
              std::int64_t workspace_bytes)
            : owner_(&owner), kernel_(std::move(kernel)), workspace_bytes_(workspace_bytes) {}
        std::int64_t workspace_bytes() const override { return workspace_bytes_; }
        void run(std::size_t pass, std::span<void* const> tensors, void* workspace) override {
            owner_->run(*kernel_, pass, BenchPointers(tensors), workspace);
        }

      private:
        const CaseOf* owner_;
        std::unique_ptr<typename Op::Kernel> kernel_;
        std::int64_t workspace_bytes_;
    };

    typename Op::Shape op_shape_;
};

// The numbers that cases are fed with: a function of the seed and of the order of calls alone.
class BenchData {
  public:
    explicit BenchData(std::uint64_t seed) : seed_(seed) {}
    // Of mean 0 and deviation `scale`.
    std::vector<float> normal(std::int64_t count, double scale = 1);
    std::vector<float> uniform(std::int64_t count, double low, double high);
    std::vector<std::int32_t> labels(std::int64_t count, std::int64_t classes);

  private:
    std::uint64_t seed_;
    std::uint64_t stream_ = 0;
};

// The bytes of a downloaded tensor as numbers (of totals, the loss).
std::vector<double> doubles_of(std::span<const std::byte> bytes, BenchElement element);

// The case of a shape. Errors: those of check_bench_shape.
Result<std::unique_ptr<BenchCase>> make_bench_case(const BenchShape& shape, std::uint64_t seed);

}  // namespace trainscope
