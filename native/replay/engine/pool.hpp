// Records with indices instead of addresses: half the size, and freed ones are used again while
// they are still in the cache.
#pragma once

#include <cstdint>
#include <vector>

#include "native/replay/engine/large_pages.hpp"

namespace hakaru::replay {

inline constexpr std::uint32_t none = UINT32_MAX;

// A record has a `next`, which links the free ones. References are valid until the next take().
template <class Record>
class Pool {
 public:
  std::uint32_t take() {
    if (free_ == none) return one_more();
    const std::uint32_t index = free_;
    free_ = records_[index].next;
    --free_count_;
    return index;
  }
  void give_back(std::uint32_t index) {
    records_[index].next = free_;
    free_ = index;
    ++free_count_;
  }
  Record& operator[](std::uint32_t index) { return records_[index]; }
  const Record& operator[](std::uint32_t index) const { return records_[index]; }
  std::size_t in_use() const { return records_.size() - free_count_; }
  std::size_t capacity() const { return records_.size(); }

 private:
  [[gnu::noinline]] std::uint32_t one_more() {
    records_.emplace_back();
    return static_cast<std::uint32_t>(records_.size() - 1);
  }

  std::vector<Record, LargePages<Record>> records_;
  std::uint32_t free_ = none;
  std::size_t free_count_ = 0;
};

}  // namespace hakaru::replay
