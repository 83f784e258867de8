// The unequal work before and after the messages of the SR16000 program (Katagiri, "MPI performance
// tuning", section 2.4 and appendix), and what it must give.
#pragma once

#include <cstdint>
#include <span>

namespace hakaru::probes::overlap {

// a(k) = rank; for i = 1 ... rank, j = 1 ... N: a(k) = a(k) + a(k) / (i + j). Flops: 2 rank N^2.
void work_before(std::span<double> a, int rank);
// for i = 1 ... ranks - rank, j = 1 ... N: b(k) = a(k) + a(k) / (i + j). Flops: 2 (ranks - rank)
// N^2.
void work_after(std::span<const double> a, std::span<double> b, int rank, int ranks);

// What rank 0 sends: other numbers in each iteration, so that old data are found out.
void fill(std::span<double> a, int iteration);
// Elements of the received `a` and the computed `b` that are not what they must be.
std::int64_t wrong_elements(std::span<const double> a, std::span<const double> b, int iteration,
                            int rank, int ranks);

double flops_before(std::int64_t n, int rank);
double flops_after(std::int64_t n, int rank, int ranks);

}  // namespace hakaru::probes::overlap
