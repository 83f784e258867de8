#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>

#include "apps/turbulence/canonical.hpp"
#include "apps/turbulence/checkpoint.hpp"
#include "apps/turbulence/initial.hpp"
#include "apps/turbulence/phases.hpp"
#include "apps/turbulence/philox.hpp"
#include "apps/turbulence/planes.hpp"
#include "apps/turbulence/reference.hpp"
#include "apps/turbulence/schedule.hpp"
#include "apps/turbulence/verify.hpp"
#include "native/base/require.hpp"
#include "native/parallel/test_main.hpp"
#include "native/schedule/counting_writer.hpp"

namespace hakaru::apps::turbulence {
namespace {

using base::UserError;
using parallel::Communicator;
using parallel::TransposeMethod;

Communicator self() {
  MPI_Comm copy = MPI_COMM_NULL;
  HAKARU_MPI(MPI_Comm_dup(MPI_COMM_SELF, &copy));
  return Communicator::adopt(copy);
}

Settings settings(int n, int threads = 1, TransposeMethod method = TransposeMethod::alltoall) {
  Settings s;
  s.n = n, s.threads = threads, s.method = method, s.dt = 0.01, s.forced = true;
  return s;
}

TEST(Grid, ReachIsTheStrictSphere) {
  for (const int n : {8, 18, 24, 30, 128})
    for (int other = 0; other < n * n / 4; ++other) {
      const int reach = Grid::reach(n, other);
      if (reach >= 0) {
        EXPECT_LT(9 * (reach * reach + other), 2 * n * n);
      }
      EXPECT_GE(9 * ((reach + 1) * (reach + 1) + other), 2 * n * n);
    }
}

TEST(Grid, BlocksHoldEveryRetainedMode) {
  for (const int n : {8, 10, 24, 36, 50}) {
    const Grid grid(n, 0, 1);
    std::vector<int> reach(std::size_t(grid.planes()) * grid.columns(), -1);
    for (const Block& block : grid.blocks())
      reach[block.plane * grid.columns() + block.column] = block.reach;
    grid.for_each_mode([&](int plane, int kx, int ky, int kz) {
      const int column = grid.index_of(kx) / grid.width();
      ASSERT_TRUE(grid.retained(kx, ky, kz));
      EXPECT_GE(reach[plane * grid.columns() + column], std::abs(ky))
          << n << " " << kx << " " << ky << " " << kz;
      EXPECT_TRUE(column < grid.left(kz) || column >= grid.right(kz));
    });
  }
}

TEST(Grid, SaysWhyItRefuses) {
  EXPECT_EQ(Grid::refuse(48, 3), "");
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "32 planes", Grid::refuse(64, 3));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "64 ranks", Grid::refuse(64, 64));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "odd", Grid::refuse(27, 1));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "factor 11", Grid::refuse(22, 1));
}

TEST(Philox, GivesThePublishedWords) {
  using Words = std::array<std::uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, 0), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, ~std::uint64_t{0}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(Planes, SeparateUndoesCombine) {
  const Grid grid(24, 0, 1);
  Scratch scratch(grid);
  const int n = 24, width = Plans::row_width_of(n), rows = grid.cutoff() + 1;
  for (const int field : {0, 1})
    for (int kz = 0; kz < rows; ++kz)
      for (int x = 0; x < n; ++x)
        // A real field has a real mean.
        scratch.row(field, kz)[x] = {1.0 + field + kz * 0.1 + x,
                                     kz == 0 ? 0.0 : 0.5 * field - kz + 0.01 * x};
  combine(scratch, 0, 1, 2, 0, n, width, rows);
  separate(scratch, 2, 3, 4, 0, n, width, rows);
  for (int kz = 0; kz < rows; ++kz)
    for (int x = 0; x < width; ++x) {
      EXPECT_LT(std::abs(scratch.row(3, kz)[x] - 2.0 * scratch.row(0, kz)[x]), 1e-13);
      EXPECT_LT(std::abs(scratch.row(4, kz)[x] - 2.0 * scratch.row(1, kz)[x]), 1e-13);
    }
}

TEST(Reference, SeesAliases) {
  const Communicator alone = self();
  const Grid grid(16, 0, 1);
  State velocity(grid);
  set_random(grid, velocity, 1, 6.0, alone);
  const auto modes = collect(grid, velocity, alone);
  EXPECT_GT(distance(aliased_rate(16, modes), padded_rate(16, modes)), 0.1);
}

TEST(Nonlinear, HasTheSignThatStretchesVortices) {
  // Taylor-Green: d^2 Omega / dt^2 > 0 without viscosity; with the other sign it would be the same
  // at t = 0, but the rate of u is known: G(1, 1, 2)-type modes only.
  const Communicator alone = self();
  Settings s = settings(24);
  s.nu = 0.0, s.forced = false;
  Solver solver(s, alone);
  State velocity(solver.grid()), rate(solver.grid());
  set_taylor_green(solver.grid(), velocity);
  solver.rate(velocity, rate);
  const auto modes = collect(solver.grid(), velocity, alone);
  EXPECT_LT(distance(collect(solver.grid(), rate, alone), padded_rate(24, modes)), 1e-14);
}

TEST(Solver, GivesTheSameBitsEverywhere) {
  const Communicator world = Communicator::world(), alone = self();
  for (const int n : {24, 36, 48}) {
    if (!Grid::refuse(n, world.size()).empty()) continue;
    auto run = [&](const Settings& s, const Communicator& communicator) {
      Solver solver(s, communicator);
      State initial(solver.grid());
      set_random(solver.grid(), initial, 2, 4.0, communicator);
      solver.begin(initial);
      solver.step(initial);
      solver.step();
      return digest(solver.grid(), solver.velocity(), communicator);
    };
    const std::string expected = run(settings(n), alone);
    for (const int threads : {1, 2})
      for (const auto method : {TransposeMethod::alltoall, TransposeMethod::put})
        EXPECT_EQ(run(settings(n, threads, method), world), expected) << n << " " << threads;
  }
}

TEST(Diagnostics, KnowTheTaylorGreenVortex) {
  const Communicator world = Communicator::world();
  Solver solver(settings(24), world);
  set_taylor_green(solver.grid(), solver.velocity());
  const Spectrum spectrum = spectrum_of(solver.grid(), solver.velocity(), world);
  EXPECT_NEAR(spectrum.energy(), 0.125, 1e-15);
  EXPECT_NEAR(spectrum.enstrophy, 0.375, 1e-15);
  EXPECT_NEAR(spectrum.shell_energy[2], 0.125, 1e-15) << "|k| = sqrt(3) belongs to shell 2";
  const Diagnostics d = diagnose(solver, solver.velocity(), spectrum);
  EXPECT_NEAR(d.taylor_microscale, std::sqrt(5.0 * 0.125 / 0.375), 1e-12);
  // max |sin x cos y| + |cos x sin y| = 1 at cos z = 1.
  EXPECT_NEAR(d.courant, 0.01 * std::sqrt(2.0) / 3.0 * 24, 1e-12);
  // <(du/dx)^2> = <(cos x cos y cos z)^2> = 1/8, and dw/dz = 0.
  const auto moments = solver.nonlinear().moments(solver.velocity());
  double first = 0.0, third = 0.0;
  for (std::size_t y = 0; y < moments.size() / 7; ++y)
    first += moments[7 * y], third += moments[7 * y + 4];
  EXPECT_NEAR(world.sum(first) / std::pow(24, 3), 0.125, 1e-14);
  EXPECT_NEAR(world.sum(third), 0.0, 1e-14);
}

TEST(Initial, RandomFieldIsSolenoidalAndHasItsEnergy) {
  const Communicator world = Communicator::world();
  const Grid grid(48, world.rank(), world.size());
  State velocity(grid);
  set_random(grid, velocity, 9, 5.0, world);
  const Spectrum spectrum = spectrum_of(grid, velocity, world);
  EXPECT_NEAR(spectrum.energy(), 0.5, 1e-13);
  EXPECT_LT(divergence(grid, velocity, world), 1e-15);
  EXPECT_GT(spectrum.shell_energy[5], spectrum.shell_energy[2]);
  EXPECT_GT(spectrum.shell_energy[5], spectrum.shell_energy[9]);
}

TEST(Forcing, KnowsTheEnergyOfItsBand) {
  const Communicator world = Communicator::world();
  const Grid grid(24, world.rank(), world.size());
  State velocity(grid);
  set_random(grid, velocity, 9, 3.0, world);
  double band = 0.0;
  for (const double energy : Forcing(grid).band_energy(velocity)) band += energy;
  double expected = 0.0;
  grid.for_each_mode([&](int plane, int kx, int ky, int kz) {
    const double k = std::sqrt(double(kx * kx + ky * ky + kz * kz));
    for (int c = 0; c < 3 && k < 2.5; ++c)
      expected += (kz == 0 ? 0.5 : 1.0) *
                  std::norm(velocity[grid.index(plane, grid.index_of(kx), grid.index_of(ky), c)]);
  });
  EXPECT_NEAR(world.sum(band), world.sum(expected), 1e-15);
}

// A part of every mode along its wavenumber, as rounding leaves one, of this size relative to it.
void make_divergent(const Grid& grid, State& velocity, double size) {
  grid.for_each_mode([&](int plane, int kx, int ky, int kz) {
    const double k[3] = {double(kx), double(ky), double(kz)};
    const auto place = [&](int c) {
      return grid.index(plane, grid.index_of(kx), grid.index_of(ky), c);
    };
    const double length = std::sqrt(k[0] * k[0] + k[1] * k[1] + k[2] * k[2]);
    if (length == 0.0) return;
    double squares = 0.0;
    for (int c = 0; c < 3; ++c) squares += std::norm(velocity[place(c)]);
    // An odd function of k, times i: the field stays real.
    for (int c = 0; c < 3; ++c)
      velocity[place(c)] += Complex(0.0, size * std::sqrt(squares) * k[c] / length);
  });
}

TEST(Forcing, DoesNotFeedTheDivergence) {
  const Communicator world = Communicator::world();
  Settings s = settings(24);
  s.nu = 0.05, s.dt = 0.02;
  Solver solver(s, world);
  State velocity(solver.grid());
  set_random(solver.grid(), velocity, 3, 2.0, world);
  make_divergent(solver.grid(), velocity, 1e-7);
  const double before = divergence(solver.grid(), velocity, world);
  EXPECT_GT(before, 1e-8) << "otherwise nothing is tested";
  solver.begin(velocity);
  for (int step = 0; step < 30; ++step) solver.step(step == 0 ? velocity : solver.velocity());
  const auto band = [&](const State& state) {
    double worst = 0.0;
    solver.grid().for_each_mode([&](int plane, int kx, int ky, int kz) {
      if (kx * kx + ky * ky + kz * kz > 6) return;
      const double k[3] = {double(kx), double(ky), double(kz)};
      Complex along = 0.0;
      for (int c = 0; c < 3; ++c)
        along += k[c] * state[solver.grid().index(plane, solver.grid().index_of(kx),
                                                  solver.grid().index_of(ky), c)];
      worst = std::max(worst, std::abs(along));
    });
    return world.maximum(worst);
  };
  EXPECT_GT(band(velocity), 1e-9);
  EXPECT_LT(band(solver.velocity()), 1e-15) << "removed from the forced modes";
  EXPECT_LT(divergence(solver.grid(), solver.velocity(), world), before)
      << "viscosity does the rest";
}

TEST(Diagnostics, AWrongFlowEndsTheRun) {
  const Communicator world = Communicator::world();
  const Grid grid(24, world.rank(), world.size());
  const auto failure = [&](double size, double enstrophy) -> std::string {
    State velocity(grid);
    set_random(grid, velocity, 3, 2.0, world);
    if (size > 0.0) make_divergent(grid, velocity, size);
    try {
      require_sound(grid, velocity, enstrophy, 300);
    } catch (const UserError& error) {
      EXPECT_EQ(error.code(), base::ExitCode::verification);
      return error.what();
    }
    return "";
  };
  const double enstrophy = 0.5 * 2.0 * 2.0;  // about that of the field: k^2 E
  EXPECT_EQ(failure(0.0, enstrophy), "");
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "no longer incompressible at step 300",
                      failure(1e-6, enstrophy));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "smaller dt", failure(0.0, std::nan("")));
}

base::PhaseWork counted_transpose(const Scale& scale) {
  const std::vector<schedule::Phase> phases = {{phase::transpose, "communicate"},
                                               {phase::fft, "compute"},
                                               {phase::pointwise, "compute"},
                                               {phase::pack, "compute"},
                                               {phase::reduce, "communicate"}};
  return schedule::count_work(phases, scale.ranks,
                              rank_schedule(scale, parallel::TransposeMethod::alltoall))[0];
}

TEST(Work, CountsThePublishedMessages) {
  // 256^3 on 16 ranks: 524,288 B from one rank to another in each of 72 transpositions.
  const base::PhaseWork transpose = counted_transpose({256, 10, false, false, 16, 1});
  EXPECT_EQ(transpose.messages, 16.0 * 15.0 * 72.0 * 10.0);
  EXPECT_EQ(transpose.message_bytes / transpose.messages, 524288.0);
  EXPECT_EQ(counted_transpose({256, 10, false, false, 1, 1}).messages, 0.0);
}

class CheckpointFile : public ::testing::Test {
 protected:
  CheckpointFile()
      : world(Communicator::world()), grid(24, world.rank(), world.size()), state(grid) {
    set_random(grid, state, 4, 4.0, world);
    std::vector<int> process{static_cast<int>(::getpid())};
    world.broadcast(process, 0);
    path =
        (std::filesystem::temp_directory_path() / ("turbulence_test." + std::to_string(process[0])))
            .string();
    write_checkpoint(path, grid, state, {7, 0.35}, 0.01, world);
    world.barrier();
  }
  ~CheckpointFile() override {
    world.barrier();
    if (world.rank() == 0) std::filesystem::remove(path);
  }
  // Runs on rank 0 while the others wait.
  template <typename Change>
  void alter(Change&& change) {
    world.barrier();
    if (world.rank() == 0) change();
    world.barrier();
  }
  std::string complaint(const Grid& wanted) {
    State read(wanted);
    try {
      read_checkpoint(path, wanted, read, world);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }

  const Communicator world;
  const Grid grid;
  State state;
  std::string path;
};

TEST_F(CheckpointFile, GivesBackEveryBitOnAnyNumberOfRanks) {
  State read(grid);
  const Moment moment = read_checkpoint(path, grid, read, world);
  EXPECT_EQ(moment.step, 7);
  EXPECT_EQ(moment.time, 0.35);
  EXPECT_EQ(digest(grid, read, world), digest(grid, state, world));
  const Communicator alone = self();
  const Grid whole(24, 0, 1);
  State other(whole);
  read_checkpoint(path, whole, other, alone);
  EXPECT_EQ(digest(whole, other, alone), digest(grid, state, world));
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
}

TEST_F(CheckpointFile, RefusesALongerFile) {
  alter([&] { std::ofstream(path, std::ios::app) << "more"; });
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "too long", complaint(grid));
}

TEST_F(CheckpointFile, RefusesATruncatedFile) {
  alter([&] { std::filesystem::resize_file(path, std::filesystem::file_size(path) - 16); });
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "truncated", complaint(grid));
  for (const std::size_t bytes : {5000u, 4096u, 4095u, 100u, 5u, 0u}) {
    alter([&] { std::filesystem::resize_file(path, bytes); });
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, "truncated", complaint(grid)) << bytes;
  }
}

TEST_F(CheckpointFile, RefusesAnAlteredFile) {
  alter([&] {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(20000);
    file.put('x');
  });
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "altered", complaint(grid));
}

TEST_F(CheckpointFile, RefusesForeignFilesAndOtherGrids) {
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "it holds n = 24, not 48",
                      complaint(Grid(48, world.rank(), world.size())));
  alter([&] { std::ofstream(path) << std::string(5000, 'a'); });
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "not a checkpoint", complaint(grid));
  alter([&] { std::filesystem::remove(path); });
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "No such file", complaint(grid));
}

TEST_F(CheckpointFile, SaysThatAFolderIsMissing) {
  EXPECT_THROW(write_checkpoint(path + ".absent/file", grid, state, {}, 0.01, world), UserError);
}

TEST(Verification, FailsWhenTheResultIsDamaged) {
  const Communicator world = Communicator::world();
  for (const bool damaged : {false, true}) {
    base::Checks checks;
    const Verification plan{settings(24), damaged, false, ""};
    const verification::Context context{plan, world, checks};
    for (auto* group :
         {verification::nonlinear_term, verification::time_integration, verification::same_bits}) {
      const std::size_t before = checks.all().size();
      group(context);
      bool passed = true;
      for (std::size_t i = before; i < checks.all().size(); ++i)
        passed = passed && checks.all()[i].passed;
      EXPECT_EQ(passed, !damaged);
    }
  }
}

}  // namespace
}  // namespace hakaru::apps::turbulence

HAKARU_MPI_TEST_MAIN()
