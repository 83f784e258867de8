#include "probes/sharing/locks.hpp"

#include <sched.h>

#include <atomic>
#include <mutex>

namespace hakaru::probes::sharing {
namespace {

constexpr int patience = 1000;  // readings before a waiting thread lets others run

class Spin {
 public:
  void lock() {
    for (int tries = 0; taken_.exchange(true, std::memory_order_acquire);)
      while (taken_.load(std::memory_order_relaxed))
        if (++tries % patience == 0) ::sched_yield();
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> taken_{false};
};

class Ticket {
 public:
  void lock() {
    const unsigned mine = next_.fetch_add(1, std::memory_order_relaxed);
    for (int tries = 0; serving_.load(std::memory_order_acquire) != mine;)
      if (++tries % patience == 0) ::sched_yield();
  }
  void unlock() {
    serving_.store(serving_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

 private:
  std::atomic<unsigned> next_{0}, serving_{0};
};

class OpenMpLock {
 public:
  OpenMpLock() { omp_init_lock(&lock_); }
  ~OpenMpLock() { omp_destroy_lock(&lock_); }
  OpenMpLock(const OpenMpLock&) = delete;
  OpenMpLock& operator=(const OpenMpLock&) = delete;
  void lock() { omp_set_lock(&lock_); }
  void unlock() { omp_unset_lock(&lock_); }

 private:
  omp_lock_t lock_;
};

struct NoLock {
  void lock() {}
  void unlock() {}
};

template <typename Kind>
CounterSamples measured(const base::PinnedTeam& team, const Sampling& sampling) {
  Kind lock;
  volatile std::int64_t counter = 0;
  std::atomic<std::int64_t> done{0};
  CounterSamples found;
  found.seconds = seconds_of_one(team, sampling, [&](int, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      lock.lock();
      counter = counter + 1;
      lock.unlock();
    }
    done += count;
  });
  found.wrong = static_cast<double>(done.load() - counter);
  return found;
}

}  // namespace

const char* name_of(Lock lock) {
  switch (lock) {
    case Lock::mutex:
      return "mutex";
    case Lock::spin:
      return "spin";
    case Lock::ticket:
      return "ticket";
    case Lock::openmp:
      return "openmp";
    default:
      return "none";
  }
}

CounterSamples lock_operations(const base::PinnedTeam& team, Lock lock, const Sampling& sampling) {
  switch (lock) {
    case Lock::mutex:
      return measured<std::mutex>(team, sampling);
    case Lock::spin:
      return measured<Spin>(team, sampling);
    case Lock::ticket:
      return measured<Ticket>(team, sampling);
    case Lock::openmp:
      return measured<OpenMpLock>(team, sampling);
    default:
      return measured<NoLock>(team, sampling);
  }
}

}  // namespace hakaru::probes::sharing
