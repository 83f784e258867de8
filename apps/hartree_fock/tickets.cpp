#include "apps/hartree_fock/tickets.hpp"

namespace hakaru::apps::hartree_fock {

Tickets::Tickets(const parallel::Communicator& world) : world_(world) {
  const MPI_Aint bytes = world.rank() == 0 ? sizeof(std::int64_t) : 0;
  HAKARU_MPI(MPI_Win_allocate(bytes, sizeof(std::int64_t), MPI_INFO_NULL, world.handle(), &counter_,
                              &window_));
}

Tickets::~Tickets() { MPI_Win_free(&window_); }

void Tickets::reset() {
  world_.barrier();
  if (world_.rank() == 0) {
    HAKARU_MPI(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window_));
    *counter_ = 0;
    HAKARU_MPI(MPI_Win_unlock(0, window_));
  }
  world_.barrier();
}

std::int64_t Tickets::draw(std::int64_t count) {
  std::int64_t first = 0;
  HAKARU_MPI(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window_));
  HAKARU_MPI(MPI_Fetch_and_op(&count, &first, MPI_INT64_T, 0, 0, MPI_SUM, window_));
  HAKARU_MPI(MPI_Win_unlock(0, window_));
  return first;
}

}  // namespace hakaru::apps::hartree_fock
