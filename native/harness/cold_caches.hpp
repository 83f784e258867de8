// Runs whose phases find nothing in a cache, as those of problems that are much larger than caches
// do: what a small problem then takes is what its phases take of memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "native/base/description.hpp"
#include "native/base/phases.hpp"

namespace hakaru::harness {

// Before every phase, but not inside of one, the rank's threads go once round twice the last-level
// caches that they share and write as many of their lines as the phase writes of its own.
class ColdCaches final : public base::PhaseObserver {
 public:
  // `next` (may be null) is told as well, and must outlive this.
  ColdCaches(const std::vector<base::PhaseWork>& work, int threads, base::PhaseObserver* next);

  // Memory that a rank with so many threads goes round.
  static std::int64_t bytes(int threads);

  void begin(const char* name) override;
  void end(const char* name) override;
  // Seconds spent here since the last call.
  double take_spent_s();

 private:
  void go_round(double written);

  std::map<std::string, double> written_;  // share of a phase's lines, by its name
  int threads_;
  base::PhaseObserver* next_;
  std::vector<double> lines_;  // eight make a line
  int depth_ = 0;
  double spent_s_ = 0.0;
  double kept_ = 0.0;  // so that no reading is left out
};

// Of the cache lines that a phase takes from memory those that it writes: with R bytes read and W
// written, W / (R + W), where a written line is read before; 0 where nothing is counted.
double share_written(const base::PhaseWork& work);

}  // namespace hakaru::harness
