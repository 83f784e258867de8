// The loops whose rate is the memory bandwidth: the four of STREAM, a sum that only reads, and a
// triad whose stores bypass the caches.
#pragma once

#include <array>
#include <cstddef>

namespace hakaru::probes::memory_bandwidth {

//   copy               c = a            triad              a = b + s c
//   scale              b = s c          read               sum of a
//   add                c = a + b        triad_nontemporal  b = c + s a
enum class Kernel { copy, scale, add, triad, read, triad_nontemporal };

inline constexpr std::array all_kernels{Kernel::copy,  Kernel::scale, Kernel::add,
                                        Kernel::triad, Kernel::read,  Kernel::triad_nontemporal};

// s with 2 s + s^2 = 1, so that a round of copy, scale, add and triad reproduces a however often it
// is repeated.
constexpr double scalar = 0.41421356237309504880;

struct Traffic {
  double bytes;                 // loaded and stored for one element: STREAM's count
  double bytes_write_allocate;  // with the read of each written cache line
  double flops;
};
const char* name_of(Kernel kernel);
Traffic traffic(Kernel kernel);  // of one element

// Elements of an array begin at multiples of this, so that vector stores that bypass the caches are
// aligned.
constexpr std::size_t alignment_elements = 8;

// One pass over elements 0 .. count-1; arrays aligned to 64 B. Returns the sum for `read`, else 0.
double run_kernel(Kernel kernel, double* a, double* b, double* c, std::size_t count);

// Independent partial sums of `read` are never fewer than this; bounds its rounding error.
constexpr std::size_t read_sums = 8;

}  // namespace hakaru::probes::memory_bandwidth
