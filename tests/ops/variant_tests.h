// SPDX-License-Identifier: GPL-3.0-or-later
// Tests that run once for every variant of every operator that this program has.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <iostream>
#include <ostream>
#include <string>

#include "engine/ops/kernel_variant.h"
#include "tests/ops/problem.h"

namespace trainscope {
inline void PrintTo(const VariantInfo& variant, std::ostream* to) {
    *to << variant.op << " " << variant.name;
}
}  // namespace trainscope

namespace trainscope::testing {

// The test's name: conv2d_direct.
inline std::string variant_test_name(const ::testing::TestParamInfo<VariantInfo>& info) {
    return info.param.op + "_" + info.param.name;
}

inline const OperatorProblems* problems_of(std::string_view op) {
    for (const OperatorProblems& row : operator_problems()) {
        if (row.op == op) {
            return &row;
        }
    }
    return nullptr;
}

// Counts what a variant solved; what it refuses is reported with its reason.
class Tally {
  public:
    void solve(const Problem& problem, const VariantInfo& variant,
               std::initializer_list<int> host_threads = {1, 2}) {
        SCOPED_TRACE(variant.op + " " + variant.name + ": " + problem.name());
        if (const auto reason = problem.refused_by(variant.name)) {
            std::cout << "[  REFUSED ] " << variant.op << " " << variant.name << ", "
                      << problem.name() << ": " << *reason << "\n";
            why_not_ = *reason;
            return;
        }
        for (const int threads : host_threads) {
            SCOPED_TRACE(std::to_string(threads) + " threads");
            problem.expect_solved_by(variant.name, threads);
        }
        ++solved_;
    }
    // The end of a test: a variant that solved nothing was not tested. Only `separate`, the choice
    // of no kernel, and what cannot train may refuse everything.
    void expect_some_solved(const VariantInfo& variant) const {
        if (solved_ > 0) {
            return;
        }
        ASSERT_FALSE(why_not_.empty()) << "there are no problems";
        ASSERT_TRUE(variant.name == "separate" || !variant.trainable)
            << variant.op << " " << variant.name << " refuses every problem: " << why_not_;
        GTEST_SKIP() << "every problem is refused: " << why_not_;
    }

  private:
    int solved_ = 0;
    std::string why_not_;
};

}  // namespace trainscope::testing
