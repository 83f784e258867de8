// Integrals against another program, plans and sums against what they mean.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "apps/hartree_fock/atomic_guess.hpp"
#include "apps/hartree_fock/blocks.hpp"
#include "apps/hartree_fock/boys.hpp"
#include "apps/hartree_fock/fock.hpp"
#include "apps/hartree_fock/one_electron.hpp"
#include "apps/hartree_fock/repulsion.hpp"
#include "native/base/require.hpp"

namespace hakaru::apps::hartree_fock {
namespace {

// O at the origin and two hydrogens without any symmetry, bohr.
Molecule skew_water() {
  return {"skew water", {{8, {0, 0, 0}}, {1, {0, 0.757, 0.587}}, {1, {0.3, -0.757, 0.487}}}, 0};
}

std::vector<PairList> lists_of(const Basis& basis) {
  std::vector<PairList> lists;
  for (auto& pairs : group_pairs(basis)) {
    const int type = type_of(basis, pairs.front());
    lists.emplace_back(basis, type, std::move(pairs));
  }
  return lists;
}

Basis normalised(const Molecule& molecule, const std::string& name) {
  Basis basis = basis_of(molecule, name);
  normalise(basis);
  return basis;
}

using Four = std::array<int, 4>;

// All integrals by functions, in one of their eight orders each.
std::map<Four, double> all_integrals(const Basis& basis) {
  std::map<Four, double> found;
  const Plan plan(basis, lists_of(basis), 0.0);
  std::vector<int> tasks(plan.tasks().size());
  std::iota(tasks.begin(), tasks.end(), 0);
  for (const Block& block : blocks_of(plan, tasks, 1e3)) {
    std::vector<double> numbers(block.numbers);
    compute(plan, block, numbers.data());
    for (std::size_t i = 0; i < block.tasks.size(); ++i) {
      const Task& task = plan.tasks()[block.tasks[i]];
      const double* at = numbers.data() + block.first[i];
      plan.for_each_batch(task, [&](int list, int batch, int count) {
        for (int lane = 0; lane < count; ++lane) {
          const ShellPair ab = plan.lists()[task.list].pair(task.position);
          const ShellPair cd = plan.lists()[list].pair(batch * lanes + lane);
          const Shell &a = basis.shells[ab.first], &b = basis.shells[ab.second];
          const Shell &c = basis.shells[cd.first], &d = basis.shells[cd.second];
          for (int f = 0; f < a.functions(); ++f)
            for (int g = 0; g < b.functions(); ++g)
              for (int h = 0; h < c.functions(); ++h)
                for (int k = 0; k < d.functions(); ++k)
                  found[{a.first + f, b.first + g, c.first + h, d.first + k}] = *at++;
        }
      });
    }
  }
  return found;
}

double integral(const std::map<Four, double>& all, const Four& f) {
  const auto [a, b, c, d] = f;
  for (const Four& order : {Four{a, b, c, d}, Four{b, a, c, d}, Four{a, b, d, c}, Four{b, a, d, c},
                            Four{c, d, a, b}, Four{d, c, a, b}, Four{c, d, b, a}, Four{d, c, b, a}})
    if (const auto found = all.find(order); found != all.end()) return found->second;
  ADD_FAILURE() << "no integral " << a << b << c << d;
  return 0.0;
}

TEST(Boys, IsItsSeriesAtEveryOrder) {
  for (double t = 0.0; t < 60.0; t += 0.0137) {
    const Lanes lane = Lanes{} + t;
    Lanes out[5];
    boys<4>(lane, BoysTable::of(4), out);
    for (int m = 0; m <= 4; ++m)
      EXPECT_NEAR(out[m][0] / boys_series(m, t), 1.0, t < 36 ? 1e-13 : 1e-10) << m << " at " << t;
  }
}

TEST(Boys, LanesAreIndependent) {
  Lanes mixed = Lanes{} + 50.0, out[3], alone[3];
  mixed[0] = 0.0, mixed[1] = 3.3;
  boys<2>(mixed, BoysTable::of(2), out);
  for (int lane = 0; lane < lanes; ++lane) {
    boys<2>(Lanes{} + mixed[lane], BoysTable::of(2), alone);
    for (int m = 0; m < 3; ++m) EXPECT_EQ(out[m][lane], alone[m][lane]);
  }
}

// PySCF 2.14 (libcint): int2e.
TEST(Repulsion, IsThatOfAnotherProgram) {
  const auto all = all_integrals(normalised(skew_water(), "sto-3g"));
  const std::pair<Four, double> expected[] = {{{0, 0, 0, 0}, 4.785065404706},
                                              {{1, 1, 0, 0}, 1.118946866342},
                                              {{2, 0, 1, 0}, 0.0},
                                              {{2, 2, 3, 3}, 0.785270203138},
                                              {{2, 5, 3, 6}, -0.005132254262},
                                              {{3, 5, 4, 6}, 0.049567339155},
                                              {{4, 4, 4, 4}, 0.880159093375},
                                              {{2, 3, 5, 6}, -0.001235866422},
                                              {{1, 5, 4, 6}, 0.150114170834},
                                              {{5, 6, 5, 6}, 0.248522764911}};
  for (const auto& [functions, value] : expected)
    EXPECT_NEAR(integral(all, functions), value, 2e-12);
}

TEST(Repulsion, IsBoundedBySchwarz) {
  const Basis basis = normalised(acene(1, {1.397, 1.084}), "sto-3g");
  const auto all = all_integrals(basis);
  for (const auto& [f, value] : all)
    EXPECT_LE(std::abs(value), 1e-14 + std::sqrt(integral(all, {f[0], f[1], f[0], f[1]}) *
                                                 integral(all, {f[2], f[3], f[2], f[3]})));
}

// PySCF 2.14: int1e_ovlp, int1e_kin, int1e_nuc.
TEST(OneElectron, IsThatOfAnotherProgram) {
  const Molecule molecule = skew_water();
  const Basis basis = normalised(molecule, "sto-3g");
  const OneElectron one = one_electron(basis, molecule, lists_of(basis), 0, 1);
  struct Expected {
    int row, column;
    double overlap, kinetic, attraction;
  };
  for (const Expected& e : {Expected{0, 5, 0.148272778405, 0.079758734696, -5.021833766773},
                            {4, 6, 0.228759898974, 0.346625049370, -2.340222786807},
                            {2, 6, 0.140919855631, 0.213526724458, -1.363981587380},
                            {1, 5, 0.789922788206, 0.454568893929, -7.864107678617},
                            {3, 5, 0.353194526125, 0.531170708454, -3.245383876301}}) {
    const auto at = static_cast<std::size_t>(e.row * 7 + e.column);
    EXPECT_NEAR(one.overlap[at], e.overlap, 2e-12);
    EXPECT_NEAR(one.kinetic[at], e.kinetic, 2e-12);
    EXPECT_NEAR(one.attraction[at], e.attraction, 2e-11);
  }
}

TEST(OneElectron, PartsAddUpToTheWhole) {
  const Molecule molecule = skew_water();
  const Basis basis = normalised(molecule, "6-31g");
  const auto lists = lists_of(basis);
  const OneElectron whole = one_electron(basis, molecule, lists, 0, 1);
  OneElectron sum = one_electron(basis, molecule, lists, 0, 3);
  for (int part = 1; part < 3; ++part) {
    const OneElectron other = one_electron(basis, molecule, lists, part, 3);
    for (std::size_t i = 0; i < sum.kinetic.size(); ++i) sum.kinetic[i] += other.kinetic[i];
  }
  EXPECT_EQ(sum.kinetic, whole.kinetic);
}

TEST(Plan, HasEveryQuartetOnceWithoutScreening) {
  const Basis basis = normalised(acene(1, {1.397, 1.084}), "sto-3g");
  const Plan plan(basis, lists_of(basis), 0.0);
  const std::int64_t shells = 18, pairs = shells * (shells + 1) / 2;
  EXPECT_EQ(plan.quartets(), pairs * (pairs + 1) / 2);
  const Plan screened(basis, lists_of(basis), 1e-4);
  EXPECT_LT(screened.quartets(), plan.quartets());
}

TEST(Plan, SharesAreOfEveryTaskOnceAndEven) {
  const Basis basis = normalised(acene(2, {1.397, 1.084}), "sto-3g");
  const Plan plan(basis, lists_of(basis), 1e-10);
  std::vector<int> seen(plan.tasks().size(), 0);
  double largest = 0.0;
  for (const auto& share : plan.shares(7)) {
    double flops = 0.0;
    for (const int task : share) ++seen[task], flops += plan.tasks()[task].flops;
    largest = std::max(largest, flops);
  }
  EXPECT_EQ(seen, std::vector<int>(seen.size(), 1));
  EXPECT_LT(largest, 1.01 * plan.flops() / 7);
}

// Against sums over all four indices of the definition.
TEST(FockBuilder, IsItsDefinition) {
  const Molecule molecule = skew_water();
  const Basis basis = normalised(molecule, "sto-3g");
  const int n = basis.functions;
  const auto all = all_integrals(basis);
  const Matrix density = atomic_density(molecule, basis);
  const Plan plan(basis, lists_of(basis), 0.0);
  FockBuilder builder(basis, plan, 2);
  builder.set_density(density);
  std::vector<double> some(lanes * most_of_quartet);
  for (std::size_t i = 0; i < plan.tasks().size(); ++i) {
    const Task& task = plan.tasks()[i];
    FockBuilder::Adder& adder = builder.adder(static_cast<int>(i % 2));
    adder.begin(task);
    plan.for_each_batch(task, [&](int list, int batch, int count) {
      repulsion(plan.lists()[task.list], task.position, plan.lists()[list], batch, some.data());
      adder.add(list, batch, count, some.data());
    });
    adder.end();
  }
  Matrix fock;
  ASSERT_TRUE(builder.finish(builder.packed(), fock));
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) {
      double sum = 0.0;
      for (int c = 0; c < n; ++c)
        for (int d = 0; d < n; ++d)
          sum += density[c * n + d] *
                 (integral(all, {a, b, c, d}) - 0.5 * integral(all, {a, c, b, d}));
      EXPECT_NEAR(fock[a * n + b], sum, 1e-12) << a << " " << b;
    }
}

TEST(FockBuilder, NoticesWhatIsNotANumber) {
  const Basis basis = normalised(skew_water(), "sto-3g");
  const Plan plan(basis, lists_of(basis), 0.0);
  for (const double wrong : {std::nan(""), 1e9}) {
    FockBuilder builder(basis, plan, 1);
    builder.set_density(Matrix(49, wrong));
    std::vector<double> ones(lanes * most_of_quartet, 1.0);
    const Task& task = plan.tasks().front();
    builder.adder(0).begin(task);
    plan.for_each_batch(task, [&](int list, int batch, int count) {
      builder.adder(0).add(list, batch, count, ones.data());
    });
    builder.adder(0).end();
    Matrix fock;
    EXPECT_FALSE(builder.finish(builder.packed(), fock));
  }
}

TEST(AtomicDensity, HasTheElectronsOfTheAtoms) {
  for (const char* name : {"sto-3g", "6-31g"})
    for (int element = 1; element <= heaviest; ++element) {
      const Molecule atom{"atom", {{element, {0.1, 0.2, 0.3}}}, 0};
      const Basis basis = normalised(atom, name);
      const OneElectron one = one_electron(basis, atom, lists_of(basis), 0, 1);
      EXPECT_NEAR(contraction(atomic_density(atom, basis), one.overlap), element, 1e-9);
    }
}

void expect_refused(const std::string& text, const std::string& why) {
  try {
    require_closed_shell(parse_xyz(text, "file.xyz"));
    FAIL() << "accepted: " << text;
  } catch (const base::UserError& error) {
    EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    EXPECT_EQ(error.code(), base::ExitCode::usage);
  }
}

TEST(Xyz, SaysWhatIsWrong) {
  expect_refused("", "it is not the number of atoms");
  expect_refused("two\n\nH 0 0 0\nH 0 0 1\n", "it is not the number of atoms");
  expect_refused("3\n\nH 0 0 0\nH 0 0 1\n", "line 1 says 3 atoms, and 2 are there");
  expect_refused("1\n\nH 0 0 0\nH 0 0 1\n", "there are more than the 1 atoms");
  expect_refused("2\n\nH 0 0 0\nXx 0 0 1\n", "no basis for the element \"Xx\"");
  expect_refused("2\n\nH 0 0 0\nH 0 0\n", "no symbol and three numbers");
  expect_refused("2\n\nH 0 0 0\nH 0 0 nan\n", "\"nan\" is not a finite number");
  expect_refused("2\n\nH 0 0 0\nH 0 0 0.74A\n", "\"0.74A\" is not a finite number");
  expect_refused("2\n\nH 0 0 0\nH 0 0 7400\n", "is too far");
  expect_refused("2\n\nH 0 0 0\nH 0 0 0.05\n", "overlap");
  expect_refused("2\n\nN 0 0 0\nO 0 0 1.15\n", "has 15 electrons");
}

TEST(Xyz, ReadsWhatOthersWrite) {
  const Molecule water = parse_xyz(
      "3\r\n a comment\r\no 0 0 0\r\nH 0 .757 .587\r\n"
      "h 0 -.757 .587 ! more\r\n\r\n",
      "water.xyz");
  EXPECT_EQ(water.electrons(), 10);
  EXPECT_NEAR(water.nuclear_repulsion(), 9.1882584177, 1e-9);
}

}  // namespace
}  // namespace hakaru::apps::hartree_fock
