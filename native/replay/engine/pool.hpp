// Records with indices instead of addresses: half the size, and freed ones are used again while
// they are still in the cache.
#pragma once

#include <cstdint>
#include <vector>

#include "native/replay/engine/large_pages.hpp"

namespace hakaru::replay {

inline constexpr std::uint32_t none = UINT32_MAX;

// References are valid until the next take().
template <class Record>
class Pool {
 public:
  std::uint32_t take() {
    if (!free_.empty()) {
      const std::uint32_t index = free_.back();
      free_.pop_back();
      return index;
    }
    records_.emplace_back();
    return static_cast<std::uint32_t>(records_.size() - 1);
  }
  void give_back(std::uint32_t index) { free_.push_back(index); }
  Record& operator[](std::uint32_t index) { return records_[index]; }
  const Record& operator[](std::uint32_t index) const { return records_[index]; }
  std::size_t in_use() const { return records_.size() - free_.size(); }
  std::size_t capacity() const { return records_.size(); }

 private:
  std::vector<Record, LargePages<Record>> records_;
  std::vector<std::uint32_t> free_;
};

}  // namespace hakaru::replay
