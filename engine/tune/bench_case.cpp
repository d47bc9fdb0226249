// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tune/bench_case.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/core/random.h"
#include "engine/ops/softmax_cross_entropy.h"

namespace trainscope {

namespace {

template <class T>
T read(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    return value;
}

double number_at(const std::byte* at, BenchElement element) {
    switch (element) {
        case BenchElement::float32:
            return static_cast<double>(read<float>(at));
        case BenchElement::float64:
            return read<double>(at);
        case BenchElement::int32:
            return read<std::int32_t>(at);
        case BenchElement::uint8:
            return std::to_integer<int>(*at);
        case BenchElement::totals:
            return read<SoftmaxCrossEntropy::Totals>(at).loss_sum;
    }
    return 0;
}

}  // namespace

std::int64_t bytes_of(BenchElement element) {
    switch (element) {
        case BenchElement::float32:
            return sizeof(float);
        case BenchElement::float64:
            return sizeof(double);
        case BenchElement::int32:
            return sizeof(std::int32_t);
        case BenchElement::uint8:
            return 1;
        case BenchElement::totals:
            return sizeof(SoftmaxCrossEntropy::Totals);
    }
    return 1;
}

double BenchCase::compulsory_bytes(const BenchPass& pass) const {
    double bytes = 0;
    for (const auto* list : {&pass.reads, &pass.writes}) {
        for (const std::size_t tensor : *list) {
            bytes += static_cast<double>(tensors_[tensor].bytes());
        }
    }
    return bytes;
}

std::size_t BenchCase::add(BenchTensor tensor) {
    tensors_.push_back(std::move(tensor));
    return tensors_.size() - 1;
}

std::vector<double> BenchCase::doubles(std::size_t tensor) const {
    return doubles_of(tensors_[tensor].initial, tensors_[tensor].element);
}

std::vector<float> BenchData::normal(std::int64_t count, double scale) {
    Random random(seed_, stream_++);
    std::vector<float> values(static_cast<std::size_t>(count));
    // Irwin and Hall: twelve uniform numbers of 16 bits, from three words. As good for kernels as
    // Box and Muller, and ten times as fast.
    for (float& value : values) {
        std::int64_t sum = 0;
        for (int word = 0; word < 3; ++word) {
            const std::uint64_t bits = random.next();
            for (int part = 0; part < 4; ++part) {
                sum += static_cast<std::int64_t>((bits >> (16 * part)) & 0xFFFFu);
            }
        }
        value = static_cast<float>(scale * (static_cast<double>(sum) / 65536.0 - 6.0));
    }
    return values;
}

std::vector<float> BenchData::uniform(std::int64_t count, double low, double high) {
    Random random(seed_, stream_++);
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values) {
        value = static_cast<float>(random.uniform(low, high));
    }
    return values;
}

std::vector<std::int32_t> BenchData::labels(std::int64_t count, std::int64_t classes) {
    Random random(seed_, stream_++);
    std::vector<std::int32_t> values(static_cast<std::size_t>(count));
    for (std::int32_t& value : values) {
        value = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(classes)));
    }
    return values;
}

std::vector<double> doubles_of(std::span<const std::byte> bytes, BenchElement element) {
    const auto size = static_cast<std::size_t>(bytes_of(element));
    std::vector<double> values(bytes.size() / size);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = number_at(&bytes[i * size], element);
    }
    return values;
}

}  // namespace trainscope
