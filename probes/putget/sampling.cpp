#include "probes/putget/sampling.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace hakaru::probes::putget {

void sample_in_turns(const parallel::Communicator& communicator, const std::vector<Point>& points,
                     int samples, double sample_s, const std::function<void(double)>& progress) {
  constexpr double most_iterations = 20'000;
  std::vector<int> iterations;
  for (const Point& point : points) {
    point.measure(2);
    double seconds = point.measure(3);
    HAKARU_MPI(MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, communicator.handle()));
    iterations.push_back(
        static_cast<int>(std::clamp(sample_s / std::max(seconds, 1e-9), 1.0, most_iterations)));
  }
  for (int repetition = 0; repetition < samples; ++repetition) {
    for (std::size_t turn = 0; turn < points.size(); ++turn) {
      const std::size_t i = repetition % 2 == 0 ? turn : points.size() - 1 - turn;
      const double seconds = points[i].measure(iterations[i]);
      if (communicator.rank() == 0) points[i].keep(repetition, seconds);
    }
    progress((repetition + 1.0) / samples);
  }
}

void quiet_barrier(const parallel::Communicator& communicator) {
  MPI_Request request = MPI_REQUEST_NULL;
  HAKARU_MPI(MPI_Ibarrier(communicator.handle(), &request));
  for (int done = 0; true;) {
    HAKARU_MPI(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done != 0) return;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

std::vector<int> group_sizes(int ranks) {
  std::vector<int> sizes;
  for (int size = 2; size < ranks; size *= 2) sizes.push_back(size);
  if (ranks > 1) sizes.push_back(ranks);
  return sizes;
}

}  // namespace hakaru::probes::putget
