// The measured arithmetic, compiled once for every instruction set that Highway knows on this
// architecture and run at any register width.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace hakaru::probes::arithmetic {

// Recurrences x -> f(x) on independent chains, and maps y = f(x) over an array in the first cache
// level.
enum class Kernel {
  add,          // x + a
  multiply,     // x a
  fma,          // x a + b
  divide,       // a / x
  square_root,  // sqrt(x + a); the addition goes to another unit and is not counted
  polynomial,   // map: Taylor polynomial of exp, degree 13, by Horner's rule
  exponential,  // map: exp of Highway
};
inline constexpr std::array chain_kernels{Kernel::add, Kernel::multiply, Kernel::fma,
                                          Kernel::divide, Kernel::square_root};
inline constexpr std::array map_kernels{Kernel::polynomial, Kernel::exponential};
inline constexpr int polynomial_degree = 13;

std::string name_of(Kernel kernel);
constexpr bool is_map(Kernel kernel) {
  return kernel == Kernel::polynomial || kernel == Kernel::exponential;
}
// Floating-point operations of one application to one number: 2 for a fused multiply-add, 1 for a
// quotient, root or exponential.
constexpr double operations_of(Kernel kernel) {
  return kernel == Kernel::fma ? 2.0 : kernel == Kernel::polynomial ? 2.0 * polynomial_degree : 1.0;
}

// Instruction set that was chosen for this processor, in Highway's words.
std::string instruction_set();
// Widest register of that instruction set, in bits.
int widest_bits();
// Independent chains that hide the latency of an operation without running out of registers.
int independent_chains();
// Numbers of a register that take part: 1 for bits == 8 * sizeof(Real).
template <typename Real>
constexpr int lanes(int bits) {
  return bits / (8 * static_cast<int>(sizeof(Real)));
}
// Upper limit of independent_chains() * lanes.
inline constexpr std::size_t most_numbers = 24 * 64;

// Applies a chain kernel `iterations` times to chains * lanes<Real>(bits) numbers, in place. chains
// is 1 or independent_chains(); bits is 8 * sizeof(Real), 128, 256 or 512, at most widest_bits().
template <typename Real>
void run_chains(Kernel kernel, int bits, int chains, Real* numbers, std::int64_t iterations, Real a,
                Real b);

// Numbers that a map kernel works on: input and output fit into any first-level cache.
inline constexpr std::size_t map_count = 512;

// y[i] = f(x[i]) for map_count numbers, `passes` times.
template <typename Real>
void run_map(Kernel kernel, int bits, const Real* x, Real* y, std::int64_t passes);

// x -> (x ^ a) + b, `iterations` times: two dependent one-cycle operations each, so its time gives
// the clock frequency.
std::uint64_t run_clock_chain(std::uint64_t x, std::uint64_t a, std::uint64_t b,
                              std::int64_t iterations);
inline constexpr double cycles_of_clock_step = 2.0;

}  // namespace hakaru::probes::arithmetic
