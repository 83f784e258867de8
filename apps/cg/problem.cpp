#include "apps/cg/problem.hpp"

#include <stdexcept>

namespace hakaru::apps::cg {

double Problem::operations(double estimates) const {
  const double nz = row_elements();
  return 2.0 * estimates * static_cast<double>(n) *
         (3.0 + nz + inner_iterations * (5.0 + nz) + 3.0);
}

Problem problem_of_class(const std::string& name) {
  if (name == "S") return {1400, 7, 15, 10.0, 8.5971775078648, 78148};
  if (name == "W") return {7000, 8, 15, 12.0, 10.362595087124, 508402};
  if (name == "A") return {14000, 11, 15, 20.0, 17.130235054029, 1853104};
  if (name == "B") return {75000, 13, 75, 60.0, 22.712745482631, 0};
  if (name == "C") return {150000, 15, 75, 110.0, 28.973605592845, 0};
  if (name == "D") return {1500000, 21, 100, 500.0, 52.514532105794, 0};
  throw std::logic_error("no class " + name);
}

Block block_of(std::int64_t n, int rank, int ranks) { return base::share_of(n, rank, ranks); }

std::int64_t widest_block(std::int64_t n, int ranks) { return (n + ranks - 1) / ranks; }

}  // namespace hakaru::apps::cg
