#include "apps/median_filter/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <new>
#include <stdexcept>

#include "native/base/require.hpp"

namespace hakaru::apps::median_filter {
namespace {

constexpr std::size_t large_bytes = std::size_t{1} << 21;

std::size_t rounded_up(std::size_t bytes) {
  return (bytes + large_bytes - 1) / large_bytes * large_bytes;
}

}  // namespace

Pages pages_named(const std::string& name) {
  const auto found = std::find(std::begin(pages_names), std::end(pages_names), name);
  if (found == std::end(pages_names)) throw std::logic_error("no such pages: " + name);
  return static_cast<Pages>(found - std::begin(pages_names));
}

Mapping::Mapping(std::size_t bytes, Pages pages) : bytes_(rounded_up(bytes)) {
  const int shared = MAP_PRIVATE | MAP_ANONYMOUS;
  // Room to begin on the boundary of a large page.
  mapped_ = pages == Pages::large ? bytes_ : bytes_ + large_bytes;
  const int flags = pages == Pages::large ? shared | MAP_HUGETLB : shared | MAP_NORESERVE;
  void* mapping = ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (mapping == MAP_FAILED) {
    if (pages != Pages::large) throw std::bad_alloc();
    base::require_environment(
        false, "there are no large pages for the image",
        fmt::format("the kernel's pool has fewer than {} free ones of 2 MiB", bytes_ / large_bytes),
        "let the administrator raise /proc/sys/vm/nr_hugepages, or use pages=transparent");
  }
  mapping_ = mapping;
  data_ = reinterpret_cast<void*>(rounded_up(reinterpret_cast<std::size_t>(mapping)));
  if (pages != Pages::large)
    ::madvise(data_, bytes_, pages == Pages::transparent ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}

Mapping::~Mapping() {
  if (mapping_) ::munmap(mapping_, mapped_);
}

Given given(const std::vector<const Mapping*>& mappings, const std::string& smaps) {
  Given sum;
  std::ifstream file(smaps);
  std::string line;
  double inside = 0.0;  // bytes of our mappings in the kernel's one that is told
  while (std::getline(file, line)) {
    unsigned long long begin = 0, end = 0, kib = 0;
    if (std::sscanf(line.c_str(), "%llx-%llx ", &begin, &end) == 2) {
      inside = 0.0;
      for (const Mapping* one : mappings) {
        const auto first = reinterpret_cast<std::uintptr_t>(one->data());
        const auto low = std::max<unsigned long long>(begin, first);
        const auto high = std::min<unsigned long long>(end, first + one->bytes());
        if (low < high) inside += static_cast<double>(high - low);
      }
      continue;
    }
    const auto add = [&](const char* form, double& to) {
      if (inside > 0.0 && std::sscanf(line.c_str(), form, &kib) == 1)
        to += std::min(inside, 1024.0 * static_cast<double>(kib));
    };
    add("Rss: %llu kB", sum.resident);
    add("AnonHugePages: %llu kB", sum.transparent);
    add("Private_Hugetlb: %llu kB", sum.large);
  }
  sum.resident += sum.large;  // which the kernel counts apart
  return sum;
}

}  // namespace hakaru::apps::median_filter
