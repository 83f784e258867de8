// What a run is, and which columns of the mesh a rank holds.
#pragma once

#include <algorithm>
#include <cstdint>

#include "apps/tomcatv/map.hpp"
#include "native/base/share.hpp"

namespace hakaru::apps::tomcatv {

// direct: flags alone order the exchange, one reduction of both maxima. published: exchanges,
// reductions and barriers as Table 5 of the AP1000+ paper counts them, see README.md.
enum class Style { direct, published };

struct Plan {
  std::int64_t n;  // points in each direction, with the edges
  std::int64_t iterations;
  Style style;
  int ranks;
  Map map;
};

// Neighbouring columns (points with the same i); shares differ by at most one column.
struct Columns {
  std::int64_t n;
  int ranks;

  std::int64_t first(int rank) const { return base::share_of(n, rank, ranks).first; }
  std::int64_t count(int rank) const { return base::share_of(n, rank, ranks).count; }
  // Columns that are not an edge of the mesh.
  std::int64_t inner(int rank) const {
    return std::max<std::int64_t>(
        0, std::min(first(rank + 1), n - 1) - std::max<std::int64_t>(first(rank), 1));
  }
  int left(int rank) const { return rank > 0 ? rank - 1 : -1; }
  int right(int rank) const { return rank + 1 < ranks ? rank + 1 : -1; }
  // Values from one row to the next: the same on all ranks; two columns are the neighbours'.
  std::int64_t pitch() const { return ((n + ranks - 1) / ranks + 2 + 7) / 8 * 8; }
};

// The order of a repetition, said once: the solver does these steps, the schedule writes them.
template <typename Machine>
void repetition(const Plan& plan, Machine& machine) {
  machine.reset();
  machine.repeat(plan.iterations, [&] {
    machine.residual();
    machine.maxima();
    machine.solve();
    if (plan.style == Style::published) {
      machine.exchange(1, 0);
      machine.exchange(1, 1);
    } else {
      machine.exchange(2, 0);
    }
  });
}

}  // namespace hakaru::apps::tomcatv
