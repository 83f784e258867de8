#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <array>
#include <utility>

#include "apps/median_filter/filter.hpp"

// A merge known at compile time: `left` and `right` sorted values one after the other, of which
// ranks [first, end) are wanted.
namespace hakaru::apps::median_filter {
namespace {

constexpr Step merge_step(int left, int right, int first, int end) {
  Step step;
  step.positions = left + right;
  step.first = first;
  Positions a, b;
  for (int i = 0; i < left; ++i) a.push_back(i);
  for (int i = left; i < left + right; ++i) b.push_back(i);
  const Positions all = merged(a, b, step.network);
  step.order.assign(all.begin() + first, all.begin() + end);
  prune(step.network, step.order, step.positions);
  return step;
}

template <int left, int right, int first, int end>
struct Merge {
  static constexpr int values = left + right, wanted = end - first;
  static constexpr std::size_t comparators = merge_step(left, right, first, end).network.size();
  static constexpr int operations =
      median_filter::operations(merge_step(left, right, first, end).network);
  static constexpr std::array<Comparator, comparators> network = [] {
    std::array<Comparator, comparators> fixed{};
    const Step step = merge_step(left, right, first, end);
    for (std::size_t i = 0; i < comparators; ++i) fixed[i] = step.network[i];
    return fixed;
  }();
  static constexpr std::array<int, wanted> order = [] {
    std::array<int, wanted> fixed{};
    const Step step = merge_step(left, right, first, end);
    for (int i = 0; i < wanted; ++i) fixed[i] = step.order[i];
    return fixed;
  }();
};

// The window's nine values in a plane come from three rows, two of which a pair of outputs shares;
// its 27 values from three planes, two of which a pair shares. Of the 18 values of these only
// ranks 4 to 13 can be the median of 27.
using TwoRows = Merge<3, 3, 0, 6>;
using ThreeRows = Merge<6, 3, 0, 9>;
constexpr Ranks core_ranks = needed_ranks(18, 9, 13);
using TwoPlanes = Merge<9, 9, core_ranks.first, core_ranks.end>;
constexpr int sort_of_row = 6;
constexpr int selection = selecting(18, 9, 13);

}  // namespace

double operations_of_three() {
  return sort_of_row + 0.5 * TwoRows::operations + ThreeRows::operations +
         0.5 * TwoPlanes::operations + selection;
}

}  // namespace hakaru::apps::median_filter

HWY_BEFORE_NAMESPACE();
namespace hakaru::apps::median_filter {
namespace {

namespace simd = hwy::HWY_NAMESPACE;

constexpr std::int64_t line_bytes = 64, kept_rows = 4, block_vectors = 8;

template <typename Vector, int count>
struct Sorted {
  Vector v[count];
};

template <int low, int high, bool keep_low, bool keep_high, typename Vector>
HWY_INLINE void compare(Vector* v) {
  const Vector a = v[low], b = v[high];
  if constexpr (keep_low) v[low] = simd::Min(a, b);
  if constexpr (keep_high) v[high] = simd::Max(a, b);
}

template <typename Step, typename Vector, std::size_t... i, std::size_t... rank>
HWY_INLINE void merge_unrolled(Vector* v, Vector* sorted, std::index_sequence<i...>,
                               std::index_sequence<rank...>) {
  (compare<Step::network[i].low, Step::network[i].high, Step::network[i].keep_low,
           Step::network[i].keep_high>(v),
   ...);
  ((sorted[rank] = v[Step::order[rank]]), ...);
}

template <typename Step, typename Vector, int left, int right>
HWY_INLINE Sorted<Vector, Step::wanted> merge(const Sorted<Vector, left>& a,
                                              const Sorted<Vector, right>& b) {
  Vector v[left + right];
  Sorted<Vector, Step::wanted> sorted;
#pragma GCC unroll 16
  for (int i = 0; i < left; ++i) v[i] = a.v[i];
#pragma GCC unroll 16
  for (int i = 0; i < right; ++i) v[left + i] = b.v[i];
  merge_unrolled<Step>(v, sorted.v, std::make_index_sequence<Step::comparators>(),
                       std::make_index_sequence<Step::wanted>());
  return sorted;
}

// The three values along x around each lane.
template <typename Tag, typename Value, typename Vector = simd::Vec<Tag>>
HWY_INLINE Sorted<Vector, 3> sorted_row(const Value* at) {
  const Vector a = simd::LoadU(Tag(), at - 1), b = simd::LoadU(Tag(), at);
  const Vector c = simd::LoadU(Tag(), at + 1);
  const Vector low = simd::Min(a, b), high = simd::Max(a, b);
  const Vector middle = simd::Min(high, c);
  return {{simd::Min(low, middle), simd::Max(low, middle), simd::Max(high, c)}};
}

// Rank 13 of the union: `core` are ranks 4 to 13 of 18 values.
template <typename Vector>
HWY_INLINE Vector median(const Sorted<Vector, 10>& core, const Sorted<Vector, 9>& plane) {
  Vector least = core.v[9];
#pragma GCC unroll 16
  for (int i = 0; i < 9; ++i) least = simd::Min(least, simd::Max(core.v[i], plane.v[8 - i]));
  return least;
}

// A tile, a block of vectors along x: two planes at a time, of which the nine sorted values of
// each window are kept until the next two.
template <typename Value>
class Three {
  using Tag = simd::CappedTag<Value, line_bytes / sizeof(Value)>;
  using Vector = simd::Vec<Tag>;
  using Nine = Sorted<Vector, 9>;

 public:
  Three(const Shape& shape, const Tile& tile, const Value* image, Value* filtered)
      : shape_(shape), tile_(tile), image_(image), filtered_(filtered) {}

  HWY_INLINE void filter(std::int64_t x, std::int64_t vectors) {
    const std::int64_t begin = tile_.first_plane;
    for (std::int64_t i = 0; i < vectors; ++i) column<false>(x + i * lanes(), i, begin - 2);
    for (std::int64_t z = begin; z < tile_.end_plane; z += 2)
      for (std::int64_t i = 0; i < vectors; ++i) column<true>(x + i * lanes(), i, z);
  }

  static std::int64_t lanes() { return static_cast<std::int64_t>(simd::Lanes(Tag())); }

 private:
  HWY_INLINE Sorted<Vector, 3> row(std::int64_t x, std::int64_t y, std::int64_t z) const {
    const std::int64_t last_row = shape_.last_row(), last_plane = shape_.last_plane();
    return sorted_row<Tag>(
        image_ + shape_.index(x, y < last_row ? y : last_row, z < last_plane ? z : last_plane));
  }
  // Rows of a plane that comes next: they lie too far apart for the processor to see it.
  HWY_INLINE void fetch_ahead(std::int64_t x, std::int64_t y, std::int64_t z) const {
    if (z > shape_.last_plane()) return;
    const Value* at = image_ + shape_.index(x, y + 1, z);
    hwy::Prefetch(at);
    hwy::Prefetch(at + shape_.pitch);
  }
  HWY_INLINE Nine kept(int plane, std::int64_t row, std::int64_t i) const {
    Nine nine;
#pragma GCC unroll 16
    for (int rank = 0; rank < 9; ++rank)
      nine.v[rank] = simd::Load(Tag(), place(plane, row, i, rank));
    return nine;
  }
  HWY_INLINE void keep(const Nine& nine, int plane, std::int64_t row, std::int64_t i) {
#pragma GCC unroll 16
    for (int rank = 0; rank < 9; ++rank)
      simd::Store(nine.v[rank], Tag(), const_cast<Value*>(place(plane, row, i, rank)));
  }
  HWY_INLINE const Value* place(int plane, std::int64_t row, std::int64_t i, int rank) const {
    return kept_ + (((i * kept_rows + row) * 2 + plane) * 9 + rank) * lanes();
  }

  // One vector along x, all rows of the tile: planes z + 1 and z + 2 are sorted, and planes z and
  // z + 1 filtered, for which z - 1 and z were kept.
  template <bool filtering>
  HWY_INLINE void column(std::int64_t x, std::int64_t i, std::int64_t z) {
    Sorted<Vector, 3> below[2], centre[2];
#pragma GCC unroll 2
    for (int p = 0; p < 2; ++p) {
      below[p] = row(x, tile_.first_row - 1, z + 1 + p);
      centre[p] = row(x, tile_.first_row, z + 1 + p);
    }
    for (std::int64_t y = tile_.first_row; y < tile_.end_row; y += 2) {
      Nine nine[2][2];  // by row and plane
#pragma GCC unroll 2
      for (int p = 0; p < 2; ++p) {
        const Sorted<Vector, 3> next = row(x, y + 1, z + 1 + p), above = row(x, y + 2, z + 1 + p);
        fetch_ahead(x, y, z + 3 + p);
        const Sorted<Vector, 6> both = merge<TwoRows>(centre[p], next);
        nine[0][p] = merge<ThreeRows>(both, below[p]);
        nine[1][p] = merge<ThreeRows>(both, above);
        below[p] = next;
        centre[p] = above;
      }
#pragma GCC unroll 2
      for (int r = 0; r < 2; ++r) {
        const std::int64_t row_of_tile = y - tile_.first_row + r;
        if constexpr (filtering) {
          const auto core = merge<TwoPlanes>(kept(1, row_of_tile, i), nine[r][0]);
          store(median(core, kept(0, row_of_tile, i)), x, y + r, z);
          store(median(core, nine[r][1]), x, y + r, z + 1);
        }
        keep(nine[r][0], 0, row_of_tile, i);
        keep(nine[r][1], 1, row_of_tile, i);
      }
    }
  }
  HWY_INLINE void store(Vector v, std::int64_t x, std::int64_t y, std::int64_t z) {
    if (y < tile_.end_row && z < tile_.end_plane)
      simd::StoreU(v, Tag(), filtered_ + shape_.index(x, y, z));
  }

  const Shape shape_;
  const Tile tile_;
  const Value* image_;
  Value* filtered_;
  alignas(line_bytes) Value kept_[2 * 9 * kept_rows * block_vectors * line_bytes / sizeof(Value)];
};

}  // namespace

template <typename Value>
void filter_three(const Shape& shape, const Tile& tile, const Value* image, Value* filtered) {
  Three<Value> three(shape, tile, image, filtered);
  const std::int64_t lanes = Three<Value>::lanes(), block = block_vectors * lanes;
  for (std::int64_t x = 0; x < shape.extent.x; x += block) {
    const std::int64_t vectors = (shape.extent.x - x + lanes - 1) / lanes;
    three.filter(x, vectors < block_vectors ? vectors : block_vectors);
  }
}

template void filter_three(const Shape&, const Tile&, const std::int32_t*, std::int32_t*);
template void filter_three(const Shape&, const Tile&, const float*, float*);
template void filter_three(const Shape&, const Tile&, const double*, double*);

}  // namespace hakaru::apps::median_filter
HWY_AFTER_NAMESPACE();
