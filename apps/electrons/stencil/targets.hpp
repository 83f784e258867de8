// Which vector targets of Highway the explicit kernels are compiled for; to be included before
// <hwy/foreach_target.h>.
#pragma once

// Blocks of vectors are arrays here, which vectors of unknown length cannot be in.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS \
  (HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#define HWY_COMPILE_ALL_ATTAINABLE

// gcc reads an operand of two instructions from memory twice, and load ports are scarce.
#define HAKARU_LOADED_ONCE(vector) (void)(vector)
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#undef HAKARU_LOADED_ONCE
#define HAKARU_LOADED_ONCE(vector) asm("" : "+v"(vector.raw))
#endif
