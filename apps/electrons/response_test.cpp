// The checks of linear response with a medium of oscillators, whose response is known: they hold
// for it and fail for damaged currents.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "apps/electrons/maxwell.hpp"
#include "apps/electrons/verify_response.hpp"
#include "native/parallel/test_main.hpp"

namespace hakaru::apps::electrons {
namespace {

constexpr double strength = 0.0296, resonance = 0.15, friction = 0.05, dt = 0.1, impulse = 0.001;
constexpr int steps = 1800;

// j'' + friction j' + resonance^2 j = strength a'' after a jump of a, as central differences.
class Oscillator {
 public:
  // The next current, when a bends by `bend` = a(t + dt) - 2 a(t) + a(t - dt) around now.
  double next(double bend) {
    const double loss = 0.5 * friction * dt;
    const double after =
        ((2.0 - dt * dt * resonance * resonance) * now - (1.0 - loss) * before + strength * bend) /
        (1.0 + loss);
    before = now;
    return now = after;
  }
  double now = 0.0, before = 0.0;
};

// In its own field, too, where `coupling` is 4 pi.
ImpulseRun after_impulse(double coupling) {
  // a jumps at 0; the current just after it.
  ImpulseRun run{dt, impulse, {strength * impulse}};
  Oscillator medium;
  medium.now = strength * impulse;
  medium.before = medium.now * (1.0 + friction * dt +
                                0.5 * dt * dt * (friction * friction - resonance * resonance));
  double a = 0.0, older = 0.0;  // induced
  for (int i = 0; i < steps; ++i) {
    const double current = i == 0 ? 0.5 * medium.now : medium.now;
    const double newer = 2.0 * a - older - coupling * dt * dt * current;
    run.currents.push_back(medium.next(newer - 2.0 * a + older));
    older = a, a = newer;
  }
  return run;
}

std::complex<double> exact(std::complex<double> w) {
  using namespace std::complex_literals;
  return 1.0 +
         4.0 * std::numbers::pi * strength / (resonance * resonance - w * w - 1i * friction * w);
}

double pulse(double t) {
  const double duration = 60.0, frequency = 0.15;
  if (t <= 0.0 || t >= duration) return 0.0;
  const double envelope = std::sin(std::numbers::pi * t / duration);
  return -0.001 / frequency * envelope * envelope * std::cos(frequency * (t - 0.5 * duration));
}

FilmRun through_film() {
  const Film film{2, 250, 20, 50.0, dt};
  const auto alone = parallel::Communicator::borrow(MPI_COMM_SELF);
  const RankLayout layout = layout_of(1, 1, 2, 1);
  Maxwell light(film, layout, 0, alone, pulse), vacuum(film, layout, 0, alone, pulse);
  std::vector<Oscillator> medium(2);
  FilmRun run{dt, 100.0, 3.5 * film.spacing, {}, {}};
  std::vector<double> currents(2), older(2);
  for (int i = 0; i <= steps; ++i) {
    run.whole.push_back(light.cells()[film.before - 4]);
    run.incoming.push_back(vacuum.cells()[film.before - 4]);
    for (int p = 0; p < 2; ++p) older[p] = light.before_step(p);
    light.step(currents), vacuum.step({0.0, 0.0});
    for (int p = 0; p < 2; ++p) {
      const double before = light.before_step(p);
      currents[p] = medium[p].next(light.at(p) - 2.0 * before + older[p]);
    }
  }
  return run;
}

bool failed(const base::Checks& checks) { return !checks.passed(); }

TEST(Response, DielectricFunctionOfAnOscillator) {
  for (const std::complex<double> w : {std::complex<double>(0.1, 0.04), {0.3, 0.04}, {0.6, 0.04}}) {
    EXPECT_LT(std::abs(dielectric_at(after_impulse(0.0), {w})[0] - exact(w)), 5e-3) << w;
    const auto inverse = inverse_dielectric_at(after_impulse(4.0 * std::numbers::pi), {w})[0];
    EXPECT_LT(std::abs(inverse - 1.0 / exact(w)), 1e-2) << w;
  }
}

TEST(Response, PlasmonOfAnOscillatorAndOfDamagedOnes) {
  const ImpulseRun transverse = after_impulse(0.0);
  const auto judge = [&](const ImpulseRun& longitudinal, double density = strength) {
    base::Checks checks;
    compare_plasmon(transverse, longitudinal, density, checks);
    return checks;
  };
  const ImpulseRun longitudinal = after_impulse(4.0 * std::numbers::pi);
  const base::Checks good = judge(longitudinal);
  for (const auto& check : good.all()) EXPECT_TRUE(check.passed) << check.name << check.value;
  EXPECT_TRUE(failed(judge(after_impulse(4.2 * std::numbers::pi)))) << "a wrong own field";
  ImpulseRun weak = longitudinal;
  for (double& current : weak.currents) current *= 0.97;
  EXPECT_TRUE(failed(judge(weak)));
  ImpulseRun late = longitudinal;
  late.currents.insert(late.currents.begin(), late.currents.front());
  EXPECT_TRUE(failed(judge(late)));
  EXPECT_TRUE(failed(judge(transverse)));
  EXPECT_TRUE(failed(judge(longitudinal, 2.0 * strength)));
}

TEST(Response, ReflectionOfASlabOfOscillatorsAndOfDamagedOnes) {
  const ImpulseRun transverse = after_impulse(0.0);
  const FilmRun film = through_film();
  const auto judge = [&](const ImpulseRun& response, const FilmRun& run) {
    base::Checks checks;
    compare_reflection(response, run, checks);
    return checks;
  };
  const base::Checks good = judge(transverse, film);
  for (const auto& check : good.all()) EXPECT_TRUE(check.passed) << check.name << check.value;
  ImpulseRun strong = transverse;
  for (double& current : strong.currents) current *= 1.05;
  EXPECT_TRUE(failed(judge(strong, film)));
  FilmRun thick = film;
  thick.thickness *= 1.05;
  EXPECT_TRUE(failed(judge(transverse, thick)));
  FilmRun shifted = film;
  shifted.distance += 50.0;
  EXPECT_TRUE(failed(judge(transverse, shifted)));
  FilmRun nothing = film;
  nothing.whole = nothing.incoming;
  EXPECT_TRUE(failed(judge(transverse, nothing)));
}

// Half a wavelength of glass reflects nothing, a quarter ((n^2 - 1)/(n^2 + 1)).
TEST(Response, SlabOfGlass) {
  const double w = 0.1, wavelength = 2.0 * std::numbers::pi * 137.035999 / (1.5 * w);
  EXPECT_LT(std::abs(slab_reflection(2.25, w, 0.5 * wavelength)), 1e-12);
  EXPECT_NEAR(std::abs(slab_reflection(2.25, w, 0.25 * wavelength)), 1.25 / 3.25, 1e-12);
}

}  // namespace
}  // namespace hakaru::apps::electrons

HAKARU_MPI_TEST_MAIN()
