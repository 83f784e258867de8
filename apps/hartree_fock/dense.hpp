// Symmetric matrices of n x n doubles, whole and contiguous.
#pragma once

#include <vector>

namespace hakaru::apps::hartree_fock {

using Matrix = std::vector<double>;

// a b.
Matrix product(int n, const Matrix& a, const Matrix& b);
// Sum of a_ij b_ij: the trace of a b when b is symmetric.
double contraction(const Matrix& a, const Matrix& b);
double largest_difference(const Matrix& a, const Matrix& b);
Matrix transposed(int n, const Matrix& a);

// Eigenvalues, ascending; `a` becomes the eigenvectors, one a row. False when LAPACK fails.
bool eigen(int n, Matrix& a, std::vector<double>& values);

// Solves the symmetric indefinite system a x = b in place of b. False when a is singular.
bool solve(int n, std::vector<double> a, std::vector<double>& b);

}  // namespace hakaru::apps::hartree_fock
