// The kernels by name and language, on a part of their vectors.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "probes/vector_length/vectors.hpp"

namespace hakaru::probes::vector_length {

enum class Kernel {
  daxpy,
  dot,
  polynomial,
  divide,        // by values that differ
  divide_equal,  // by one value again and again
  gather,
  scatter,
  exponential
};
inline constexpr std::array all_kernels{Kernel::daxpy,   Kernel::dot,          Kernel::polynomial,
                                        Kernel::divide,  Kernel::divide_equal, Kernel::gather,
                                        Kernel::scatter, Kernel::exponential};
enum class Language { cpp, fortran };
inline constexpr std::array all_languages{Language::cpp, Language::fortran};

const char* name_of(Kernel kernel);
const char* name_of(Language language);
// Floating-point operations of an element, or 1 where results are counted.
int operations_of(Kernel kernel);
// Loaded and stored bytes of an element that differ: what has to fit into a cache.
int bytes_of(Kernel kernel);

// The compiler whose Fortran this is; empty: there was none, and only C++ runs.
std::string fortran_compiler();

// Elements first to last, in place; what dot adds up, else 0. `a` is daxpy's factor.
double apply(Kernel kernel, Language language, Vectors& vectors, std::int64_t first,
             std::int64_t last, double a);

}  // namespace hakaru::probes::vector_length
