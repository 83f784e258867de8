// Memory for measured kernels: page aligned, optionally in huge pages, not touched by the
// allocation, so that whoever writes first decides its NUMA node.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace hakaru::base {

// as_given: as the system has it for who does not ask (Linux: transparent_hugepage/enabled).
enum class Pages { base, transparent_huge, as_given };

// A fixed-size array of trivial elements, zero until first written.
template <typename Element>
class AlignedArray {
  static_assert(std::is_trivially_copyable_v<Element>);

 public:
  AlignedArray() = default;
  // Throws std::bad_alloc.
  explicit AlignedArray(std::size_t count, Pages pages = Pages::transparent_huge) : count_(count) {
    if (count == 0) return;
    // Room to start on a 2 MiB boundary, the size of a huge page on x86-64 and on most AArch64
    // systems.
    mapped_bytes_ = count * sizeof(Element) + huge_page_bytes;
    mapping_ = ::mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping_ == MAP_FAILED) throw std::bad_alloc();
    const auto address = reinterpret_cast<std::size_t>(mapping_);
    const auto aligned = (address + huge_page_bytes - 1) / huge_page_bytes * huge_page_bytes;
    data_ = reinterpret_cast<Element*>(aligned);
    if (pages == Pages::as_given) return;
    ::madvise(data_, count * sizeof(Element),
              pages == Pages::transparent_huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  }
  ~AlignedArray() {
    if (mapping_) ::munmap(mapping_, mapped_bytes_);
  }
  AlignedArray(AlignedArray&& other) noexcept { swap(other); }
  AlignedArray& operator=(AlignedArray&& other) noexcept {
    swap(other);
    return *this;
  }

  Element* data() { return data_; }
  const Element* data() const { return data_; }
  std::size_t size() const { return count_; }
  Element& operator[](std::size_t i) { return data_[i]; }
  const Element& operator[](std::size_t i) const { return data_[i]; }
  Element* begin() { return data_; }
  Element* end() { return data_ + count_; }
  const Element* begin() const { return data_; }
  const Element* end() const { return data_ + count_; }

 private:
  static constexpr std::size_t huge_page_bytes = std::size_t{1} << 21;
  void swap(AlignedArray& other) noexcept {
    std::swap(count_, other.count_);
    std::swap(mapped_bytes_, other.mapped_bytes_);
    std::swap(mapping_, other.mapping_);
    std::swap(data_, other.data_);
  }
  std::size_t count_ = 0, mapped_bytes_ = 0;
  void* mapping_ = nullptr;
  Element* data_ = nullptr;
};

}  // namespace hakaru::base
