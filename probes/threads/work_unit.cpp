#include "probes/threads/work_unit.hpp"

#include <algorithm>
#include <cmath>

#include "native/base/clock.hpp"

namespace hakaru::probes::threads {

double time_units(Worker& worker, std::int64_t units, std::int64_t length) {
  const double start = base::now_s();
  for (std::int64_t unit = 0; unit < units; ++unit) work_unit(worker, length);
  return base::now_s() - start;
}

std::int64_t length_of_delay(double seconds) {
  Worker worker;
  std::int64_t length = 1024;
  double taken = time_units(worker, 1, length);
  for (; taken < 1e-3; taken = time_units(worker, 1, length)) length *= 2;
  return std::max<std::int64_t>(1, std::llround(static_cast<double>(length) * seconds / taken));
}

std::int64_t total_units(const std::vector<Worker>& workers) {
  std::int64_t total = 0;
  for (const Worker& worker : workers) total += worker.units;
  return total;
}

}  // namespace hakaru::probes::threads
