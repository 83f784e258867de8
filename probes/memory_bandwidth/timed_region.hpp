// Time of a piece of work that all threads of a team start together.
#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "native/base/clock.hpp"

namespace hakaru::probes::memory_bandwidth {

// Does not sleep while the others are about to come, whatever the OpenMP library is told to do.
class SpinBarrier {
 public:
  explicit SpinBarrier(int threads) : threads_(threads) {}
  void wait() {
    const int generation = generation_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      arrived_.store(0, std::memory_order_relaxed);
      generation_.store(generation + 1, std::memory_order_release);
      return;
    }
    for (int spins = 0; generation_.load(std::memory_order_acquire) == generation; ++spins)
      if (spins > 100'000) std::this_thread::yield();
  }

 private:
  const int threads_;
  std::atomic<int> arrived_{0}, generation_{0};
};

class TimedRegion {
 public:
  explicit TimedRegion(int threads) : barrier_(threads), stamps_(threads) {}

  // Called by every thread of an OpenMP parallel region with this number of threads. Returns, on
  // thread 0 only, the seconds from the first start to the last end.
  template <typename Work>
  double time(Work&& work) {
    Stamp& stamp = stamps_[omp_get_thread_num()];
    barrier_.wait();
    stamp.start_s = base::now_s();
    work();
    stamp.end_s = base::now_s();
    barrier_.wait();
    if (omp_get_thread_num() != 0) return 0.0;
    double start = stamp.start_s, end = stamp.end_s;
    for (const Stamp& other : stamps_) {
      start = std::min(start, other.start_s);
      end = std::max(end, other.end_s);
    }
    return end - start;
  }

 private:
  struct alignas(128) Stamp {
    double start_s = 0.0, end_s = 0.0;
  };
  SpinBarrier barrier_;
  std::vector<Stamp> stamps_;
};

}  // namespace hakaru::probes::memory_bandwidth
