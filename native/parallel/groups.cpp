#include "native/parallel/groups.hpp"

#include <chrono>
#include <thread>

namespace hakaru::parallel {

std::vector<int> group_sizes(int ranks) {
  std::vector<int> sizes;
  for (int size = 2; size < ranks; size *= 2) sizes.push_back(size);
  if (ranks > 1) sizes.push_back(ranks);
  return sizes;
}

void quiet_barrier(const Communicator& communicator) {
  MPI_Request request = MPI_REQUEST_NULL;
  HAKARU_MPI(MPI_Ibarrier(communicator.handle(), &request));
  for (int done = 0; true;) {
    HAKARU_MPI(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done != 0) return;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

std::vector<std::string> host_names(const Communicator& communicator) {
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  HAKARU_MPI(MPI_Get_processor_name(name, &length));
  return communicator.gather_text(name, 0);
}

}  // namespace hakaru::parallel
