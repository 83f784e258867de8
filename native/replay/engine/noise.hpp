// What an operating system takes from a rank: longer computing, and, where noise strikes calls too,
// longer calls and waits that end late. Drawn from a counter-based generator: the same seed gives
// the same noise in any order of execution.
#pragma once

#include <cstdint>
#include <vector>

#include "native/replay/engine/options.hpp"

namespace hakaru::replay {

class Interruptions {
 public:
  // Numbers of the same seed that are drawn for different purposes.
  enum class For : std::uint32_t { computing = 0, calls = 1U << 31U };

  Interruptions(const Noise& noise, std::int32_t ranks, For purpose)
      : noise_(noise),
        drawn_(static_cast<std::size_t>(ranks), static_cast<std::uint32_t>(purpose)) {}

  // What takes `seconds` of the rank's processor from `begin_s` on, with the noise.
  double lengthened(double seconds, std::int32_t rank, double begin_s);
  // How long a rank that waited for `waited_s`, until `until_s`, is still held by a detour that
  // began meanwhile; of detours and of periodic noise.
  double held(std::int32_t rank, double waited_s, double until_s);
  // How many numbers a rank has drawn.
  std::uint32_t& drawn(std::int32_t rank) { return drawn_[static_cast<std::size_t>(rank)]; }

 private:
  double draw(std::int32_t rank);
  double put_off(double seconds, std::int32_t rank, double begin_s) const;  // by periodic detours
  double into_period_s(std::int32_t rank, double time_s) const;             // of periodic detours

  const Noise& noise_;
  std::vector<std::uint32_t> drawn_;  // per rank, the next number
};

}  // namespace hakaru::replay
