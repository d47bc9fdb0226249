// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cpu/onednn.h"

#include <omp.h>

#include "engine/cpu/parallel.h"

namespace trainscope::cpu::onednn {

const dnnl::engine& cpu_engine() {
    static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    return engine;
}

dnnl::primitive_attr user_scratchpad() {
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    return attributes;
}

ThreadScope::ThreadScope(int threads) : before_(omp_get_max_threads()) {
#if defined(_OPENMP)
    omp_set_num_threads(threads);
#else
    static_cast<void>(threads);
    omp_set_num_threads(1);
#endif
}

ThreadScope::~ThreadScope() {
    omp_set_num_threads(before_);
}

dnnl::memory make_memory(const dnnl::memory::desc& description) {
    return {description, cpu_engine(), DNNL_MEMORY_NONE};
}

void point(const dnnl::memory& memory, const void* to) {
    // oneDNN knows no pointer to const; what it only reads it does not write. Setting the pointer
    // is not free, since it fills what a blocked format pads; every primitive pads what it writes.
    if (memory.get_data_handle() != to) {
        memory.set_data_handle(const_cast<void*>(to));
    }
}

Call::Call(const dnnl::primitive& primitive, const dnnl::memory::desc& scratchpad,
           Arguments arguments)
    : primitive_(primitive), arguments_(std::move(arguments)) {
    if (scratchpad.get_size() > 0) {
        scratch_ = make_memory(scratchpad);
        arguments_.emplace_back(DNNL_ARG_SCRATCHPAD, scratch_);
    }
    for (const auto& [index, memory] : arguments_) {
        c_arguments_.push_back({index, memory.get()});
    }
}

// Through the C interface, since the C++ one allocates a copy of the arguments.
void Call::run(dnnl::stream& stream, std::byte* scratch) {
    if (scratch_) {
        point(scratch_, scratch);
    }
    dnnl::error::wrap_c_api(
        dnnl_primitive_execute(primitive_.get(), stream.get(),
                               static_cast<int>(c_arguments_.size()), c_arguments_.data()),
        "could not execute a primitive");
}

Tensor::Tensor(const dnnl::memory::desc& plain, const dnnl::memory::desc& wanted, Use use)
    : plain_(plain), wanted_(wanted), use_(use) {
    if (reordered()) {
        const bool read = use == Use::read;
        reorder_description_ =
            dnnl::reorder::primitive_desc(cpu_engine(), read ? plain_ : wanted_, cpu_engine(),
                                          read ? wanted_ : plain_, user_scratchpad());
    }
}

std::size_t Tensor::scratch_bytes() const {
    return reordered() ? reorder_description_.scratchpad_desc().get_size() : 0;
}

void Tensor::make() {
    plain_memory_ = make_memory(plain_);
    wanted_memory_ = reordered() ? make_memory(wanted_) : plain_memory_;
    if (reordered()) {
        const bool read = use_ == Use::read;
        reorder_ = Call(dnnl::reorder(reorder_description_), reorder_description_.scratchpad_desc(),
                        {{DNNL_ARG_FROM, read ? plain_memory_ : wanted_memory_},
                         {DNNL_ARG_TO, read ? wanted_memory_ : plain_memory_}});
    }
}

void Tensor::point_at(const void* caller, std::byte* workspace) {
    point(plain_memory_, caller);
    if (reordered()) {
        point(wanted_memory_, workspace + offset_);
    }
}

void Tensor::reorder(dnnl::stream& stream, std::byte* scratch) {
    if (reordered()) {
        reorder_.run(stream, scratch);
    }
}

void add(const float* from, float* to, std::int64_t count, int threads) {
    parallel_for(threads, count, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            to[i] += from[i];
        }
    });
}

}  // namespace trainscope::cpu::onednn
