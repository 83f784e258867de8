// The loops in C++, in a file of their own: whoever calls them cannot see into them.
#pragma once

#include <cstdint>

namespace hakaru::probes::vector_length {

void daxpy(std::int64_t n, double a, const double* x, double* y);
double dot(std::int64_t n, const double* x, const double* y);
// Degree 9, by Horner.
void polynomial(std::int64_t n, const double* c, const double* x, double* z);
void divide(std::int64_t n, const double* x, const double* y, double* z);
void gather(std::int64_t n, const std::int32_t* places, const double* x, double* z);
void scatter(std::int64_t n, const std::int32_t* places, const double* x, double* z);
void exponential(std::int64_t n, const double* x, double* z);

}  // namespace hakaru::probes::vector_length
