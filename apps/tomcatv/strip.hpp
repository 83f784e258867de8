// The columns of one rank and what is computed on them.
#pragma once

#include <array>

#include "apps/tomcatv/plan.hpp"
#include "native/base/aligned.hpp"

namespace hakaru::apps::tomcatv {

// Operations for each point that is not on an edge; a maximum counts as one.
inline constexpr double residual_flops = 49.0, solve_flops = 16.0;

// z_a z_b ... by differences over the neighbouring points: with z = (x, y) and central differences,
//   r = a z_ii + b z_jj - 2 c z_ij,  a = |z_j|^2, b = |z_i|^2, c = z_i . z_j,
// and the correction d of a column, its neighbours in other columns kept:
//   -b d_(j-1) + (2 b + 2 a / 0.98) d_j - b d_(j+1) = r.
class Strip {
 public:
  // `x`, `y`: n rows of Columns::pitch() values; the first and the one after the last own column
  // are the neighbours'.
  Strip(const Plan& plan, int rank, double* x, double* y);

  void reset();
  void residual();  // also max |r_x| and max |r_y| over own points
  void solve();     // corrects the mesh

  const std::array<double, 2>& maxima() const { return maxima_; }
  Point at(std::int64_t i, std::int64_t j) const {  // i counts own columns
    return {x_[j * pitch_ + i + 1], y_[j * pitch_ + i + 1]};
  }
  // Largest distance of own points from those of `exact(i, j)`.
  template <typename Exact>
  double distance(const Exact& exact) const {
    double worst = 0.0;
    for (std::int64_t j = 0; j < n_; ++j)
      for (std::int64_t i = 0; i < count_; ++i)
        worst = std::max(worst, std::abs(at(i, j) - exact(first_ + i, j)));
    return worst;
  }

 private:
  using Array = base::AlignedArray<double>;
  void eliminate(std::int64_t from, std::int64_t to);

  Map map_;
  std::int64_t n_, first_, count_, pitch_;
  std::int64_t begin_, end_;  // own inner columns, as indices of a row
  double *x_, *y_;
  Array start_x_, start_y_, off_, diagonal_, pivot_, rx_, ry_;
  std::array<double, 2> maxima_{};
};

}  // namespace hakaru::apps::tomcatv
