// SPDX-License-Identifier: GPL-3.0-or-later
// The routines of LAPACK that Trainscope calls, by their Fortran names: OpenBLAS has them, but
// Debian's has no C interface of its own. Matrices lie column by column; every argument is a
// pointer. Who includes this links OpenBLAS. netlib.org/lapack has their documentation.
#pragma once

extern "C" {

// A [m, n] = P * L * U, in its place. info: 0, or the pivot that is zero, counted from 1.
void sgetrf_(const int* m, const int* n, float* a, const int* lda, int* pivots, int* info);
// B = A^-1 * B by what sgetrf left, or by its transpose.
void sgetrs_(const char* trans, const int* n, const int* columns, const float* a, const int* lda,
             const int* pivots, float* b, const int* ldb, int* info);
// A^-1 by what sgetrf left, in its place. lwork -1: work[0] becomes the best size.
void sgetri_(const int* n, float* a, const int* lda, const int* pivots, float* work,
             const int* lwork, int* info);
// A [m, n] = U * S * V^T. jobz 'S': U [m, min], V^T [min, n]. By divide and conquer; iwork has
// 8 * min(m, n). A is destroyed. lwork -1: work[0] becomes the best size.
void sgesdd_(const char* jobz, const int* m, const int* n, float* a, const int* lda, float* s,
             float* u, const int* ldu, float* vt, const int* ldvt, float* work, const int* lwork,
             int* iwork, int* info);
// The same by QR steps.
void sgesvd_(const char* jobu, const char* jobvt, const int* m, const int* n, float* a,
             const int* lda, float* s, float* u, const int* ldu, float* vt, const int* ldvt,
             float* work, const int* lwork, int* info);
}
