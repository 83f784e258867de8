#include "probes/overlap/loads.hpp"

namespace hakaru::probes::overlap {
namespace {

double sent(int iteration, std::size_t k) {
  return 3.14159265 + static_cast<double>(iteration) + 1e-6 * static_cast<double>(k);
}

double factor(int i, std::size_t j) {
  return 1.0 / (static_cast<double>(i) + static_cast<double>(j));
}

// Each pass over the vector is done, though the next one overwrites it.
void keep(double* values) { asm volatile("" : : "r"(values) : "memory"); }

}  // namespace

void work_before(std::span<double> a, int rank) {
  const std::size_t n = a.size();
  for (double& value : a) value = rank;
  double* const values = a.data();
  for (int i = 1; i <= rank; ++i)
    for (std::size_t j = 1; j <= n; ++j) {
      const double c = factor(i, j);
      for (std::size_t k = 0; k < n; ++k) values[k] = values[k] + values[k] * c;
      keep(values);
    }
}

void work_after(std::span<const double> a, std::span<double> b, int rank, int ranks) {
  const std::size_t n = a.size();
  const double* const from = a.data();
  double* const to = b.data();
  for (int i = 1; i <= ranks - rank; ++i)
    for (std::size_t j = 1; j <= n; ++j) {
      const double c = factor(i, j);
      for (std::size_t k = 0; k < n; ++k) to[k] = from[k] + from[k] * c;
      keep(to);
    }
}

void fill(std::span<double> a, int iteration) {
  for (std::size_t k = 0; k < a.size(); ++k) a[k] = sent(iteration, k);
}

std::int64_t wrong_elements(std::span<const double> a, std::span<const double> b, int iteration,
                            int rank, int ranks) {
  const double c = factor(ranks - rank, a.size());
  std::int64_t wrong = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double value = sent(iteration, k), result = value + value * c;
    // The compiler may fuse the multiplication and the addition: one rounding less.
    wrong += a[k] != value || !(b[k] >= result * (1 - 4e-16) && b[k] <= result * (1 + 4e-16));
  }
  return wrong;
}

double flops_before(std::int64_t n, int rank) {
  return 2.0 * rank * static_cast<double>(n) * static_cast<double>(n);
}

double flops_after(std::int64_t n, int rank, int ranks) {
  return 2.0 * (ranks - rank) * static_cast<double>(n) * static_cast<double>(n);
}

}  // namespace hakaru::probes::overlap
