// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of the kernel bench in words, for its table and its pictures.
#pragma once

#include <QString>

#include "engine/tune/kernel_bench.h"
#include "ui/number_text.h"

namespace trainscope::ui {

QString errorText(const BenchError& error);  // "2.1e-07"
// "forward" as a person reads it.
QString passText(const std::string& pass);
// "conv2d n=32,c=16,...".
QString itemText(const BenchRow& row);
bool sameItem(const BenchRow& a, const BenchRow& b);
// What is to be known of a row beside its figures; empty: nothing.
QString noteText(const BenchRow& row);
QString emulationText();

}  // namespace trainscope::ui
