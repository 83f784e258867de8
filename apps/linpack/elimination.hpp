// The order of the elimination, said once: the solver does it, the schedule writes it.
#pragma once

#include "apps/linpack/problem.hpp"

namespace hakaru::apps::linpack {

// Rank: column() of the grid; panel(j) factorises (on its process column alone); start(j) sends it
// or gets ready to receive it, finish(j) has it, release(j) ends its sends; update(j, columns,
// next) swaps rows and subtracts, and passes panel `next` on meanwhile (none: -1).
template <typename Rank>
void eliminate(const Problem& problem, Rank& rank) {
  const std::int64_t steps = problem.steps();
  const auto own = [&](std::int64_t j) { return problem.column_of(j) == rank.column(); };
  const auto factorise = [&](std::int64_t j) {
    if (own(j)) rank.panel(j);
    rank.start(j);
  };
  if (problem.look_ahead > 0) factorise(0);
  for (std::int64_t j = 0; j < steps; ++j) {
    if (problem.look_ahead == 0) factorise(j);
    rank.finish(j);
    const std::int64_t next = problem.look_ahead > 0 && j + 1 < steps ? j + 1 : -1;
    if (next < 0) {
      rank.update(j, right_of(problem, j, rank.column()), -1);
    } else if (own(next)) {
      rank.update(j, block_after(problem, j, rank.column()), -1);
      factorise(next);
      rank.update(j, rest_after(problem, j, rank.column()), -1);
    } else {
      rank.start(next);
      rank.update(j, right_of(problem, j, rank.column()), next);
    }
    rank.release(j);
  }
}

}  // namespace hakaru::apps::linpack
