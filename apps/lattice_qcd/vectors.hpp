// Sums and updates of fields, by all threads of a rank. A field is [...][re, im][lane].
#pragma once

#include <complex>
#include <cstdint>
#include <span>

#include "native/parallel/communicator.hpp"
#include "native/parallel/exact_sum.hpp"

namespace hakaru::apps::lattice_qcd {

// What an update costs for each number of the field; bytes are words times the size of a number.
struct VectorWork {
  double flops, words, written;
};
inline constexpr VectorWork norm_work{2, 1, 0}, dot_work{4, 2, 0}, add_work{2, 3, 1},
    add_complex_work{4, 3, 1}, turn_work{2, 3, 1}, turn_complex_work{8, 4, 1}, copy_work{0, 2, 1};

template <typename Real>
struct Field {
  Real* data;
  std::int64_t numbers;
  int lanes;
};

using Complex = std::complex<double>;

// y += a x
template <typename Real>
void add(Field<Real> y, double a, const Real* x);
template <typename Real>
void add(Field<Real> y, Complex a, const Real* x);
// p = r + b p
template <typename Real>
void turn(Field<Real> p, double b, const Real* r);
// p = r + b (p - w v)
template <typename Real>
void turn(Field<Real> p, Complex b, Complex w, const Real* r, const Real* v);
template <typename Real>
void copy(Field<Real> to, const Real* from);
template <typename Real>
void clear(Field<Real> field);

// Sums over all ranks. Fast ones depend on the layout by rounding; exact ones do not, and take
// longer messages.
class Sums {
 public:
  Sums(const parallel::Communicator& ranks, bool exact) : ranks_(ranks), exact_(exact) {}

  // This rank's part of |x|^2, and of <x, y> = sum conj(x) y as two numbers; to be given to
  // total().
  template <typename Real>
  void norm(Field<const Real> x);
  template <typename Real>
  void dot(Field<const Real> x, const Real* y);
  // Over all ranks, of what was summed since the last call, in this order. Collective.
  std::span<const double> total();

 private:
  const parallel::Communicator& ranks_;
  bool exact_;
  std::vector<double> parts_, totals_;
  std::vector<parallel::ExactSum> exact_parts_;
};

}  // namespace hakaru::apps::lattice_qcd
