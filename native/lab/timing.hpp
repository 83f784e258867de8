// How early to wake before a frame is due, and how late frames were.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "native/lab/fabric.hpp"

namespace hakaru::lab {

// A sleeping thread wakes late by an amount that depends on the machine and on what runs beside it.
// The margin follows the quantile `covered` of that lateness (stochastic approximation, H. Robbins
// and S. Monro, Ann. Math. Statist. 22, 1951): up by covered * step when a wake-up was later than
// the margin, down by (1 - covered) * step when it was not. The rest of the time is spent polling,
// at most `highest_ns`.
class WakeMargin {
 public:
  static constexpr double covered = 0.9;
  static constexpr double step_ns = 2000.0;
  static constexpr double first_ns = 10000.0, lowest_ns = 2000.0;

  explicit WakeMargin(double highest_ns)
      : highest_ns_(highest_ns), margin_ns_(std::min(first_ns, highest_ns)) {}
  void observe(Nanoseconds late_ns);
  Nanoseconds value_ns() const { return static_cast<Nanoseconds>(margin_ns_); }

 private:
  double highest_ns_, margin_ns_;
};

// Lateness of deliveries: counts in classes of 1 us, the last one open.
class Lateness {
 public:
  void add(Nanoseconds late_ns);
  std::uint64_t count() const { return count_; }
  Nanoseconds maximum_ns() const { return maximum_ns_; }
  // Upper end of the class that holds the quantile, in ns; the maximum in the open class; 0 without
  // samples.
  Nanoseconds quantile_ns(double fraction) const;

 private:
  static constexpr std::size_t classes = 2000;
  std::array<std::uint64_t, classes> histogram_{};
  std::uint64_t count_ = 0;
  Nanoseconds maximum_ns_ = 0;
};

}  // namespace hakaru::lab
