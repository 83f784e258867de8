#include "apps/lattice_qcd/lattice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace hakaru::apps::lattice_qcd {
namespace {

std::vector<int> divisors(int number) {
  std::vector<int> found;
  for (int d = 1; d <= number; ++d)
    if (number % d == 0) found.push_back(d);
  return found;
}

// Fields are kept by parity, so that a box begins at an even site and has even extents.
bool fits(int extent, int ranks, int wish) {
  return extent % ranks == 0 && extent / ranks % 2 == 0 && (wish == 0 || wish == ranks);
}

// Sites that a box sends along all divided axes.
std::int64_t face_sites(const Extents& extents, const Extents& ranks) {
  const Lattice lattice{extents, ranks};
  const std::int64_t volume = product(lattice.local());
  std::int64_t sites = 0;
  for (int axis = 0; axis < axes; ++axis)
    if (ranks[axis] > 1) sites += volume / lattice.local()[axis];
  return sites;
}

}  // namespace

Extents Lattice::local() const {
  Extents box{};
  for (int axis = 0; axis < axes; ++axis) box[axis] = extents[axis] / ranks[axis];
  return box;
}

int Lattice::divided_axes() const {
  int count = 0;
  for (int axis = 0; axis < axes; ++axis) count += divided(axis);
  return count;
}

Place::Place(const Lattice& lattice_, int rank) : lattice(lattice_), local(lattice_.local()) {
  const Extents at = point_of(rank, lattice.ranks);
  for (int axis = 0; axis < axes; ++axis) {
    first[axis] = at[axis] * local[axis];
    for (const int backward : {0, 1}) {
      Extents other = at;
      const int along = lattice.ranks[axis];
      other[axis] = (at[axis] + (backward ? along - 1 : 1)) % along;
      neighbour[2 * axis + backward] = static_cast<int>(index_of(other, lattice.ranks));
    }
  }
}

Extents Place::global(const Extents& x) const {
  Extents sum{};
  for (int axis = 0; axis < axes; ++axis)
    sum[axis] = (first[axis] + x[axis] + lattice.extents[axis]) % lattice.extents[axis];
  return sum;
}

Division divide(const Extents& extents, int ranks, const Extents& wish) {
  Division best;
  std::int64_t fewest = -1;
  for (const int t : divisors(ranks))
    for (const int z : divisors(ranks / t))
      for (const int y : divisors(ranks / t / z)) {
        const Extents tried{ranks / t / z / y, y, z, t};
        bool good = true;
        for (int axis = 0; axis < axes; ++axis)
          good = good && fits(extents[axis], tried[axis], wish[axis]);
        if (!good) continue;
        const std::int64_t sites = face_sites(extents, tried);
        // Of equals the later one, which divides t rather than x.
        if (fewest >= 0 && sites > fewest) continue;
        fewest = sites;
        best.ranks = tried;
      }
  if (fewest < 0)
    best.refusal = fmt::format(
        "{} ranks cannot divide the {} lattice with ranks_x ... ranks_t = {} (0: any), since every "
        "rank needs the same box with even extents; choose extents that are even multiples of the "
        "ranks along them",
        ranks, fmt::join(extents, " x "), fmt::join(wish, ", "));
  return best;
}

}  // namespace hakaru::apps::lattice_qcd
