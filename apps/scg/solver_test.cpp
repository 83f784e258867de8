#include "apps/scg/solver.hpp"

#include <cmath>

#include "apps/scg/phases.hpp"
#include "native/parallel/test_main.hpp"

namespace hakaru::apps::scg {
namespace {

base::Phases all_phases() {
  base::Description d("scg", "");
  for (const char* name : {phase::reset, phase::halo, phase::stencil, phase::acknowledgement,
                           phase::reduction, phase::update})
    d.phase(name, base::PhaseKind::compute, "");
  return base::Phases(d.phases());
}

// Points whose residual or direction arithmetic is slow on.
int subnormal(BlockVectors& vectors) {
  int found = 0;
  const Block& block = vectors.block();
  for (std::int64_t y = 0; y < block.rows; ++y)
    for (std::int64_t x = 0; x < block.columns; ++x) {
      const double r = vectors.residual(x, y), p = vectors.direction_row(y)[x];
      for (const double value : {r, p, r * r, p * p})
        if (std::fpclassify(value) == FP_SUBNORMAL) ++found;
    }
  return found;
}

TEST(Solver, RestsBeforeItsNumbersAreSubnormal) {
  for (const Decomposition decomposition : {Decomposition::rows, Decomposition::blocks}) {
    base::Phases phases = all_phases();
    Solver solver(24, decomposition, Acknowledgement::none);
    solver.start(phases);
    int slow = 0;
    for (int i = 0; i < 1500; ++i) {
      solver.iterate(phases);
      slow += subnormal(solver.vectors());
    }
    EXPECT_EQ(slow, 0);
    EXPECT_LT(solver.relative_residual(), 1e-130);
    EXPECT_LT(solver.distance_from_exact(24), 1e-14);
  }
}

}  // namespace
}  // namespace hakaru::apps::scg

HAKARU_MPI_TEST_MAIN()
