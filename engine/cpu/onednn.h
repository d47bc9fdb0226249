// SPDX-License-Identifier: GPL-3.0-or-later
// What the variants `onednn` share: oneDNN's objects are made once for a shape and then only
// pointed at the caller's tensors, and all memory that oneDNN wants beside them lies in the
// workspace.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/memory.h"

namespace trainscope::cpu::onednn {

const dnnl::engine& cpu_engine();

// Primitive attributes that keep scratch memory in the caller's hands.
dnnl::primitive_attr user_scratchpad();

// oneDNN takes its number of threads from OpenMP's setting of the calling thread, both when a
// primitive is described and when it runs. Sets it for a scope. Built without OpenMP (tsan), always
// to one.
class ThreadScope {
  public:
    explicit ThreadScope(int threads);
    ~ThreadScope();
    ThreadScope(const ThreadScope&) = delete;
    ThreadScope& operator=(const ThreadScope&) = delete;

  private:
    int before_;
};

// Where things lie in the workspace. What is reserved after a mark may be given back to it, so that
// stages that follow one another share their bytes.
class Layout {
  public:
    std::int64_t reserve(std::size_t bytes) {
        const std::int64_t offset = at_;
        at_ += rounded_allocation(static_cast<std::int64_t>(bytes));
        bytes_ = std::max(bytes_, at_);
        return offset;
    }
    std::int64_t mark() const { return at_; }
    void rewind(std::int64_t mark) { at_ = mark; }
    std::int64_t bytes() const { return bytes_; }  // the most that was ever reserved

  private:
    std::int64_t at_ = 0, bytes_ = 0;
};

// A primitive with its arguments, ready to run.
class Call {
  public:
    using Arguments = std::vector<std::pair<int, dnnl::memory>>;

    Call() = default;
    Call(const dnnl::primitive& primitive, const dnnl::memory::desc& scratchpad,
         Arguments arguments);
    void run(dnnl::stream& stream, std::byte* scratch);

  private:
    dnnl::primitive primitive_;
    Arguments arguments_;
    dnnl::memory scratch_;
    std::vector<dnnl_exec_arg_t> c_arguments_;
};

// Memory of that description which points nowhere yet.
dnnl::memory make_memory(const dnnl::memory::desc& description);
// Points it at `to`; does nothing when it is there already.
void point(const dnnl::memory& memory, const void* to);

// A tensor of the caller's, in its plain format, as a primitive wants it: the very memory where the
// formats agree, else a copy in the workspace that is reordered from or to the caller's.
class Tensor {
  public:
    enum class Use { read, written };

    Tensor() = default;
    Tensor(const dnnl::memory::desc& plain, const dnnl::memory::desc& wanted, Use use);

    bool reordered() const { return plain_ != wanted_; }
    bool same_format(const Tensor& other) const { return wanted_ == other.wanted_; }
    std::size_t copy_bytes() const { return reordered() ? wanted_.get_size() : 0; }
    std::size_t scratch_bytes() const;
    void place(std::int64_t offset) { offset_ = offset; }  // of the copy

    void make();  // memory objects and the reordering
    const dnnl::memory& memory() const { return wanted_memory_; }
    void point_at(const void* caller, std::byte* workspace);
    // Before the primitive for what is read, after it for what is written.
    void reorder(dnnl::stream& stream, std::byte* scratch);

  private:
    dnnl::memory::desc plain_, wanted_;
    Use use_ = Use::read;
    dnnl::reorder::primitive_desc reorder_description_;
    std::int64_t offset_ = 0;
    dnnl::memory plain_memory_, wanted_memory_;
    Call reorder_;
};

// to[i] += from[i].
void add(const float* from, float* to, std::int64_t count, int threads);

// What planners ask about a shape again and again while describing it to oneDNN is slow.
struct Answer {
    std::optional<std::string> refusal;
    std::int64_t workspace_bytes = 0;
};
template <class Shape>
class Answers {
  public:
    // Returns the workspace's bytes or throws dnnl::error.
    using Describe = std::int64_t (*)(const Shape&, int threads);

    explicit Answers(Describe describe) : describe_(describe) {}

    Answer of(const Shape& shape, int threads) {
        const std::scoped_lock lock(mutex_);
        for (const auto& [known_shape, known_threads, answer] : known_) {
            if (known_threads == threads && known_shape == shape) {
                return answer;
            }
        }
        Answer answer;
        try {
            answer.workspace_bytes = describe_(shape, threads);
        } catch (const dnnl::error& error) {
            answer.refusal = std::string("oneDNN says: ") + error.what();
        }
        if (known_.size() >= most_known) {
            known_.clear();
        }
        known_.push_back({shape, threads, answer});
        return answer;
    }

  private:
    static constexpr std::size_t most_known = 256;
    struct Known {
        Shape shape;
        int threads = 0;
        Answer answer;
    };
    Describe describe_;
    std::mutex mutex_;
    std::vector<Known> known_;
};

}  // namespace trainscope::cpu::onednn
