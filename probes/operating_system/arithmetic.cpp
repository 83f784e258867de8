// One operation after the other, each needing the result of the one before: LMbench's lat_ops. The
// empty assembler statements keep the compiler from folding a chain into less.
#include "probes/operating_system/arithmetic.hpp"

#include <algorithm>

#include "probes/operating_system/items.hpp"

namespace hakaru::probes::operating_system {
namespace {

using Values = std::vector<double>;

constexpr int unrolled = 100;

template <typename Integer>
inline void opaque_integer(Integer& value) {
  asm volatile("" : "+r"(value));
}

template <typename Real>
inline void opaque_real(Real& value) {
#if defined(__x86_64__)
  asm volatile("" : "+x"(value));
#elif defined(__aarch64__)
  asm volatile("" : "+w"(value));
#else
  asm volatile("" : "+m"(value));
#endif
}

template <typename Number>
inline void opaque(Number& value) {
  if constexpr (std::is_integral_v<Number>)
    opaque_integer(value);
  else
    opaque_real(value);
}

template <typename Number>
struct Pair {
  Number r, s;
};

// Time of one of the `operations` in a step, and whether the state at the end is the one it must
// be.
template <typename Number, typename Step>
Values chain(const Conditions& conditions, Truth& truth, Pair<Number> state, int operations,
             Step step) {
  const Pair<Number> start = state;
  std::int64_t done = 0;
  Values found = seconds_of_one(conditions.sampling, [&](std::int64_t count) {
    Pair<Number> now = state;
    for (std::int64_t i = 0; i < count; ++i) {
#pragma GCC unroll 100
      for (int j = 0; j < unrolled; ++j) step(now);
    }
    state = now;
    done += count * unrolled;
  });
  const Pair<Number> must = after(start, done, step);
  truth.equal("a chain of operations", std::memcmp(&must, &state, sizeof must) == 0, 1.0);
  for (double& seconds : found) seconds /= unrolled * operations;
  return found;
}

template <typename Integer>
constexpr int high_bit = 8 * sizeof(Integer) - 1;

template <typename Integer>
void add_integers(Items& items, const std::string& group, const std::string& prefix) {
  using State = Pair<Integer>;
  const auto item = [&](const char* name, State state, int operations, auto step) {
    items.push_back({group, prefix + name, 0, [=](const Conditions& conditions, Truth& truth) {
                       return chain(conditions, truth, state, operations, step);
                     }});
  };
  const Integer r = sizeof(Integer) == 4 ? Integer{37} : Integer(37) + (Integer(37) << 33 % 64);
  const Integer s = sizeof(Integer) == 4 ? Integer(r + 1) << 20 : Integer(r + 17) << 13;
  item(" bit", {1, 3}, 3, [](State& x) {
    Integer i = 5;
    opaque(i);
    x.r ^= i, opaque(x.r);
    x.s ^= x.r, opaque(x.s);
    x.r |= x.s, opaque(x.r);
  });
  item(" add", {58, 32}, 2, [](State& x) {
    x.r += x.s, opaque(x.r);
    x.s -= x.r, opaque(x.s);
  });
  item(" mul", {37431, (Integer{1} << high_bit<Integer>)+1}, 1,
       [](State& x) { opaque(x.s), x.r *= x.s, opaque(x.r); });
  item(" div", {r, s}, 1, [](State& x) { opaque(x.s), x.r = x.s / x.r, opaque(x.r); });
}

// LMbench's remainder, of integers with a sign, is made large again by an "or", whose time is taken
// off.
template <typename Integer>
Values remainders(const Conditions& conditions, Truth& truth) {
  using State = Pair<Integer>;
  const State start{Integer(1) << (high_bit<Integer> - 1), 63};
  State state = start;
  std::int64_t done = 0;
  const auto step = [](State& x) {
    opaque(x.s);
    x.r %= x.s, opaque(x.r);
    x.r |= x.s, opaque(x.r);
  };
  const auto whole = [&](std::int64_t count) {
    State now = state;
    for (std::int64_t i = 0; i < count; ++i) {
#pragma GCC unroll 100
      for (int j = 0; j < unrolled; ++j) step(now);
    }
    state = now;
    done += count * unrolled;
  };
  const auto part = [&](std::int64_t count) {
    Integer r = state.r, s = state.s;
    for (std::int64_t i = 0; i < count; ++i) {
#pragma GCC unroll 100
      for (int j = 0; j < unrolled; ++j) opaque(s), r |= s, opaque(r);
    }
  };
  Values found = seconds_without(conditions.sampling, whole, part);
  const State must = after(start, done, step);
  truth.equal("a chain of remainders", std::memcmp(&must, &state, sizeof must) == 0, 1.0);
  for (double& seconds : found) seconds /= unrolled;
  return found;
}

// x = (1 + x) (1.5 - x) / x for each element of an array, again and again; a value is of one.
template <typename Real>
Values bogomflops(const Conditions& conditions, Truth& truth) {
  constexpr std::size_t elements = 1000;
  std::vector<Real> x(elements, Real(3.14159265));
  std::int64_t done = 0;
  Values found = seconds_of_one(conditions.sampling, [&](std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      Real* element = x.data();
#pragma GCC unroll 10
      for (std::size_t j = 0; j < elements; ++j)
        element[j] = (Real(1) + element[j]) * (Real(1.5) - element[j]) / element[j];
      keep(element);
    }
    done += count;
  });
  Real one(3.14159265);
  for (std::int64_t i = 0; i < done; ++i) {
    one = (Real(1) + one) * (Real(1.5) - one) / one;
    opaque(one);
  }
  const auto same = [&](const Real& value) { return std::memcmp(&value, &one, sizeof one) == 0; };
  truth.equal("bogomflops: elements that are right",
              static_cast<double>(std::count_if(x.begin(), x.end(), same)), elements);
  for (double& seconds : found) seconds /= elements;
  return found;
}

template <typename Real>
void add_reals(Items& items, const std::string& group) {
  using State = Pair<Real>;
  const auto item = [&](const char* name, State state, int operations, auto step) {
    items.push_back({group, group + name, 0, [=](const Conditions& conditions, Truth& truth) {
                       return chain(conditions, truth, state, operations, step);
                     }});
  };
  item(" add", {1, 1023}, 2, [](State& x) {
    opaque(x.s);
    x.r += x.s, opaque(x.r);
    x.r -= x.s, opaque(x.r);
  });
  item(" mul", {8, Real(0.125)}, 2, [](State& x) {
    Real inverse(8);
    opaque(inverse), opaque(x.s);
    x.r *= x.s, opaque(x.r);
    x.r *= inverse, opaque(x.r);
  });
  item(" div", {Real(1.41421356), Real(3.14159265)}, 1,
       [](State& x) { opaque(x.s), x.r = x.s / x.r, opaque(x.r); });
  items.push_back({group, group + " bogo", 0, bogomflops<Real>});
}

}  // namespace

void add_arithmetic(Items& items) {
  add_integers<std::uint32_t>(items, "integer", "intgr");
  items.push_back({"integer", "intgr mod", 0, remainders<std::int32_t>});
  add_integers<std::uint64_t>(items, "int64", "int64");
  items.push_back({"int64", "int64 mod", 0, remainders<std::int64_t>});
  add_reals<float>(items, "float");
  add_reals<double>(items, "double");
}

}  // namespace hakaru::probes::operating_system
