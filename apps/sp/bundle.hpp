// Eight lines of the grid side by side in vectors, and what is done along them. Each line is read
// into a buffer, worked on there, and written back, so that all three directions are the same work
// at the speed of the vector unit.
#pragma once

#include <array>

#include "apps/sp/problem.hpp"
#include "native/base/aligned.hpp"

namespace hakaru::apps::sp {

inline constexpr int lanes = 8;
typedef double Vector __attribute__((vector_size(lanes * sizeof(double))));

// Where lines lie in an array, in points from its beginning.
struct Lines {
  std::int64_t first, step;  // first point of the first line; from point to point
  std::int64_t next;         // from line to line
  int count;                 // lines in use, 1 ... 8
};

class Bundle {
 public:
  Bundle(std::int64_t n, double dt);
  // The calling thread's own, which it keeps: memory that is given back at the end of every region
  // costs a team more than the work on it.
  static Bundle& of_thread(std::int64_t n, double dt);

  // The five components of all points of the lines.
  void read_state(const double* state, const Lines& lines);
  // 1 / density, velocities, speed of sound: from the state, or from arrays of their own.
  void derive_primitives();
  void read_primitives(const std::array<const double*, 5>& scalars, const Lines& lines);
  void write_primitives(const std::array<double*, 5>& scalars, const Lines& lines) const;

  // result = factor (base + the terms of the spatial operator with differences along `axis`), at
  // inner points; needs state and primitives.
  void differences(Axis axis, const double* base, double* result, double factor,
                   const Lines& lines);

  // One factor of the approximate factorisation. update <- E_out (I + dt A)^-1 E_in update, where A
  // is diagonal in the eigenvectors of the direction: pentadiagonal systems with the eigenvalues V,
  // V + c, V - c. E_in goes to the eigenvectors of x (only x), E_out on to those of the next
  // direction, or (z) back to the components. With `state`, the update is added to it instead of
  // being written.
  void solve(Axis axis, double* update, double* state, const Lines& lines);

 private:
  Vector* row(Vector* values, int component) { return values + component * pitch_; }
  const Vector* row(const Vector* values, int component) const {
    return values + component * pitch_;
  }
  void pentadiagonal(Axis axis, double sign, int first, int last);
  void into_eigenvectors();
  void out_of_eigenvectors(Axis axis);

  std::int64_t n_, pitch_;
  double dt_, h_;
  base::AlignedArray<Vector> memory_;
  Vector *state_, *primitives_, *flux_, *diffused_, *update_, *upper_;
};

// Operations for each inner point.
inline constexpr double primitive_flops = 15.0, difference_flops = 100.0, add_flops = 5.0;
inline constexpr std::array<double, 3> solve_flops = {136.0, 104.0, 127.0};

}  // namespace hakaru::apps::sp
