#include "native/base/caches.hpp"

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace hakaru::base {
namespace {

constexpr std::uintptr_t line_bytes = 64;  // no processor that hakaru runs on has shorter ones

}  // namespace

void leave_caches([[maybe_unused]] const void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__x86_64__) || defined(__aarch64__)
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  for (std::uintptr_t line = begin / line_bytes * line_bytes; line < begin + bytes;
       line += line_bytes) {
#if defined(__x86_64__)
    _mm_clflush(reinterpret_cast<const void*>(line));
#else
    asm volatile("dc civac, %0" ::"r"(line) : "memory");
#endif
  }
#if defined(__x86_64__)
  _mm_mfence();
#else
  asm volatile("dsb ish" ::: "memory");
#endif
#endif
}

}  // namespace hakaru::base
