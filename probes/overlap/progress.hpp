// Does MPI move a message while the program computes?
#pragma once

#include <cstdint>

#include "native/parallel/communicator.hpp"

namespace hakaru::probes::overlap {

enum class Side { sender, receiver };  // who computes; the other waits inside MPI

struct Progress {
  double alone_s = 0.0;    // post and wait, without computing
  double compute_s = 0.0;  // how long the computing side computed
  double wait_s = 0.0;     // in MPI after computing, on the computing side
  std::int64_t wrong = 0;  // bytes that did not arrive as they were sent
};

// One message of `bytes` from rank 0 to rank 1 of a communicator of two: posted, then computing for
// `times_longer` times the time that it takes alone, with `tests` calls of MPI_Test evenly spread
// within, then MPI_Wait. On every rank: the times of the computing side. `damage` spoils what has
// arrived. Collective.
Progress measure_progress(const parallel::Communicator& both, Side side, std::int64_t bytes,
                          int tests, double times_longer, bool damage = false);

}  // namespace hakaru::probes::overlap
