// What computing takes longer after waiting for another host: meanwhile what it works on leaves the
// caches, for what serves the network here and for other guests of the machine.
#pragma once

#include <cstdint>
#include <vector>

#include "native/base/aligned.hpp"
#include "native/harness/program.hpp"
#include "native/parallel/communicator.hpp"
#include "probes/messages/rounds.hpp"

namespace hakaru::probes::messages {

struct RefillTime {
  double warm_s;    // of going over the memory soon after having done so
  double seconds;   // of the same after waiting
  double waited_s;  // in exchanges of 8 B
};

// Two ranks go over so much memory, reading and writing it. Every method is collective over both,
// which learn the same.
class Refill {
 public:
  // Throws std::bad_alloc.
  Refill(const parallel::Communicator& pair, std::int64_t memory_bytes);

  // In exchanges until `waiting_s` are over, at least one. Mean over both ranks.
  RefillTime after_waiting(double waiting_s);

 private:
  double exchange_for(double waiting_s);
  double go_over();

  const parallel::Communicator& pair_;
  base::AlignedArray<double> memory_;
};

// By how much memory and how long ranks wait, ascending.
std::vector<Point> refill_points(harness::Run& run, const parallel::Communicator& pair, int number);

}  // namespace hakaru::probes::messages
