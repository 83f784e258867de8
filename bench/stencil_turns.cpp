// Variants of the 25-point stencil, two reference codes and two ceilings take turns on the same
// arrays and the same pinned threads, each thread on its own orbital, on one and on all cores.
// Arguments: points along x, y and z, rounds. Prints a line a measurement: cores name round rate,
// in flop/s by the publication's count (`orbital_bandwidth`: B/s). Ends with 1 when a result is
// wrong.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "apps/electrons/stencil/stencil.hpp"
#include "native/base/cores.hpp"
#include "probes/arithmetic/kernels.hpp"

extern "C" {
void stencil_fortran(int nx, int ny, int nz, double centre, const double* laplacian,
                     const double* gradient, const double* v, const void* in, void* out);
void stencil_intrinsics(int nx, int ny, int nz, double centre, const double (*laplacian)[4],
                        const double (*gradient)[4], const double* v, const double* in,
                        double* out);
int stencil_intrinsics_exist(void);
}

namespace {

using namespace hakaru::apps::electrons;
namespace base = hakaru::base;
namespace arithmetic = hakaru::probes::arithmetic;

constexpr double sample_s = 3e-3;
constexpr double tolerance = 1e-12;
constexpr double bytes_per_point = 2 * sizeof(Complex) + sizeof(double);

// What a thread works on.
struct Arrays {
  explicit Arrays(const Grid& grid) {
    auto allocate = [&](std::size_t bytes) {
      void* memory = std::aligned_alloc(std::size_t{1} << 21, ((bytes >> 21) + 1) << 21);
      if (memory == nullptr) std::exit(4);
      return memory;
    };
    const std::size_t n = grid.count();
    potential = static_cast<double*>(allocate(n * sizeof(double)));
    for (Complex** orbital : {&in, &out, &work, &sum}) {
      *orbital = static_cast<Complex*>(allocate(n * sizeof(Complex)));
      std::fill_n(*orbital, n, Complex(0.0));
    }
    for (std::size_t i = 0; i < n; ++i) {
      in[i] = {std::sin(0.3 * static_cast<double>(i)), std::cos(0.7 * static_cast<double>(i))};
      potential[i] = std::sin(0.1 * static_cast<double>(i));
    }
  }
  double* potential;
  Complex *in, *out, *work, *sum;
  std::array<double, arithmetic::most_numbers> numbers{};
};

struct Competitor {
  std::string name;
  double per_call;  // flops or bytes
  std::function<void(Arrays&)> call;
  bool writes_out = true;
  int calls = 1;
};

// Seconds of `calls` calls by all threads at once.
double timed(base::PinnedTeam& team, std::vector<Arrays>& arrays, const Competitor& who) {
  double begin = 0.0, end = 0.0;
#pragma omp parallel num_threads(team.size())
  {
    Arrays& own = arrays[omp_get_thread_num()];
#pragma omp barrier
#pragma omp master
    begin = omp_get_wtime();
    for (int i = 0; i < who.calls; ++i) who.call(own);
#pragma omp barrier
#pragma omp master
    end = omp_get_wtime();
  }
  return end - begin;
}

std::vector<Competitor> competitors(const Grid& grid, const StencilCoefficients& c) {
  const double points = static_cast<double>(grid.count());
  const double stencil = stencil_flops_per_point * points, update = update_flops_per_point * points;
  const int nx = static_cast<int>(grid.points[0]), ny = static_cast<int>(grid.points[1]),
            nz = static_cast<int>(grid.points[2]);
  std::vector<Competitor> all;
  constexpr std::int64_t steps = 2000;
  const int chains = arithmetic::independent_chains(), bits = arithmetic::widest_bits();
  all.push_back({"fma_peak", 2.0 * steps * chains * arithmetic::lanes<double>(bits),
                 [=](Arrays& a) {
                   arithmetic::run_chains<double>(arithmetic::Kernel::fma, bits, chains,
                                                  a.numbers.data(), steps, 0.5, 0.25);
                 },
                 false});
  all.push_back({"orbital_bandwidth", bytes_per_point * points,
                 [n = grid.count()](Arrays& a) {
                   const double* in = reinterpret_cast<const double*>(a.in);
                   double* work = reinterpret_cast<double*>(a.work);
#pragma omp simd
                   for (std::size_t i = 0; i < n; ++i) {
                     work[2 * i] = a.potential[i] * in[2 * i];
                     work[2 * i + 1] = a.potential[i] * in[2 * i + 1];
                   }
                 },
                 false});
  all.push_back({"fortran", stencil, [=](Arrays& a) {
                   stencil_fortran(nx, ny, nz, c.centre, c.laplacian[0], c.gradient[0], a.potential,
                                   a.in, a.out);
                 }});
  if (stencil_intrinsics_exist() && nz % 4 == 0)
    all.push_back({"intrinsics", stencil, [=](Arrays& a) {
                     stencil_intrinsics(nx, ny, nz, c.centre, c.laplacian, c.gradient, a.potential,
                                        reinterpret_cast<const double*>(a.in),
                                        reinterpret_cast<double*>(a.out));
                   }});
  all.push_back({"compiler", stencil, [=](Arrays& a) {
                   apply(c, grid, a.potential, a.in, a.out, {Variant::compiler, 0});
                 }});
  for (std::size_t distance : {0, 64, 128, 192, 256})
    all.push_back({distance == 0 ? "explicit" : "prefetch_" + std::to_string(distance), stencil,
                   [=](Arrays& a) {
                     apply(c, grid, a.potential, a.in, a.out, {Variant::explicit_simd, distance});
                   }});
  all.push_back({"fused", stencil + update, [=](Arrays& a) {
                   apply_accumulate(c, grid, a.potential, a.in, a.out, 1e-9, a.sum);
                 }});
  all.push_back({"taylor_step", 4.0 * (stencil + update),
                 [=](Arrays& a) {
                   apply(c, grid, a.potential, a.in, a.out);
                   apply_accumulate(c, grid, a.potential, a.out, a.work, 1e-3, a.sum);
                   apply_accumulate(c, grid, a.potential, a.work, a.out, 1e-6, a.sum);
                   apply_accumulate(c, grid, a.potential, a.out, a.work, 1e-9, a.sum);
                   accumulate(grid, a.work, 1e-12, a.sum);
                 },
                 false});
  return all;
}

// Largest difference of what a competitor computes from h u of the plain variant.
double error_of(const Competitor& who, Arrays& a, const std::vector<Complex>& expected) {
  if (!who.writes_out) return 0.0;
  std::fill_n(a.out, expected.size(), Complex(1e30));
  who.call(a);
  double largest = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    largest = std::max(largest, std::abs(a.out[i] - expected[i]));
  return largest;
}

void turns(const Grid& grid, int cores, int rounds) {
  std::vector<int> processors = base::distinct_cores();
  processors.resize(cores);
  base::PinnedTeam team(processors);
  std::vector<Arrays> arrays;
  for (int i = 0; i < cores; ++i) arrays.emplace_back(grid);
  const StencilCoefficients c = stencil_coefficients(grid, {0.11, -0.23, 0.31});
  std::vector<Competitor> all = competitors(grid, c);
  std::vector<Complex> expected(grid.count());
  apply(c, grid, arrays[0].potential, arrays[0].in, expected.data(), {Variant::compiler, 0});
  for (Competitor& who : all) {
    if (error_of(who, arrays[0], expected) > tolerance) {
      std::fprintf(stderr, "%s computes something else\n", who.name.c_str());
      std::exit(1);
    }
    while (timed(team, arrays, who) < sample_s) who.calls *= 2;
  }
  for (int round = 0; round < rounds; ++round) {
    for (const Competitor& who : all) {
      const double seconds = timed(team, arrays, who);
      std::printf("%d %s %d %.9g\n", cores, who.name.c_str(), round,
                  who.per_call * who.calls * cores / seconds);
    }
    std::reverse(all.begin(), all.end());
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 5) return 2;
  Grid grid{{}, {0.64, 0.64, 0.64}};
  for (int axis = 0; axis < 3; ++axis)
    grid.points[axis] = std::strtoul(words[1 + axis], nullptr, 10);
  std::printf("# explicit: %s, compiler: %s\n", stencil_target(Variant::explicit_simd).c_str(),
              stencil_target(Variant::compiler).c_str());
  const int rounds = std::atoi(words[4]), all = static_cast<int>(base::distinct_cores().size());
  turns(grid, 1, rounds);
  if (all > 1) turns(grid, all, rounds);
  return 0;
}
