// Light along one dimension through a film of macroscopic points, by finite differences in time:
//   (1/c^2) a'' - d^2 a/dX^2 = -(4 pi / c^2) j,
//   a_i(t+dt) = 2 a_i - a_i(t-dt) + (c dt/dX)^2 (a_(i+1) - 2 a_i + a_(i-1)) - 4 pi dt^2 j_i.
// Yabana et al., PRB 85 (2012) 045134. Both ends let waves out (Mur 1981, exact for c).
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "apps/electrons/layout.hpp"
#include "apps/electrons/timing.hpp"
#include "native/parallel/communicator.hpp"

namespace hakaru::apps::electrons {

struct Film {
  int points = 1;             // of matter
  int before = 0, after = 0;  // cells of vacuum on both sides
  double spacing = 250.0;     // bohr
  double dt = 0.08;

  int cells() const { return before + points + after; }
};

inline constexpr double no_request = std::numeric_limits<double>::infinity();

// The cells of one group of ranks, with a copy of the neighbour's on each side; every rank of a
// group computes the same.
class Maxwell {
 public:
  // `line` holds one rank of each group, in order. `pulse(t)` is a(t) of a wave that moves towards
  // the film and whose front is at the first cell of matter at t = 0.
  Maxwell(const Film& film, const RankLayout& layout, int rank, const parallel::Communicator& line,
          const std::function<double(double)>& pulse, const Clock& clock = {});

  // Advances by dt with the currents of this group's points. Collective over `line`. `request`
  // travels to both neighbours with the field; returns the smallest of theirs and of the own one.
  double step(const std::vector<double>& currents, double request = no_request);

  // a at this group's points.
  double at(int point) const { return now_[offset_ + point]; }
  double before_step(int point) const { return last_[offset_ + point]; }
  // a of this group's cells, without the copies of the neighbours'; first_cell() counts from the
  // left end.
  std::vector<double> cells() const { return {now_.begin() + 1, now_.end() - 1}; }
  std::vector<double>& now() { return now_; }
  std::vector<double>& last() { return last_; }
  int first_cell() const { return first_; }
  // (1/8 pi) integral of (a'/...)^2: energy of the field between this group's cells, per area, by
  // a' = (a(t) - a(t-dt))/dt and da/dX of their mean.
  double energy() const;

 private:
  double exchange(double request);

  Film film_;
  const parallel::Communicator& line_;
  Clock clock_;
  int first_ = 0, offset_ = 0, points_ = 0;
  bool left_end_, right_end_;
  std::vector<double> now_, last_, next_;
};

}  // namespace hakaru::apps::electrons
