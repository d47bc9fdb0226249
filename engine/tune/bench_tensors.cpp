// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tune/bench_tensors.h"

#include <algorithm>

namespace trainscope {

Result<BenchTensors> BenchTensors::create(const BenchCase& bench, DeviceRuntime& runtime,
                                          Arena& arena) {
    BenchTensors made(bench, runtime);
    for (const BenchTensor& tensor : bench.tensors()) {
        auto buffer = arena.allocate(tensor.bytes(), MemoryCategory::activations, tensor.name);
        if (!buffer) {
            return make_error(buffer.error());
        }
        made.pointers_.push_back(buffer->data());
        made.buffers_.push_back(std::move(*buffer));
    }
    made.reset();
    return made;
}

void BenchTensors::reset() {
    const std::span<const BenchTensor> tensors = case_->tensors();
    std::vector<std::byte> unwritten;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const std::vector<std::byte>* content = &tensors[i].initial;
        const auto bytes = static_cast<std::size_t>(tensors[i].bytes());
        if (content->empty()) {
            unwritten.resize(std::max(unwritten.size(), bytes), std::byte{0xFF});
            content = &unwritten;
        }
        runtime_->upload(pointers_[i], content->data(), static_cast<std::int64_t>(bytes));
    }
}

std::vector<BenchMemory> BenchTensors::used_by(const BenchPass& pass) const {
    std::vector<BenchMemory> used;
    for (const auto* list : {&pass.reads, &pass.writes}) {
        for (const std::size_t tensor : *list) {
            used.push_back({pointers_[tensor], case_->tensors()[tensor].bytes()});
        }
    }
    return used;
}

std::vector<double> BenchTensors::download(std::size_t tensor) const {
    const BenchTensor& wanted = case_->tensors()[tensor];
    std::vector<std::byte> bytes(static_cast<std::size_t>(wanted.bytes()));
    runtime_->download(bytes.data(), pointers_[tensor], wanted.bytes());
    runtime_->finish();
    return doubles_of(bytes, wanted.element);
}

}  // namespace trainscope
