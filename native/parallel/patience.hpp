// Waiting for another rank: what comes soon is seen within nanoseconds; what does not leaves the
// processor to others, and MPI its chance to serve them.
#pragma once

#include <mpi.h>
#include <sched.h>

#include "native/parallel/communicator.hpp"

namespace hakaru::parallel {

class Patience {
 public:
  explicit Patience(const Communicator& group) : group_(group) {}

  void pause() {
    if (looks_ < patient_looks) {
      ++looks_;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
      return;
    }
    int waiting = 0;
    HAKARU_MPI(
        PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, group_.handle(), &waiting, MPI_STATUS_IGNORE));
    sched_yield();
  }

 private:
  static constexpr int patient_looks = 200;
  const Communicator& group_;
  int looks_ = 0;
};

}  // namespace hakaru::parallel
