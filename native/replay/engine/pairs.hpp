// Which receive takes the messages of which send, where the schedule says it beforehand: one
// operation of the sender's stream sends all that one operation of the receiver's stream receives
// of that source, tag and communicator. Then nothing is looked for: a message goes straight into
// the receiver's request.
#pragma once

#include <cstdint>
#include <vector>

#include "native/replay/engine/paths.hpp"
#include "native/schedule/schedule.hpp"

namespace hakaru::replay {

class Pairs {
 public:
  Pairs() = default;
  // Of standard messages of one length, sent by the eager protocol and received by non-blocking
  // receives. None where no stream goes round a loop often enough for the search to pay.
  Pairs(const schedule::Schedule& schedule, const Paths& paths);

  // Of each operation of a stream: the number of the receiver's request. Of a paired receive its
  // own, `unpaired` of all other operations. nullptr: nothing is paired.
  static constexpr std::int32_t unpaired = -1;
  bool any() const { return !numbers_.empty(); }
  const std::int32_t* of_stream(std::uint32_t stream) const {
    return numbers_.empty() ? nullptr : numbers_[stream].data();
  }

 private:
  std::vector<std::vector<std::int32_t>> numbers_;
};

}  // namespace hakaru::replay
