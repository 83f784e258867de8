#include "probes/collectives/sampling.hpp"

#include <algorithm>

#include "native/base/clock.hpp"

namespace hakaru::probes::collectives {
namespace {

double sample(const parallel::Communicator& group, const Point& point, int iterations) {
  point.once();
  group.barrier();
  const double begin = base::now_s();
  for (int i = 0; i < iterations; ++i) point.once();
  return group.maximum(base::now_s() - begin) / iterations;
}

}  // namespace

void sample_in_turns(const parallel::Communicator& group, const std::vector<Point>& points,
                     int samples, double sample_s, const std::function<void(double)>& progress) {
  constexpr double most_iterations = 10'000;
  std::vector<int> iterations;
  for (const Point& point : points) {
    const double seconds = std::max(sample(group, point, 2), 1e-9);
    iterations.push_back(static_cast<int>(std::clamp(sample_s / seconds, 1.0, most_iterations)));
  }
  for (int repetition = 0; repetition < samples; ++repetition) {
    for (std::size_t turn = 0; turn < points.size(); ++turn) {
      const std::size_t i = repetition % 2 == 0 ? turn : points.size() - 1 - turn;
      const double seconds = sample(group, points[i], iterations[i]);
      if (group.rank() == 0) points[i].keep(repetition, seconds);
    }
    progress((repetition + 1.0) / samples);
  }
}

}  // namespace hakaru::probes::collectives
