// Memory in pages of a chosen kind, and the kind that the kernel really gave.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace hakaru::apps::median_filter {

// base: small ones alone; transparent: large ones where the kernel has them at hand; large: from
// the pool that the administrator has set aside, or not at all.
enum class Pages { base, transparent, large };
constexpr const char* pages_names[] = {"base", "transparent", "large"};
Pages pages_named(const std::string& name);

// Zero until first written; whoever writes first decides the NUMA node.
class Mapping {
 public:
  Mapping() = default;
  // Throws UserError(environment) when there are not as many large pages.
  Mapping(std::size_t bytes, Pages pages);
  ~Mapping();
  Mapping(Mapping&& other) noexcept { swap(other); }
  Mapping& operator=(Mapping&& other) noexcept {
    swap(other);
    return *this;
  }

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void swap(Mapping& other) noexcept {
    std::swap(mapping_, other.mapping_);
    std::swap(mapped_, other.mapped_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }
  void *mapping_ = nullptr, *data_ = nullptr;
  std::size_t mapped_ = 0, bytes_ = 0;
};

// Bytes of mappings by what /proc/self/smaps says: in memory at all, in transparent large pages,
// in large pages from the pool.
struct Given {
  double resident = 0.0, transparent = 0.0, large = 0.0;
};
Given given(const std::vector<const Mapping*>& mappings,
            const std::string& smaps = "/proc/self/smaps");

}  // namespace hakaru::apps::median_filter
