// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/reference/matrix.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trainscope::reference {

namespace {

// Rows of `values` with so many columns.
double* row_of(Values& values, std::int64_t row, std::int64_t columns) {
    return values.data() + row * columns;
}

Values identity(std::int64_t n) {
    Values values = zeros(n * n);
    for (std::int64_t i = 0; i < n; ++i) {
        values[at(i * n + i)] = 1;
    }
    return values;
}

Values transposed(const Values& values, std::int64_t rows, std::int64_t columns) {
    Values result = zeros(rows * columns);
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j) {
            result[at(j * rows + i)] = values[at(i * columns + j)];
        }
    }
    return result;
}

double dot(const double* a, const double* b, std::int64_t count) {
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

// to -= factor * from
void subtract(const double* from, double factor, std::int64_t count, double* to) {
    for (std::int64_t i = 0; i < count; ++i) {
        to[i] -= factor * from[i];
    }
}

void rotate(double* a, double* b, std::int64_t count, double cosine, double sine) {
    for (std::int64_t i = 0; i < count; ++i) {
        const double x = a[i];
        a[i] = cosine * x - sine * b[i];
        b[i] = sine * x + cosine * b[i];
    }
}

// Rotates the rows of `work` [count, length], and those of `v` [count, count] with them, until any
// two of them are orthogonal: then work = S * U^T and v = V^T of the matrix whose columns the rows
// were.
void orthogonalize(Values& work, Values& v, std::int64_t count, std::int64_t length) {
    constexpr double enough = 1e-15;
    constexpr int most_sweeps = 60;
    bool rotated = true;
    for (int sweep = 0; rotated && sweep < most_sweeps; ++sweep) {
        rotated = false;
        for (std::int64_t p = 0; p < count; ++p) {
            for (std::int64_t q = p + 1; q < count; ++q) {
                double* const a = row_of(work, p, length);
                double* const b = row_of(work, q, length);
                const double product = dot(a, b, length);
                const double aa = dot(a, a, length);
                const double bb = dot(b, b, length);
                if (std::abs(product) <= enough * std::sqrt(aa * bb)) {
                    continue;
                }
                rotated = true;
                const double zeta = (bb - aa) / (2 * product);
                const double tangent =
                    std::copysign(1.0, zeta) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
                const double cosine = 1 / std::sqrt(1 + tangent * tangent);
                rotate(a, b, length, cosine, cosine * tangent);
                rotate(row_of(v, p, count), row_of(v, q, count), count, cosine, cosine * tangent);
            }
        }
    }
}

}  // namespace

Values matrix_multiply(const MatrixMultiply::Shape& shape, const Values& a, const Values& b) {
    Values c = zeros(shape.m * shape.n);
    for (std::int64_t i = 0; i < shape.m; ++i) {
        for (std::int64_t k = 0; k < shape.k; ++k) {
            const double factor = a[at(i * shape.k + k)];
            for (std::int64_t j = 0; j < shape.n; ++j) {
                c[at(i * shape.n + j)] += factor * b[at(k * shape.n + j)];
            }
        }
    }
    return c;
}

Values matrix_inverse(const MatrixInverse::Shape& shape, const Values& a) {
    const std::int64_t n = shape.n;
    Values left = a;
    Values right = identity(n);
    for (std::int64_t k = 0; k < n; ++k) {
        std::int64_t pivot = k;
        for (std::int64_t i = k + 1; i < n; ++i) {
            if (std::abs(left[at(i * n + k)]) > std::abs(left[at(pivot * n + k)])) {
                pivot = i;
            }
        }
        for (Values* const side : {&left, &right}) {
            std::swap_ranges(row_of(*side, k, n), row_of(*side, k, n) + n, row_of(*side, pivot, n));
        }
        const double scale = 1 / left[at(k * n + k)];
        for (Values* const side : {&left, &right}) {
            double* const from = row_of(*side, k, n);
            std::transform(from, from + n, from, [&](double value) { return value * scale; });
        }
        for (std::int64_t i = 0; i < n; ++i) {
            const double factor = left[at(i * n + k)];
            if (i == k || factor == 0) {
                continue;
            }
            subtract(row_of(left, k, n), factor, n, row_of(left, i, n));
            subtract(row_of(right, k, n), factor, n, row_of(right, i, n));
        }
    }
    return right;
}

Values matrix_pseudo_inverse(const MatrixPseudoInverse::Shape& shape, const Values& a,
                             double zero_share) {
    if (shape.m < shape.n) {  // (A^T)+ = (A+)^T
        const Values inverse = matrix_pseudo_inverse({.m = shape.n, .n = shape.m},
                                                     transposed(a, shape.m, shape.n), zero_share);
        return transposed(inverse, shape.m, shape.n);
    }
    const auto [m, n] = shape;
    Values work = transposed(a, m, n);  // A's columns as rows
    Values v = identity(n);
    orthogonalize(work, v, n, m);
    Values squares = zeros(n);  // of the singular values
    for (std::int64_t k = 0; k < n; ++k) {
        const double* const column = row_of(work, k, m);
        squares[at(k)] = dot(column, column, m);
    }
    const double greatest = std::sqrt(*std::max_element(squares.begin(), squares.end()));
    Values result = zeros(n * m);
    for (std::int64_t k = 0; k < n; ++k) {
        if (std::sqrt(squares[at(k)]) <= zero_share * greatest) {
            continue;
        }
        for (std::int64_t i = 0; i < n; ++i) {
            const double factor = v[at(k * n + i)] / squares[at(k)];
            for (std::int64_t j = 0; j < m; ++j) {
                result[at(i * m + j)] += factor * work[at(k * m + j)];
            }
        }
    }
    return result;
}

}  // namespace trainscope::reference
