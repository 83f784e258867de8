#include "probes/sharing/counters.hpp"

#include <atomic>
#include <cstddef>

#include "native/base/aligned.hpp"
#include "native/base/require.hpp"

namespace hakaru::probes::sharing {
namespace {

using Counter = std::atomic<std::int64_t>;
constexpr std::size_t apart_bytes = 1024;

// Counters in memory that begins at a page, so that the padding alone decides who shares a line.
class Counters {
 public:
  Counters(std::size_t number, std::size_t padding_bytes)
      : memory_(number * padding_bytes + sizeof(Counter), base::Pages::base),
        number_(number),
        padding_bytes_(padding_bytes) {
    for (std::size_t i = 0; i < number; ++i) new (memory_.data() + i * padding_bytes) Counter(0);
  }
  Counter& operator[](std::size_t i) {
    return *reinterpret_cast<Counter*>(memory_.data() + i * padding_bytes_);
  }
  double sum() {
    double total = 0.0;
    for (std::size_t i = 0; i < number_; ++i) total += static_cast<double>((*this)[i].load());
    return total;
  }

 private:
  base::AlignedArray<std::byte> memory_;
  std::size_t number_, padding_bytes_;
};

void operate(Counter& counter, Atomic operation, std::int64_t count) {
  const auto relaxed = std::memory_order_relaxed;
  switch (operation) {
    case Atomic::add:
      for (std::int64_t i = 0; i < count; ++i) counter.fetch_add(1, relaxed);
      return;
    case Atomic::compare_and_swap:
      for (std::int64_t i = 0; i < count; ++i)
        for (std::int64_t seen = counter.load(relaxed);
             !counter.compare_exchange_weak(seen, seen + 1, relaxed);) {
        }
      return;
    case Atomic::load: {
      std::int64_t seen = 0;
      for (std::int64_t i = 0; i < count; ++i) {
        seen = counter.load(relaxed);
        asm volatile("" : : "r"(seen));
      }
      return;
    }
    case Atomic::store:
      for (std::int64_t i = 0; i < count; ++i) counter.store(i + 1, relaxed);
      return;
  }
}

}  // namespace

const char* name_of(Atomic operation) {
  switch (operation) {
    case Atomic::add:
      return "add";
    case Atomic::compare_and_swap:
      return "compare_and_swap";
    case Atomic::load:
      return "load";
    default:
      return "store";
  }
}

CounterSamples false_sharing(const base::PinnedTeam& team, int padding_bytes,
                             const Sampling& sampling) {
  HAKARU_EXPECTS(padding_bytes >= 8 && padding_bytes % 8 == 0);
  Counters counters(static_cast<std::size_t>(team.size()), static_cast<std::size_t>(padding_bytes));
  std::atomic<std::int64_t> done{0};
  CounterSamples found;
  found.seconds = seconds_of_one(team, sampling, [&](int thread, std::int64_t count) {
    Counter& own = counters[static_cast<std::size_t>(thread)];
    for (std::int64_t i = 0; i < count; ++i)
      own.store(own.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    done += count;
  });
  found.wrong = static_cast<double>(done.load()) - counters.sum();
  return found;
}

CounterSamples atomic_operations(const base::PinnedTeam& team, Atomic operation, bool contended,
                                 const Sampling& sampling) {
  Counters counters(static_cast<std::size_t>(team.size()), apart_bytes);
  std::atomic<std::int64_t> done{0}, last{0};
  CounterSamples found;
  found.seconds = seconds_of_one(team, sampling, [&](int thread, std::int64_t count) {
    operate(counters[contended ? 0 : static_cast<std::size_t>(thread)], operation, count);
    done += count;
    last = count;
  });
  const auto threads = static_cast<double>(contended ? 1 : team.size());
  const double expected = operation == Atomic::load    ? 0.0
                          : operation == Atomic::store ? threads * static_cast<double>(last.load())
                                                       : static_cast<double>(done.load());
  found.wrong = expected - counters.sum();
  return found;
}

}  // namespace hakaru::probes::sharing
