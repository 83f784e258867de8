// Two complex numbers in one register, by the vector extension that GCC and Clang share.
#pragma once

#include "apps/turbulence/grid.hpp"

namespace hakaru::apps::turbulence {

// {re0, im0, re1, im1}. Loads and stores need 32-byte alignment.
using Pair = double __attribute__((vector_size(32), may_alias));

inline Pair load(const Complex* from) { return *reinterpret_cast<const Pair*>(from); }
inline Pair load(const double* from) { return *reinterpret_cast<const Pair*>(from); }
inline void store(Complex* to, Pair value) { *reinterpret_cast<Pair*>(to) = value; }
inline Pair all(double value) { return Pair{value, value, value, value}; }
inline Pair swapped(Pair a) { return __builtin_shufflevector(a, a, 1, 0, 3, 2); }
inline Pair real_parts(Pair a) { return __builtin_shufflevector(a, a, 0, 0, 2, 2); }
inline Pair imaginary_parts(Pair a) { return __builtin_shufflevector(a, a, 1, 1, 3, 3); }
inline Pair conjugate(Pair a) { return a * Pair{1.0, -1.0, 1.0, -1.0}; }
inline Pair times_i(Pair a) { return swapped(a) * Pair{-1.0, 1.0, -1.0, 1.0}; }
inline Pair product(Pair a, Pair b) { return a * real_parts(b) + times_i(a) * imaginary_parts(b); }
// a conj(b)
inline Pair product_conjugate(Pair a, Pair b) {
  return a * real_parts(b) - times_i(a) * imaginary_parts(b);
}
// {a.re0, b.re0, a.re1, b.re1} and {a.im0, b.im0, a.im1, b.im1}
inline Pair join_real(Pair a, Pair b) { return __builtin_shufflevector(a, b, 0, 4, 2, 6); }
inline Pair join_imaginary(Pair a, Pair b) { return __builtin_shufflevector(a, b, 1, 5, 3, 7); }

// A store that does not bring the line into the cache first; end a run of them with fence(). By
// builtins, since reading <immintrin.h> takes seconds in each of many files.
inline void stream(Complex* to, Pair value) {
#if defined(__AVX__) && defined(__clang__)
  __builtin_nontemporal_store(value, reinterpret_cast<Pair*>(to));
#elif defined(__AVX__)
  using Plain = double __attribute__((vector_size(32)));
  __builtin_ia32_movntpd256(reinterpret_cast<double*>(to), static_cast<Plain>(value));
#else
  store(to, value);
#endif
}
inline void fence() {
#ifdef __AVX__
  __builtin_ia32_sfence();
#endif
}

}  // namespace hakaru::apps::turbulence
