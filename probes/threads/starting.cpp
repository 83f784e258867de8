#include "probes/threads/starting.hpp"

#include <dlfcn.h>
#include <omp.h>

#include <algorithm>

#include "native/base/clock.hpp"
#include "probes/threads/work_unit.hpp"

namespace hakaru::probes::threads {
namespace {

struct alignas(128) Beginning {
  double time_s = 0.0;
};

Start time_region(int threads) {
  std::vector<Beginning> beginnings(threads);
  const double before = base::now_s();
#pragma omp parallel num_threads(threads)
  beginnings[omp_get_thread_num()].time_s = base::now_s();
  const double after = base::now_s();
  double last = before;
  int begun = 0;
  for (const Beginning& beginning : beginnings) {
    last = std::max(last, beginning.time_s);
    begun += beginning.time_s >= before;
  }
  return {last - before, after - last, begun};
}

// LLVM's library (14) ends the program in the first region after it has given its threads back.
bool is_of_llvm() { return ::dlsym(RTLD_DEFAULT, "__kmpc_fork_call") != nullptr; }

}  // namespace

Start time_start(int threads, double idle_s) {
  time_region(threads);
  for (const double start = base::now_s(); base::now_s() - start < idle_s;) {
  }
  return time_region(threads);
}

Start time_creation(int threads) {
  if (is_of_llvm() || omp_pause_resource_all(omp_pause_hard) != 0) return {0.0, 0.0, 0};
  return time_region(threads);
}

std::vector<double> time_equal_work(int threads, std::int64_t units, std::int64_t length) {
  std::vector<double> seconds(threads);
#pragma omp parallel num_threads(threads)
  {
    Worker worker;
#pragma omp barrier
    seconds[omp_get_thread_num()] = time_units(worker, units, length);
  }
  return seconds;
}

}  // namespace hakaru::probes::threads
