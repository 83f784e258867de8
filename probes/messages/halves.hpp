// Exchanges by halves, between which one more message goes one way.
//
// Libraries lay short messages one behind the other, each way in a ring of its own (Open MPI in
// shared memory: two to a line of the cache). Where both ways are at the same place of a line, an
// exchange takes 380 ns between far cores, else 440; which it is depends on all that was sent
// before. Programs meet either, so a sample has both.
#pragma once

#include <algorithm>

#include "native/parallel/communicator.hpp"

namespace hakaru::probes::messages {

// An empty message from every even rank to the next.
inline void one_more(const parallel::Communicator& communicator) {
  const int rank = communicator.rank();
  const MPI_Comm handle = communicator.handle();
  if (rank % 2 != 0) {
    HAKARU_MPI(MPI_Recv(nullptr, 0, MPI_BYTE, rank - 1, 0, handle, MPI_STATUS_IGNORE));
  } else if (rank + 1 < communicator.size()) {
    HAKARU_MPI(MPI_Send(nullptr, 0, MPI_BYTE, rank + 1, 0, handle));
  }
}

// Seconds of one exchange, mean of at least 2 `iterations`, an even number a half; of a single
// iteration there is one half. `timed(n)`: seconds of n exchanges in a row; `between()` sends a
// message one way.
template <typename Between, typename Timed>
double mean_of_halves(int iterations, const Between& between, const Timed& timed) {
  const int halves = std::min(iterations, 2);
  const int each = (2 * iterations / halves + 1) / 2 * 2;
  double seconds = 0.0;
  for (int half = 0; half < halves; ++half) {
    if (half > 0) between();
    seconds += timed(each);
  }
  return seconds / (halves * each);
}

}  // namespace hakaru::probes::messages
