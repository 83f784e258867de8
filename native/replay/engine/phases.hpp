// How long each rank is in each phase of the schedule.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "native/replay/engine/result.hpp"
#include "native/schedule/schedule.hpp"

namespace hakaru::replay {

class Phases {
 public:
  explicit Phases(const schedule::Schedule& schedule)
      : schedule_(schedule),
        columns_(schedule.phases.empty() ? 0 : schedule.phases.size() + 1),
        seconds_(columns_ * static_cast<std::size_t>(schedule.ranks), 0.0) {}

  bool any() const { return columns_ != 0; }
  // A rank's own, by phase; nullptr without phases.
  double* of_rank(std::uint32_t rank) {
    return columns_ == 0 ? nullptr : &seconds_[rank * columns_];
  }
  // The place of what a rank does in `phase` among its own.
  std::size_t column(std::uint16_t phase) const {
    return std::min<std::size_t>(phase, columns_ - 1);
  }
  void tell(Result& result) {
    for (std::size_t phase = 0; phase < columns_; ++phase)
      result.phases.push_back(over_ranks(phase));
    result.phase_s = std::move(seconds_);
  }

 private:
  PhaseResult over_ranks(std::size_t phase) const {
    const bool other = phase + 1 == columns_;
    PhaseResult one{other ? "other" : schedule_.phases[phase].name,
                    other ? "compute" : schedule_.phases[phase].kind,
                    {INFINITY, 0, 0}};
    for (std::int32_t rank = 0; rank < schedule_.ranks; ++rank) {
      const double seconds = seconds_[static_cast<std::size_t>(rank) * columns_ + phase];
      one.seconds.minimum = std::min(one.seconds.minimum, seconds);
      one.seconds.maximum = std::max(one.seconds.maximum, seconds);
      one.seconds.mean += seconds / static_cast<std::uint32_t>(schedule_.ranks);
    }
    return one;
  }

  const schedule::Schedule& schedule_;
  std::size_t columns_;
  std::vector<double> seconds_;  // [rank][phase]; the last column is outside of phases
};

}  // namespace hakaru::replay
