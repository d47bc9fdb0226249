// SPDX-License-Identifier: GPL-3.0-or-later
// Random numbers that are the same on every machine and standard library: std distributions are
// not.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace trainscope {

// SplitMix64 (Steele, Lea, Flood 2014): one 64-bit counter as its whole state, so it is cheap to
// seed per epoch or per sample and easy to store.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    // An independent stream for a purpose (epoch number, layer index, sample index).
    Random(std::uint64_t seed, std::uint64_t stream)
        : state_(mix(seed + 0x9E3779B97F4A7C15u * (stream + 1))) {}

    std::uint64_t next() { return mix(state_ += 0x9E3779B97F4A7C15u); }
    // Uniform in [0, 1) with 53 bits.
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
    double uniform(double low, double high) { return low + (high - low) * uniform(); }
    // Uniform in [0, bound), without bias (Lemire 2019). bound > 0.
    std::uint64_t below(std::uint64_t bound) {
        while (true) {
            const Wide product = static_cast<Wide>(next()) * bound;
            if (static_cast<std::uint64_t>(product) >= (0 - bound) % bound) {
                return static_cast<std::uint64_t>(product >> 64);
            }
        }
    }
    // Standard normal (Box and Muller 1958; the second value is not kept, so state is one word).
    double normal() {
        const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
        return radius * std::cos(2.0 * std::numbers::pi * uniform());
    }

  private:
    __extension__ using Wide = unsigned __int128;

    static std::uint64_t mix(std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }
    std::uint64_t state_;
};

}  // namespace trainscope
