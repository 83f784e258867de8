// Earliest first; of equal times, the one that was put first.
//
// A radix heap (Ahuja, Mehlhorn, Orlin, Tarjan, 1990): an event lies in the bucket of the highest
// bit in which its time differs from that of the last one taken. Buckets are only appended to and
// emptied in order, so that events of equal times, which always lie in one bucket, keep theirs.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hakaru::replay {

class EventQueue {
 public:
  struct Event {
    double time_s;
    std::uint32_t flight;
  };

  bool empty() const { return taken_ == buckets_[0].size() && filled_ == 0; }

  // Not negative. Fastest when not before the last one taken.
  void push(double time_s, std::uint32_t flight) {
    const std::uint64_t key = key_of(time_s);
    if (key < last_) [[unlikely]]
      go_back(key);
    put({time_s + 0.0, flight});
  }

  const Event& top() {
    if (taken_ == buckets_[0].size()) refill();
    return buckets_[0][taken_];
  }

  Event pop() {
    const Event first = top();
    ++taken_;
    return first;
  }

 private:
  using Bucket = std::vector<Event>;

  // Of doubles that are not negative, the order is that of their bits.
  static std::uint64_t key_of(double time_s) { return std::bit_cast<std::uint64_t>(time_s + 0.0); }

  void put(const Event& event) {
    const std::uint64_t differs = key_of(event.time_s) ^ last_;
    const auto bucket = static_cast<std::size_t>(std::bit_width(differs));
    buckets_[bucket].push_back(event);
    if (bucket > 0) filled_ |= std::uint64_t{1} << (bucket - 1);
  }

  // Spreads the first bucket that is not empty over those before it.
  void refill() {
    buckets_[0].clear();
    taken_ = 0;
    const auto bucket = static_cast<std::size_t>(std::countr_zero(filled_)) + 1;
    filled_ &= filled_ - 1;
    spread_.swap(buckets_[bucket]);
    last_ = UINT64_MAX;
    for (const Event& event : spread_) last_ = std::min(last_, key_of(event.time_s));
    for (const Event& event : spread_) put(event);
    spread_.clear();
  }

  // Everything anew, for an event before the last one taken.
  void go_back(std::uint64_t key) {
    Bucket all(buckets_[0].begin() + static_cast<std::ptrdiff_t>(taken_), buckets_[0].end());
    buckets_[0].clear();
    taken_ = 0;
    for (std::size_t bucket = 1; bucket < buckets_.size(); ++bucket) {
      all.insert(all.end(), buckets_[bucket].begin(), buckets_[bucket].end());
      buckets_[bucket].clear();
    }
    filled_ = 0;
    last_ = key;
    for (const Event& event : all) put(event);
  }

  std::array<Bucket, 65> buckets_;
  Bucket spread_;
  std::size_t taken_ = 0;     // of bucket 0, whose events have the time last_
  std::uint64_t filled_ = 0;  // bit i: bucket i + 1 is not empty
  std::uint64_t last_ = 0;
};

}  // namespace hakaru::replay
