#include <algorithm>

#include "apps/mpi_fft/reference.hpp"
#include "apps/mpi_fft/schedule.hpp"
#include "native/parallel/test_main.hpp"
#include "native/schedule/counting_writer.hpp"

namespace hakaru::apps::mpi_fft {
namespace {

std::vector<base::PhaseWork> counted(const Shape& shape) {
  const std::vector<schedule::Phase> phases = {{phase::rearrange, "compute"},
                                               {phase::transposition, "communicate"},
                                               {phase::transform, "compute"},
                                               {phase::twiddle, "compute"}};
  return schedule::count_work(phases, shape.ranks,
                              rank_schedule(shape, parallel::TransposeMethod::alltoall, 1));
}

TEST(Work, IsFiveNLog2N) {
  for (const Shape shape : {Shape{1024, 1024, 1}, Shape{96, 144, 4}, Shape{30, 60, 3}}) {
    double flops = 0.0;
    for (const auto& phase : counted(shape)) flops += phase.flops;
    EXPECT_NEAR(flops, shape.flops(), 1e-12 * shape.flops());
  }
}

TEST(Work, ATranspositionMovesAllButOwnBlocks) {
  const Shape shape{96, 144, 4};
  const auto moved = counted(shape)[1];
  EXPECT_EQ(moved.phase, phase::transposition);
  EXPECT_EQ(moved.messages, 3.0 * 4 * 3);
  EXPECT_EQ(moved.message_bytes, 3.0 * 16 * 96 * 144 * 3 / 4);
  EXPECT_EQ(counted({96, 144, 1})[1].messages, 0.0);
}

TEST(Input, IsOfThePlaceAlone) {
  const auto whole = own_input({12, 12, 1}, 0), third = own_input({12, 12, 3}, 1);
  ASSERT_EQ(third.size(), 48u);
  for (std::size_t i = 0; i < third.size(); ++i) EXPECT_EQ(third[i], whole[48 + i]);
  double sum = 0.0;
  for (std::int64_t n = 0; n < 10000; ++n) {
    EXPECT_LT(std::abs(input(n).real()), 0.5);
    sum += input(n).real() + input(n).imag();
  }
  EXPECT_LT(std::abs(sum), 4.0 * std::sqrt(20000.0 / 12.0));
}

// There and back and the energy hold for every unitary transform; a pair that permutes the result
// and takes the permutation back is one.
TEST(Check, FindsAUnitaryTransformThatIsNotFouriers) {
  const auto world = parallel::Communicator::world();
  const Shape shape{6, 5, 1};
  std::vector<Complex> right;
  for (std::int64_t k = 0; k < shape.length(); ++k) right.push_back(direct(shape, world, k));
  const auto failed = [&](const std::vector<Complex>& output) {
    base::Checks checks;
    check_transform(shape, world, output, own_input(shape, 0), "", checks);
    std::vector<std::string> names;
    for (const auto& check : checks.all())
      if (!check.passed) names.push_back(check.name);
    return names;
  };
  EXPECT_EQ(failed(right), std::vector<std::string>{});
  std::vector<Complex> turned = right, mirrored = right;
  std::rotate(turned.begin(), turned.begin() + 1, turned.end());
  std::reverse(mirrored.begin() + 1, mirrored.end());  // the inverse transform
  const std::vector<std::string> sums{"distance from direct sums"};
  EXPECT_EQ(failed(turned), sums);
  EXPECT_EQ(failed(mirrored), sums);
}

}  // namespace
}  // namespace hakaru::apps::mpi_fft

HAKARU_MPI_TEST_MAIN()
