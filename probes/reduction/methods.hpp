// Ways to add up doubles, those of the publication among them, and how many bits of a sum are
// right.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hakaru::probes::reduction {

// plain: one after another. tree: halves of halves, as recursive doubling over ranks adds.
// compensated: Neumaier's. two_pass: fixed point in units of the last bit of the largest operand,
// which a first pass finds. one_pass: the 154-bit format of the publication, whose window keeps 81
// bits below the largest operand or more. exact: native/parallel/exact_sum.hpp.
enum class Method { plain, tree, compensated, two_pass, one_pass, exact };
inline constexpr std::array methods{Method::plain,    Method::tree,     Method::compensated,
                                    Method::two_pass, Method::one_pass, Method::exact};
// What is timed: the two models of a switch are made for their errors.
inline constexpr std::array timed_methods{Method::plain, Method::compensated, Method::exact};

std::string name_of(Method method);
double sum_of(Method method, std::span<const double> values);

// log2 |s| / |e| of a sum s with error e, both exact but for one rounding; at most most_bits, which
// also stands for no error at all. Zero when s is zero and e is not.
inline constexpr double most_bits = 54.0;
double right_bits(double sum, std::span<const double> values);

// Magnitudes uniform in (0, 1) times 2^-k, k uniform in 0 ... binades; signs at random unless
// `positive`.
struct Operands {
  std::int64_t count;
  int binades = 0;
  bool positive = false;
};
std::vector<double> random_operands(const Operands& operands, std::uint64_t seed);

}  // namespace hakaru::probes::reduction
