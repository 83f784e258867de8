// Memory of large arrays in 2 MiB pages where the kernel gives them: with a million ranks most
// accesses would miss the TLB.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace hakaru::replay {

template <class Record>
struct LargePages {
  using value_type = Record;
  LargePages() = default;
  template <class Other>
  explicit LargePages(const LargePages<Other>&) {}

  Record* allocate(std::size_t count) {
    constexpr std::size_t page = std::size_t{2} << 20U;
    const std::size_t bytes = count * sizeof(Record);
    const std::size_t alignment = bytes >= 2 * page ? page : 64;
    void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory == nullptr) throw std::bad_alloc();
    if (alignment == page) madvise(memory, (bytes + page - 1) / page * page, MADV_HUGEPAGE);
    return static_cast<Record*>(memory);
  }
  void deallocate(Record* memory, std::size_t) { std::free(memory); }
  template <class Other>
  bool operator==(const LargePages<Other>&) const {
    return true;
  }
};

}  // namespace hakaru::replay
