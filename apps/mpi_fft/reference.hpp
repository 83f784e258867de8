// The input, and what its transform must be.
#pragma once

#include <vector>

#include "apps/mpi_fft/transform.hpp"
#include "native/base/checks.hpp"

namespace hakaru::apps::mpi_fft {

// Real and imaginary parts uniform in (-1/2, 1/2), from the place in the vector alone.
Complex input(std::int64_t n);
std::vector<Complex> own_input(const Shape& shape, int rank);

// X(k) by its definition: sums of all ranks' terms, exact but for the rounding of each. Collective.
Complex direct(const Shape& shape, const parallel::Communicator& world, std::int64_t k);

// max |x - x'| / (epsilon log2 N), x' the inverse of the transform of x; the benchmark allows 16.
// NaN when a number is not finite. Collective.
double residual(const Shape& shape, const parallel::Communicator& world,
                const std::vector<Complex>& back);

// Sum of |x|^2 of all ranks, exact but for the rounding of each square. Collective.
double energy(const parallel::Communicator& world, const Complex* values, std::int64_t count);

// Whether `output` is the transform of the input and `back` its inverse: a unitary transform that
// is not Fourier's, such as one that permutes, only differs from the sums. Collective.
void check_transform(const Shape& shape, const parallel::Communicator& world,
                     const std::vector<Complex>& output, const std::vector<Complex>& back,
                     const std::string& how, base::Checks& checks);

}  // namespace hakaru::apps::mpi_fft
