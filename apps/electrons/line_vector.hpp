// A vector whose first element begins a line of the cache.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace hakaru::apps::electrons {

template <class Value>
struct LineAllocator {
  using value_type = Value;
  static constexpr std::align_val_t line{64};

  LineAllocator() = default;
  template <class Other>
  LineAllocator(const LineAllocator<Other>&) {}
  Value* allocate(std::size_t count) {
    return static_cast<Value*>(::operator new(count * sizeof(Value), line));
  }
  void deallocate(Value* memory, std::size_t) { ::operator delete(memory, line); }
  bool operator==(const LineAllocator&) const { return true; }
};

template <class Value>
using LineVector = std::vector<Value, LineAllocator<Value>>;

}  // namespace hakaru::apps::electrons
