#include "native/base/handover.hpp"

#include <omp.h>

#include <atomic>

namespace hakaru::base {
namespace {

constexpr int line_pair = 128;  // B: two cache lines, which some processors fetch together
constexpr int over = -1;
constexpr double longest_s = 0.01;  // threads that share a processor wait for its scheduler

struct alignas(line_pair) Flag {
  std::atomic<int> value{0};

  void wait_for(int wanted) const {
    while (value.load(std::memory_order_acquire) != wanted) {
    }
  }
  // Waits for it; false when it is over.
  bool reads(int wanted) const {
    int seen = 0;
    do seen = value.load(std::memory_order_acquire);
    while (seen != wanted && seen != over);
    return seen == wanted;
  }
  void set(int next) { value.store(next, std::memory_order_release); }
};

double lead(Flag& flag) {
  int sent = 0;
  const double found_s = one_way_s(
      [&] {
        flag.set(sent + 1);
        flag.wait_for(sent += 2);
      },
      longest_s);
  flag.set(over);
  return found_s;
}

void follow(Flag& flag) {
  for (int sent = 1; flag.reads(sent); sent += 2) flag.set(sent + 1);
}

}  // namespace

double handover_of_threads_s(int threads) {
  Flag flag;
  double found_s = 0.0;
#pragma omp parallel num_threads(threads)
  {
    const int thread = omp_get_thread_num(), last = omp_get_num_threads() - 1;
    if (last > 0 && thread == 0)
      found_s = lead(flag);
    else if (last > 0 && thread == last)
      follow(flag);
  }
  return found_s;
}

}  // namespace hakaru::base
