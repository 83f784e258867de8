#include <hwy/highway.h>

#include "apps/median_filter/filter.hpp"

HWY_BEFORE_NAMESPACE();
namespace hakaru::apps::median_filter {
namespace {

namespace simd = hwy::HWY_NAMESPACE;

constexpr std::int64_t line_bytes = 64;

// A tile, one vector along x: scratch memory holds vectors, addressed by their number.
//   work    of the networks
//   rows    sorted values of the rows of a plane that windows of the tile reach
//   planes  sorted values of each window in a plane, of window.z + 1 planes in turn
template <typename Value>
class Any {
  using Tag = simd::CappedTag<Value, line_bytes / sizeof(Value)>;
  using Vector = simd::Vec<Tag>;

 public:
  Any(const Plan& plan, const Shape& shape, const Tile& tile, const Value* image, Value* filtered,
      Value* scratch)
      : plan_(plan),
        shape_(shape),
        tile_(tile),
        image_(image),
        filtered_(filtered),
        window_(shape.window),
        work_(scratch),
        rows_(work_ + most_positions(window_) * lanes()),
        planes_(rows_ + (tile.end_row - tile.first_row + window_.y - 1) * window_.x * lanes()) {}

  static std::int64_t lanes() { return static_cast<std::int64_t>(simd::Lanes(Tag())); }
  static std::int64_t most_positions(const Window& window) {
    return window.x * window.y * std::max<std::int64_t>(1, window.z - 1);
  }

  HWY_INLINE void filter(std::int64_t x) {
    const std::int64_t before = Window::before(window_.z), after = Window::after(window_.z);
    std::int64_t next = tile_.first_plane - before;  // the first plane that is not sorted yet
    for (std::int64_t z = tile_.first_plane; z < tile_.end_plane; z += 2) {
      for (; next <= z + 1 + after; ++next) sort_plane(x, next);
      for (std::int64_t y = tile_.first_row; y < tile_.end_row; ++y) {
        merge_core(y, z);
        store(median(kept(y, z - before)), x, y, z);
        if (z + 1 < tile_.end_plane) store(median(kept(y, z + 1 + after)), x, y, z + 1);
      }
    }
  }

 private:
  HWY_INLINE void run(const Network& network) {
    const std::int64_t size = lanes();
    for (const Comparator& one : network) {
      Value *low = work_ + one.low * size, *high = work_ + one.high * size;
      const Vector a = simd::Load(Tag(), low), b = simd::Load(Tag(), high);
      simd::Store(simd::Min(a, b), Tag(), low);
      simd::Store(simd::Max(a, b), Tag(), high);
    }
  }
  HWY_INLINE void copy(const Value* from, std::int64_t vectors, Value* to) {
    for (std::int64_t i = 0; i < vectors * lanes(); i += lanes())
      simd::Store(simd::Load(Tag(), from + i), Tag(), to + i);
  }
  HWY_INLINE void copy_sorted(const Step& step, Value* to) {
    for (const int position : step.order) {
      copy(work_ + position * lanes(), 1, to);
      to += lanes();
    }
  }
  // Of the window of a row of the tile in a plane.
  Value* kept(std::int64_t y, std::int64_t z) {
    const std::int64_t places = window_.z + 1, rows = tile_.end_row - tile_.first_row;
    const std::int64_t place = (z + window_.z) % places;  // z >= -before
    return planes_ + (place * rows + y - tile_.first_row) * window_.x * window_.y * lanes();
  }

  HWY_INLINE void sort_plane(std::int64_t x, std::int64_t z) {
    const std::int64_t first = tile_.first_row - Window::before(window_.y);
    const std::int64_t end = tile_.end_row + Window::after(window_.y);
    const std::int64_t last = shape_.last_plane(), plane = z < last ? z : last;
    for (std::int64_t y = first; y < end; ++y) {
      const Value* at = image_ + shape_.index(x - Window::before(window_.x), y, plane);
      for (std::int64_t i = 0; i < window_.x; ++i)
        simd::Store(simd::LoadU(Tag(), at + i), Tag(), work_ + i * lanes());
      run(plan_.row.network);
      copy_sorted(plan_.row, rows_ + (y - first) * window_.x * lanes());
    }
    for (std::int64_t y = tile_.first_row; y < tile_.end_row; ++y) {
      copy(rows_ + (y - tile_.first_row) * window_.x * lanes(), window_.x * window_.y, work_);
      run(plan_.plane.network);
      copy_sorted(plan_.plane, kept(y, z));
    }
  }
  // What the windows of z and z + 1 share stays in work_.
  HWY_INLINE void merge_core(std::int64_t y, std::int64_t z) {
    const std::int64_t values = window_.x * window_.y;
    const std::int64_t first = z + 1 - Window::before(window_.z);
    for (std::int64_t i = 0; i + 1 < window_.z; ++i)
      copy(kept(y, first + i), values, work_ + i * values * lanes());
    run(plan_.core.network);
  }
  HWY_INLINE Vector median(const Value* plane) {
    const int core = plan_.core.positions, values = plan_.plane.positions, k = plan_.rank + 1;
    const int first = std::max(0, k - values), last = std::min(k, core);
    Vector least = term(plane, first, k - first);
    for (int i = first + 1; i <= last; ++i) least = simd::Min(least, term(plane, i, k - i));
    return least;
  }
  // max(core_i, plane_j), counted from 1; 0 is left out.
  HWY_INLINE Vector term(const Value* plane, int i, int j) {
    const auto of_core = [&]() HWY_ATTR {
      const int position = plan_.core.order[static_cast<std::size_t>(i - 1 - plan_.core.first)];
      return simd::Load(Tag(), work_ + position * lanes());
    };
    if (j == 0) return of_core();
    const Vector of_plane = simd::Load(Tag(), plane + (j - 1) * lanes());
    return i == 0 ? of_plane : simd::Max(of_core(), of_plane);
  }
  HWY_INLINE void store(Vector v, std::int64_t x, std::int64_t y, std::int64_t z) {
    simd::StoreU(v, Tag(), filtered_ + shape_.index(x, y, z));
  }

  const Plan& plan_;
  const Shape& shape_;
  const Tile tile_;
  const Value* image_;
  Value* filtered_;
  const Window window_;
  Value *work_, *rows_, *planes_;
};

}  // namespace

template <typename Value>
void filter_any(const Plan& plan, const Shape& shape, const Tile& tile, const Value* image,
                Value* filtered, Value* scratch) {
  Any<Value> any(plan, shape, tile, image, filtered, scratch);
  for (std::int64_t x = 0; x < shape.extent.x; x += Any<Value>::lanes()) any.filter(x);
}

template <typename Value>
std::int64_t scratch_values(const Window& window, std::int64_t rows) {
  const std::int64_t vectors = Any<Value>::most_positions(window) +
                               (rows + window.y - 1) * window.x +
                               (window.z + 1) * rows * window.x * window.y;
  return vectors * Any<Value>::lanes();
}

template void filter_any(const Plan&, const Shape&, const Tile&, const std::int32_t*, std::int32_t*,
                         std::int32_t*);
template void filter_any(const Plan&, const Shape&, const Tile&, const float*, float*, float*);
template void filter_any(const Plan&, const Shape&, const Tile&, const double*, double*, double*);
template std::int64_t scratch_values<std::int32_t>(const Window&, std::int64_t);
template std::int64_t scratch_values<float>(const Window&, std::int64_t);
template std::int64_t scratch_values<double>(const Window&, std::int64_t);

}  // namespace hakaru::apps::median_filter
HWY_AFTER_NAMESPACE();
