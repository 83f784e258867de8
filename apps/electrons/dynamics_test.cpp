// Several ranks: the same currents as one; checkpoints; damaged results fail.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "apps/electrons/checkpoint.hpp"
#include "apps/electrons/ground_state_file.hpp"
#include "apps/electrons/input.hpp"
#include "apps/electrons/response.hpp"
#include "apps/electrons/settings.hpp"
#include "apps/electrons/verify.hpp"
#include "native/base/require.hpp"
#include "native/parallel/test_main.hpp"

namespace hakaru::apps::electrons {
namespace {

// GTH silicon on a grid too coarse for physics: every term of the Hamiltonian, at little cost.
Settings waves(Geometry geometry = Geometry::transverse) {
  Settings s;
  s.system = make_system(silicon(), {12, 12, 12}, {2, 2, 1}, -1, 4.0);
  s.waves = true;
  s.steps = 4;
  s.geometry = geometry;
  s.propagator.dt = 0.05;
  s.field.kind = Field::Kind::impulse;
  if (geometry == Geometry::film) {
    s.field = {Field::Kind::pulse, 2, 0.0, 0.05, 0.3, 20.0};
    s.film = {2, 12, 6, 250.0, s.propagator.dt};
  }
  return s;
}

// Of all macroscopic points, on every rank.
std::vector<double> currents(const Settings& settings, const parallel::Communicator& world,
                             const std::string& checkpoint = "", int stop = 0) {
  Simulation simulation(settings, world, {});
  simulation.begin(nullptr);
  for (int i = 0; i < settings.steps; ++i) {
    simulation.step();
    if (i + 1 == stop) write_checkpoint(checkpoint, simulation, world);
  }
  std::vector<double> all(simulation.layout().points, 0.0);
  const int first = simulation.layout().points_of(world.rank()).first;
  if (simulation.group().rank() == 0)
    std::copy(simulation.currents().begin(), simulation.currents().end(), all.begin() + first);
  world.sum(all);
  return all;
}

std::string shared_path(const parallel::Communicator& world, const char* name) {
  std::vector<int> process{static_cast<int>(::getpid())};
  world.broadcast(process, 0);
  return ::testing::TempDir() + name + std::to_string(process[0]);
}

class Geometries : public ::testing::TestWithParam<Geometry> {};

TEST_P(Geometries, AnyNumberOfRanksGivesTheSameCurrents) {
  const auto world = parallel::Communicator::world();
  const auto alone = parallel::Communicator::borrow(MPI_COMM_SELF);
  if (layout_of(world.size(), 0, GetParam() == Geometry::film ? 2 : 1, 4).members() > 4)
    GTEST_SKIP();
  const auto mine = currents(waves(GetParam()), world), own = currents(waves(GetParam()), alone);
  ASSERT_EQ(mine.size(), own.size());
  for (std::size_t i = 0; i < own.size(); ++i)
    EXPECT_NEAR(mine[i], own[i], 1e-12 * (1e-3 + std::abs(own[i])));
  EXPECT_NE(own[0], 0.0);
}

TEST_P(Geometries, RestartHasTheSameBits) {
  const auto world = parallel::Communicator::world();
  const std::string path = shared_path(world, "electrons_state_");
  Settings settings = waves(GetParam());
  const auto whole = currents(settings, world, path, 2);
  Simulation simulation(settings, world, {});
  read_checkpoint(path, simulation, world);
  EXPECT_EQ(simulation.steps_done(), 2);
  EXPECT_EQ(simulation.history().size(), 3u);
  for (int i = 0; i < 2; ++i) simulation.step();
  const int first = simulation.layout().points_of(world.rank()).first;
  for (std::size_t i = 0; i < simulation.currents().size(); ++i)
    EXPECT_EQ(simulation.currents()[i], whole[first + i]);
  world.barrier();
  if (world.rank() == 0) std::filesystem::remove(path);
}

INSTANTIATE_TEST_SUITE_P(All, Geometries,
                         ::testing::Values(Geometry::transverse, Geometry::longitudinal,
                                           Geometry::film));

// Why a file cannot be used, or "".
std::string refusal(const std::string& path, const Settings& settings) {
  try {
    shared_numbers(path, checkpoint_shape(settings, 0));
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Checkpoint, OtherOrDamagedFilesAreRefused) {
  const auto world = parallel::Communicator::world();
  const std::string path = shared_path(world, "electrons_damaged_");
  Settings settings = waves();
  settings.steps = 1;
  currents(settings, world, path, 1);
  Settings other = settings;
  other.system = make_system(silicon(), {14, 12, 12}, {2, 2, 1}, -1, 4.0);
  EXPECT_THROW(shared_numbers(path, checkpoint_shape(other, 0)), base::UserError);
  EXPECT_NO_THROW(shared_numbers(path, checkpoint_shape(settings, 0)));
  world.barrier();
  if (world.rank() == 0) std::filesystem::resize_file(path, std::filesystem::file_size(path) - 8);
  world.barrier();
  EXPECT_NE(refusal(path, settings).find("truncated"), std::string::npos);
  EXPECT_THROW(shared_numbers(path + "none", checkpoint_shape(settings, 0)), base::UserError);
  for (const std::uintmax_t bytes : {5000, 4096, 4095, 100, 3, 0}) {
    world.barrier();
    if (world.rank() == 0) std::filesystem::resize_file(path, bytes);
    world.barrier();
    EXPECT_NE(refusal(path, settings).find("truncated"), std::string::npos) << bytes;
  }
  world.barrier();
  if (world.rank() == 0) std::ofstream(path) << "another text";
  world.barrier();
  EXPECT_NE(refusal(path, settings).find("not a file of this program"), std::string::npos);
  world.barrier();
  if (world.rank() == 0) std::filesystem::remove(path);
}

// k-points that stand for the others along z are others than those along x.
TEST(Checkpoint, AnotherAxisOfTheFieldIsRefused) {
  const auto world = parallel::Communicator::world();
  const std::string path = shared_path(world, "electrons_axis_");
  auto along = [](int axis) {
    Settings s = waves();
    s.system = make_system(soft_silicon(), {12, 12, 12}, {4, 4, 4}, axis, 5.0);
    s.field.direction = axis;
    s.steps = 1;
    return s;
  };
  ASSERT_EQ(along(0).system.k_points.size(), along(2).system.k_points.size());
  currents(along(2), world, path, 1);
  EXPECT_EQ(refusal(path, along(2)), "");
  EXPECT_NE(refusal(path, along(0)).find("symmetry axis"), std::string::npos);
  world.barrier();
  if (world.rank() == 0) std::filesystem::remove(path);
}

// Signals reach ranks at different steps: every rank writes after the same ones, and what was
// written continues with the same bits.
class Signals : public ::testing::TestWithParam<int> {};

TEST_P(Signals, AllGroupsWriteAfterTheSameStep) {
  const auto world = parallel::Communicator::world();
  if (world.size() % std::max(GetParam(), 1) != 0) GTEST_SKIP();
  Settings settings = waves(Geometry::film);
  settings.film.points = 4;
  settings.groups = GetParam();
  const std::string path = shared_path(world, "electrons_asked_");
  listen_for_signal();
  Simulation simulation(settings, world, {});
  simulation.begin(nullptr);
  const int groups = simulation.layout().groups;
  double steps = 0.0;  // bit n: written after step n
  int written = 0;
  for (int i = 1; i <= 14; ++i) {
    if (i == 2 && world.rank() == world.size() - 1) std::raise(SIGUSR1);
    if (i == 3 && world.rank() == 0) std::raise(SIGUSR1);
    if (i == 9 && world.rank() == world.size() / 2) std::raise(SIGUSR1);
    simulation.step(asked_by_signal());
    if (!simulation.signalled()) continue;
    steps += std::exp2(i), written = i;
    write_checkpoint(path, simulation, world);
  }
  EXPECT_EQ(world.maximum(steps), world.minimum(steps));
  const double first = std::exp2(groups + 1), second = std::exp2(groups + 8);
  EXPECT_EQ(steps, groups == 1 ? 4.0 + 8.0 + 512.0 : first + second);

  Simulation again(settings, world, {});
  read_checkpoint(path, again, world);
  ASSERT_EQ(again.steps_done(), written);
  for (int i = written; i < 14; ++i) again.step();
  EXPECT_EQ(again.currents(), simulation.currents());
  EXPECT_EQ(again.maxwell()->cells(), simulation.maxwell()->cells());
  EXPECT_NE(simulation.currents()[0], 0.0);
  world.barrier();
  if (world.rank() == 0) std::filesystem::remove(path);
}

INSTANTIATE_TEST_SUITE_P(Groups, Signals, ::testing::Values(0, 1, 2));

// A search that ends early and is continued from its file is as if it had never ended.
TEST(GroundStateFile, AContinuedSearchHasTheSameBits) {
  const auto world = parallel::Communicator::world();
  const std::string path = shared_path(world, "electrons_search_");
  Settings settings = waves();
  settings.system = make_system(soft_silicon(), {12, 12, 12}, {2, 2, 1}, -1, 5.0);
  Simulation simulation(settings, world, {});
  EXPECT_EQ(kept_in(path), Kept::nothing);
  const GroundState whole = simulation.find_ground_state({}, {}, [&](const GroundState& now) {
    if (now.iterations == 4) write_search(path, simulation, now, world);
  });
  ASSERT_TRUE(whole.converged);
  ASSERT_EQ(kept_in(path), Kept::search);

  GroundState from = read_ground_state(path, simulation);
  EXPECT_EQ(from.iterations, 4);
  GroundState continued = simulation.find_ground_state({}, std::move(from));
  EXPECT_EQ(continued.iterations, whole.iterations);
  EXPECT_EQ(continued.energy, whole.energy);
  EXPECT_EQ(continued.density, whole.density);
  EXPECT_EQ(continued.eigenvalues, whole.eigenvalues);
  const std::size_t count = whole.orbitals.size();
  EXPECT_TRUE(std::equal(continued.orbitals.at(0, 0), continued.orbitals.at(0, 0) + count,
                         whole.orbitals.at(0, 0)));

  // Without the mixing's past it is another search.
  GroundState forgetful = read_ground_state(path, simulation);
  forgetful.mixing = Mixing();
  EXPECT_NE(simulation.find_ground_state({}, std::move(forgetful)).density, whole.density);

  settings.extra_bands = 6;
  Simulation other(settings, world, {});
  EXPECT_THROW(read_ground_state(path, other), base::UserError);
  world.barrier();
  write_ground_state(path, simulation, continued, world);
  EXPECT_EQ(kept_in(path), Kept::ground_state);
  EXPECT_EQ(read_ground_state(path, other).iterations, 0);
  world.barrier();
  if (world.rank() == 0) std::filesystem::remove(path);
}

TEST(Response, OfAnOscillator) {
  // j = n a0 cos(w0 t): eps = 1 - 4 pi n / (w^2 - w0^2) away from the resonance.
  const double n = 0.03, w0 = 0.15, dt = 0.1;
  std::vector<double> j;
  for (int i = 0; i <= 20000; ++i) j.push_back(n * 0.01 * std::cos(w0 * dt * i));
  const auto at = response(j, dt, 0.01, false, {0.05, 0.4});
  for (const ResponsePoint& p : at)
    EXPECT_NEAR(p.dielectric.real(),
                1.0 - 4.0 * std::numbers::pi * n / (p.energy * p.energy - w0 * w0),
                2e-3 * std::abs(p.dielectric.real()) + 1e-2);
  std::vector<double> energies;
  for (double w = 0.0005; w < 2.0; w += 0.0005) energies.push_back(w);
  EXPECT_NEAR(sum_rule(response(j, dt, 0.01, false, energies), n), 1.0, 5e-3);
  std::vector<double> half = j;
  for (double& value : half) value *= 0.5;
  EXPECT_NEAR(sum_rule(response(half, dt, 0.01, false, energies), n), 0.5, 5e-3);
}

TEST(Layout, GroupsAndRefusals) {
  EXPECT_EQ(layout_of(6, 0, 4, 8).groups, 3);
  EXPECT_EQ(refuse(layout_of(6, 0, 4, 8)), "");
  EXPECT_NE(refuse(layout_of(6, 4, 4, 8)), "");
  EXPECT_NE(refuse(layout_of(9, 1, 1, 8)), "");
  EXPECT_NE(refuse(layout_of(4, 4, 2, 8)), "");
}

TEST(Input, QuantitiesHaveUnits) {
  EXPECT_NEAR(quantity("1 angstrom", "bohr"), 1.8897261, 1e-6);
  EXPECT_NEAR(quantity("24.18884 as", "au"), 1.0, 1e-9);
  EXPECT_NEAR(quantity("1 hartree", "eV"), 27.211386, 1e-9);
  for (const char* bad : {"1", "x fs", "1 fs fs", "1 eV", "nan fs"})
    EXPECT_THROW(quantity(bad, "fs"), base::UserError) << bad;
}

TEST(Input, FilesSetParameters) {
  const std::string path = ::testing::TempDir() + "electrons_input_" + std::to_string(::getpid());
  base::Description description("electrons", "");
  declare_parameters(description);
  auto read = [&](const char* text) {
    std::ofstream(path) << text;
    return with_input(base::Parameters(description), path);
  };
  const base::Parameters p =
      read("[grid]\npoints = [12, 14, 16]\n[time]\nstep = \"2 as\"\n[field]\nkind = \"pulse\"\n");
  EXPECT_EQ(p.integer("ny"), 14);
  EXPECT_NEAR(p.real("dt"), 0.0826827, 1e-6);
  EXPECT_EQ(p.text("field"), "pulse");
  for (const char* bad : {"[grid]\npoint = 3\n", "[grid]\npoints = 3\n", "[time]\nstep = 2\n",
                          "[grid\n", "grid = 1\n", "[time]\nsteps = \"many\"\n"})
    EXPECT_THROW(read(bad), base::UserError) << bad;
  std::filesystem::remove(path);
}

// Default, preset, file, command line; the result is complete when completed again.
TEST(Input, TheCommandLineWinsOverTheFileAndTheFileOverAPreset) {
  const std::string path = ::testing::TempDir() + "electrons_order_" + std::to_string(::getpid());
  std::ofstream(path) << "[grid]\npoints = [12, 12, 12]\n[time]\nsteps = 7\n";
  base::Description description("electrons", "");
  declare_parameters(description);
  base::Parameters given(description);
  given.apply_preset("silicon");
  given.assign("ny=16");  // the default
  given.assign("input=" + path);
  const base::Parameters once = effective(given), twice = effective(once);
  EXPECT_EQ(once.integer("nx"), 12);
  EXPECT_EQ(once.integer("ny"), 16);
  EXPECT_EQ(once.integer("steps"), 7);
  EXPECT_EQ(once.real("dt"), 0.1);
  EXPECT_EQ(once.to_json(), twice.to_json());
  std::filesystem::remove(path);
}

TEST(Settings, ImpossibleCellsAreRefused) {
  base::Description description("electrons", "");
  declare_parameters(description);
  auto with = [&](std::initializer_list<const char*> words) {
    base::Parameters p(description);
    for (const char* word : words) p.assign(word);
    return settings_of(p);
  };
  EXPECT_NO_THROW(with({}));
  EXPECT_THROW(with({"dt=0.5"}), base::UserError);
  try {
    with({"nx=1024", "ny=1024", "nz=1024"});
    ADD_FAILURE() << "a dt of 0.08 is too long";
  } catch (const base::UserError& error) {
    EXPECT_NE(std::string(error.what()).find("up to about 2.9"), std::string::npos) << error.what();
  }
  EXPECT_THROW(with({"nx=5"}), base::UserError);
  EXPECT_THROW(with({"crystal=silicon", "nx=12"}), base::UserError);
  EXPECT_THROW(with({"geometry=film"}), base::UserError);
  EXPECT_THROW(with({"geometry=film", "field=pulse", "spacing=1"}), base::UserError);
  EXPECT_THROW(with({"checkpoint_interval=3"}), base::UserError);
}

TEST(Verification, DamageIsFound) {
  base::Checks formulas, light;
  verify_formulas({true, false}, formulas);
  EXPECT_FALSE(formulas.passed());
  verify_light({true, false}, parallel::Communicator::world(), light);
  for (const auto& check : light.all()) EXPECT_FALSE(check.passed) << check.name;
}

}  // namespace
}  // namespace hakaru::apps::electrons

HAKARU_MPI_TEST_MAIN()
