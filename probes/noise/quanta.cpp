#include "probes/noise/quanta.hpp"

#include <algorithm>

#include "native/base/clock.hpp"

namespace hakaru::probes::noise {
namespace {

// Knuth's MMIX generator.
constexpr std::uint64_t factor = 6364136223846793005u, summand = 1442695040888963407u;

}  // namespace

std::uint64_t work(std::uint64_t value, std::int64_t units) {
  for (std::int64_t i = 0; i < units; ++i) {
    value = value * factor + summand;
    asm volatile("" : "+r"(value));
  }
  return value;
}

// x -> a x + c repeated n times is x -> A x + C; squaring the map doubles n.
std::uint64_t work_result(std::uint64_t value, std::int64_t units) {
  std::uint64_t a = factor, c = summand;
  for (; units > 0; units >>= 1) {
    if (units & 1) value = value * a + c;
    c += a * c;
    a *= a;
  }
  return value;
}

std::int64_t units_of(double seconds) {
  constexpr std::int64_t some = 20'000;
  double best_s = 1.0;
  std::uint64_t value = 1;
  for (int attempt = 0; attempt < 20; ++attempt) {
    const double start = base::now_s();
    value = work(value, some);
    best_s = std::min(best_s, base::now_s() - start);
  }
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(seconds / best_s * some));
}

FixedWork fixed_work(std::int64_t quanta, std::int64_t units) {
  FixedWork found{std::vector<double>(quanta), std::vector<double>(quanta), 1};
  const double beginning = base::now_s();
  double last = beginning;
  for (std::int64_t i = 0; i < quanta; ++i) {
    found.value = work(found.value, units);
    const double now = base::now_s();
    found.start_s[i] = last - beginning;
    found.seconds[i] = now - last;
    last = now;
  }
  return found;
}

FixedTime fixed_time(std::int64_t windows, double window_s, std::int64_t units) {
  FixedTime found{std::vector<std::int64_t>(windows), 0, 1};
  const double beginning = base::now_s();
  while (true) {
    found.value = work(found.value, units);
    const auto window = static_cast<std::int64_t>((base::now_s() - beginning) / window_s);
    if (window >= windows) break;
    ++found.chunks[window];
  }
  found.beyond = 1;
  return found;
}

}  // namespace hakaru::probes::noise
