// One rank's part of a filter that is distributed along z, for any type of values.
#pragma once

#include <cstdint>
#include <memory>

#include "apps/median_filter/pages.hpp"
#include "apps/median_filter/problem.hpp"
#include "native/base/phases.hpp"
#include "native/parallel/exact_sum.hpp"

namespace hakaru::apps::median_filter {

// What two images of the same points have in common, each by itself: sums over the own points that
// were compared.
struct Comparison {
  parallel::ExactSum found, expected;  // fingerprints: weight times value
  std::int64_t compared = 0, different = 0;
};

class Solver {
 public:
  virtual ~Solver() = default;
  // Collective. All passes, from the original image.
  virtual void filter(base::Phases& phases) = 0;
  // Every `stride`-th own point of the whole image's, each window of the last pass gathered and
  // sorted again: of the original image where there was one pass, else of what the pass before the
  // last gave.
  virtual Comparison compare_last_pass(std::int64_t stride) const = 0;
  // All own points with the filter by definition.
  virtual Comparison compare_with_reference() const = 0;
  // Adds one to the first point of the result.
  virtual void damage() = 0;
  virtual Given pages_given() const = 0;
};

// Collective.
std::unique_ptr<Solver> make_solver(const Problem& problem, Values values, Pages pages);

// Bytes that a rank allocates for images.
double image_bytes(const Problem& problem, Values values, int rank, int ranks);

}  // namespace hakaru::apps::median_filter
