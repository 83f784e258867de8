// As many doubles as a vector register of the processor holds; arithmetic is by lane.
#pragma once

namespace hakaru::apps::hartree_fock {

#if defined(__AVX512F__)
inline constexpr int lanes = 8;
#else
inline constexpr int lanes = 4;
#endif

typedef double Lanes __attribute__((vector_size(lanes * sizeof(double))));

inline double sum_of(const Lanes& v) {
  double sum = 0.0;
  for (int i = 0; i < lanes; ++i) sum += v[i];
  return sum;
}

}  // namespace hakaru::apps::hartree_fock
