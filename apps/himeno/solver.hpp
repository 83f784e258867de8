// A block, its halo and the reduction: one rank's part of a distributed iteration, in either
// precision.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "apps/himeno/decomposition.hpp"
#include "apps/himeno/halo.hpp"
#include "apps/himeno/problem.hpp"
#include "native/base/phases.hpp"

namespace hakaru::apps::himeno {

enum class Precision { single_precision, double_precision };

inline std::int64_t word_bytes(Precision precision) {
  return precision == Precision::single_precision ? sizeof(float) : sizeof(double);
}

struct Method {
  Precision precision = Precision::single_precision;
  Exchange exchange = Exchange::packed;
  bool streaming = false;
};

// Every method but distance is collective.
class Solver {
 public:
  virtual ~Solver() = default;
  // Back to the initial pressure.
  virtual void reset() = 0;
  // One iteration with exchange and reduction, timed in the phases stencil, halo, reduction;
  // returns gosa on every rank.
  virtual double iterate(base::Phases& phases) = 0;
  // The same iteration; gosa is the exact sum of what each row gives, which has the same bits at
  // every layout that does not divide rows.
  virtual double iterate_exactly(base::Phases& phases) = 0;
  // Adds 0.01 to the first interior pressure of the grid.
  virtual void damage() = 0;

  struct Summary {
    double sum, minimum, maximum;  // over the interior points
  };
  virtual Summary summary() const = 0;
  // Largest |p - reference| over all points of this block with its ghost and boundary points;
  // `reference` holds the whole grid, x fastest. NaN if any is.
  virtual double distance(const std::vector<double>& reference) const = 0;
};

// Collective over all ranks, whose number is the product of `ranks`.
std::unique_ptr<Solver> make_solver(const Problem& problem, const Ranks& ranks,
                                    const Method& method);

}  // namespace hakaru::apps::himeno
