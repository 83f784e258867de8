// Where the numbers of a block lie: rows of cells along i, one for each unknown, side by side.
#pragma once

#include <cstddef>
#include <cstdint>

#include "apps/multiblock_flow/topology.hpp"
#include "native/base/aligned.hpp"

namespace hakaru::apps::multiblock_flow {

// rho, rho u, rho v, rho w, E
inline constexpr int unknowns = 5;
using State = std::array<double, unknowns>;
inline constexpr int ghost_layers = 2;
inline constexpr double gamma_gas = 1.4;

// Vectors may begin at any cell and end within the next row.
inline constexpr int row_margin = 4, most_lanes = 8;
constexpr std::ptrdiff_t rounded_row(int numbers) {
  return (numbers + most_lanes - 1) / most_lanes * most_lanes;
}

// Conserved unknowns with two layers of ghosts.
class Cells {
 public:
  Cells() = default;
  explicit Cells(const Index& n)
      : n_(n), row_(rounded_row(row_margin + n[0] + ghost_layers)), numbers_(numbers_for(n)) {}
  static std::size_t numbers_for(const Index& n) {
    return static_cast<std::size_t>(rounded_row(row_margin + n[0] + ghost_layers) * unknowns *
                                    (n[1] + 2 * ghost_layers) * (n[2] + 2 * ghost_layers)) +
           4 * most_lanes;
  }

  std::ptrdiff_t row() const { return row_; }
  std::ptrdiff_t step(int axis) const {
    return axis == 0   ? 1
           : axis == 1 ? unknowns * row_
                       : unknowns * row_ * (n_[1] + 2 * ghost_layers);
  }
  const Index& extents() const { return n_; }
  double* at(int unknown, int i, int j, int k) { return numbers_.data() + place(unknown, i, j, k); }
  const double* at(int unknown, int i, int j, int k) const {
    return numbers_.data() + place(unknown, i, j, k);
  }
  State get(const Index& c) const {
    State state;
    for (int u = 0; u < unknowns; ++u) state[u] = *at(u, c[0], c[1], c[2]);
    return state;
  }
  void set(const Index& c, const State& state) {
    for (int u = 0; u < unknowns; ++u) *at(u, c[0], c[1], c[2]) = state[u];
  }
  void fill(const State& state);
  void copy_from(const Cells& other);
  std::size_t size() const { return numbers_.size(); }

 private:
  std::ptrdiff_t place(int unknown, int i, int j, int k) const {
    return row_margin + i + row_ * unknown + step(1) * (j + ghost_layers) +
           step(2) * (k + ghost_layers);
  }
  Index n_{};
  std::ptrdiff_t row_ = 0;
  base::AlignedArray<double> numbers_;
};

// Of the faces below each cell along i, j and k: unit normal and area; 1 / volume of the cell.
inline constexpr int metric_numbers = 13, inverse_volume = 12;

class Metrics {
 public:
  Metrics() = default;
  explicit Metrics(const Index& n)
      : rows_(n[1] + 1), row_(rounded_row(n[0] + 1)), numbers_(numbers_for(n)) {}
  static std::size_t numbers_for(const Index& n) {
    return static_cast<std::size_t>(rounded_row(n[0] + 1) * metric_numbers * (n[1] + 1) *
                                    (n[2] + 1)) +
           4 * most_lanes;
  }

  std::ptrdiff_t row() const { return row_; }
  std::ptrdiff_t step(int axis) const {
    return axis == 0 ? 1 : axis == 1 ? metric_numbers * row_ : metric_numbers * row_ * rows_;
  }
  double* at(int number, int i, int j, int k) {
    return numbers_.data() + i + row_ * number + step(1) * j + step(2) * k;
  }
  const double* at(int number, int i, int j, int k) const {
    return const_cast<Metrics*>(this)->at(number, i, j, k);
  }
  std::size_t size() const { return numbers_.size(); }

 private:
  int rows_ = 0;
  std::ptrdiff_t row_ = 0;
  base::AlignedArray<double> numbers_;
};

}  // namespace hakaru::apps::multiblock_flow
