// Wavenumbers, the truncation sphere, and who holds what.
//
// Spectral side: a rank holds the planes kz = rank + ranks * plane, 0 <= kz < n/2 (half spectrum;
// the Nyquist modes are zero). The planes are dealt out in turn because those with small kz hold
// more modes. Physical side: a rank holds n/ranks planes of constant y. Indices ikx, iky run over 0
// .. n-1 and stand for the wavenumbers 0 .. n/2-1, -n/2 .. -1.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "native/base/aligned.hpp"

namespace hakaru::apps::turbulence {

using Complex = std::complex<double>;

// Lines along y that are transformed together: `width` neighbouring kx of one plane.
struct Block {
  int plane, column;  // the block holds ikx = column * width .. (column + 1) * width - 1
  int kz;
  int reach;  // largest |ky| with a retained mode in the block
};

class Grid {
 public:
  // n: grid points in each direction. Call refuse() first.
  Grid(int n, int rank, int ranks);

  // Why the grid cannot be distributed like this, or "".
  static std::string refuse(std::int64_t n, int ranks);

  // Largest |k| such that k^2 + other_squared < 2 n^2 / 9, or -1 when there is none.
  static int reach(int n, std::int64_t other_squared);
  // Largest even divisor of n that is at most `most`.
  static int even_divisor(int n, int most);
  // Neighbouring kx in one block: a few cache lines.
  static int block_width(int n) { return even_divisor(n, 8); }
  // True when the block holds a retained mode of the plane kz.
  static bool block_retained(int n, int width, int column, int kz);
  // Blocks of a rank that hold retained modes.
  static std::vector<Block> blocks_of(int n, int rank, int ranks);

  int n() const { return n_; }
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  int width() const { return width_; }
  int columns() const { return n_ / width_; }
  int planes() const { return n_ / 2 / ranks_; }
  int local_y() const { return n_ / ranks_; }
  int first_y() const { return rank_ * local_y(); }
  int cutoff() const { return cutoff_; }  // largest retained |k| along an axis
  int kz_of(int plane) const { return rank_ + ranks_ * plane; }
  int wavenumber(int index) const { return index < n_ / 2 ? index : index - n_; }
  int index_of(int wavenumber) const { return wavenumber >= 0 ? wavenumber : wavenumber + n_; }
  bool retained(int kx, int ky, int kz) const {
    return 9 * (std::int64_t{kx} * kx + std::int64_t{ky} * ky + std::int64_t{kz} * kz) <
           2 * std::int64_t{n_} * n_;
  }
  // Blocks of this rank that hold retained modes.
  const std::vector<Block>& blocks() const { return blocks_; }
  // Columns of blocks [0, left) and [right, columns()) hold the retained modes of the plane kz.
  int left(int kz) const { return left_[kz]; }
  int right(int kz) const { return right_[kz]; }

  // Complex values of one component on this rank, retained or not; also of one slot of a
  // transposition buffer.
  std::size_t slot_size() const { return static_cast<std::size_t>(planes()) * n_ * n_; }
  // Place of a mode in a State.
  std::size_t index(int plane, int ikx, int iky, int component) const {
    return row(plane, ikx / width_, iky) + static_cast<std::size_t>(component) * width_ +
           ikx % width_;
  }
  // Place of the first value of a row of a block: `width` values of each of three components.
  std::size_t row(int plane, int column, int iky) const {
    return ((static_cast<std::size_t>(plane) * columns() + column) * n_ + iky) * 3 * width_;
  }

  // Calls visit(plane, kx, ky, kz) for every retained mode of this rank, in an order that is the
  // same for every distribution within a plane.
  template <typename Visit>
  void for_each_mode(Visit&& visit) const {
    for (int plane = 0; plane < planes(); ++plane) for_each_mode_of(plane, visit);
  }
  template <typename Visit>
  void for_each_mode_of(int plane, Visit&& visit) const {
    const int kz = kz_of(plane), most = reach(n_, std::int64_t{kz} * kz);
    for (int ky = -most; ky <= most; ++ky) {
      const int side = reach(n_, std::int64_t{kz} * kz + std::int64_t{ky} * ky);
      for (int kx = -side; kx <= side; ++kx) visit(plane, kx, ky, kz);
    }
  }

 private:
  int n_, rank_, ranks_, width_, cutoff_;
  std::vector<Block> blocks_;
  std::vector<int> left_, right_;
};

// Three components of a velocity in spectral space, blocked: [plane][column][iky][component][ikx
// within the block].
class State {
 public:
  explicit State(const Grid& grid) : values_(3 * grid.slot_size()) {}
  Complex* data() { return values_.data(); }
  const Complex* data() const { return values_.data(); }
  Complex& operator[](std::size_t i) { return values_[i]; }
  const Complex& operator[](std::size_t i) const { return values_[i]; }

 private:
  base::AlignedArray<Complex> values_;
};

}  // namespace hakaru::apps::turbulence
