#include "probes/putget/sampling.hpp"

#include <algorithm>

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

}  // namespace hakaru::probes::putget
