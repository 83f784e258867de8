// What messages between hosts take of processors that serve the network beside their programs:
// handing a message on and fetching another interrupts what ranks compute, long after the call that
// sent it has returned, and it is the programs' time, not the message's.
#pragma once

#include <cstdint>
#include <vector>

#include "native/base/chain.hpp"
#include "native/harness/program.hpp"
#include "native/parallel/communicator.hpp"
#include "probes/messages/buffer.hpp"
#include "probes/messages/rounds.hpp"

namespace hakaru::probes::messages {

// Of one message.
struct ServedTime {
  double seconds;  // with the work, on the mean
  double work_s;   // of that work while no message is under way, the median
};

// Messages of two ranks that work between them. Every method is collective over both, which learn
// the same.
class Served {
 public:
  // Throws std::bad_alloc. `maximum_bytes` is the longest message.
  Served(const parallel::Communicator& pair, std::int64_t maximum_bytes);

  // One rank works for about `work_s` and sends, again and again; the other receives and works.
  // As many messages as are timed go before, so that what comes back is under way, too. On the
  // sender, mean over both ranks.
  ServedTime sends_in_row(double work_s, std::int64_t bytes, int count);

  // Both ranks send, work, and receive what was sent `lag` turns before, which has come if that
  // lasts longer than its way. Mean over both ranks.
  ServedTime lagged(double work_s, std::int64_t bytes, int lag, int count);

 private:
  double row_from(int client, std::int64_t steps, int bytes, int count);
  void answer(int client);
  double lagged_s(std::int64_t steps, int bytes, int lag, int count);
  // Seconds of so much work, median of `count`, mean over both ranks.
  double alone_s(std::int64_t steps, int count);

  const parallel::Communicator& pair_;
  int other_;
  base::Chain chain_;
  Buffer outgoing_, incoming_;
};

// Rows of sends and exchanges that lag, of some sizes: nothing of others.
std::vector<Point> served_points(harness::Run& run, const parallel::Communicator& pair, int number,
                                 std::int64_t bytes);

}  // namespace hakaru::probes::messages
