#include "apps/lattice_qcd/settings.hpp"

#include <fmt/format.h>

namespace hakaru::apps::lattice_qcd {
namespace {

Task task_of(const std::string& name) {
  return name == "operator"     ? Task::apply
         : name == "solver"     ? Task::solve
         : name == "propagator" ? Task::propagate
                                : Task::generate;
}

Precision precision_of(const std::string& name) {
  return name == "single"  ? Precision::single
         : name == "mixed" ? Precision::mixed
                           : Precision::twofold;
}

Extents by_axis(const base::Parameters& p, const std::string& before) {
  Extents values{};
  for (int axis = 0; axis < axes; ++axis)
    values[axis] = static_cast<int>(p.integer(before + axis_names[axis]));
  return values;
}

}  // namespace

Settings::Settings(const base::Parameters& p, const base::Layout& layout) {
  Repetition& r = repetition;
  const Division division = divide(by_axis(p, "n"), layout.ranks, by_axis(p, "ranks_"));
  refusal = division.refusal;
  r.task = task_of(p.text("task"));
  r.lattice = {by_axis(p, "n"), refusal.empty() ? division.ranks : Extents{1, 1, 1, 1}};
  SolverChoice& s = r.solver;
  s.method = p.text("solver") == "cg" ? Method::cg : Method::bicgstab;
  s.preconditioning =
      p.text("preconditioning") == "none" ? Preconditioning::none : Preconditioning::even_odd;
  s.precision = precision_of(p.text("precision"));
  s.kappa = p.real("kappa");
  s.boundary = p.text("boundary") == "periodic" ? Boundary::periodic : Boundary::antiperiodic;
  s.overlap = p.boolean("overlap");
  s.restart = p.integer("restart");
  r.iterations = p.integer("iterations");
  r.sweeps = p.integer("sweeps");
  r.over_relaxations = static_cast<int>(p.integer("over_relaxations"));
  configuration = p.text("configuration");
  save = p.text("save");
  start = !configuration.empty()      ? Start::file
          : p.text("start") == "cold" ? Start::cold
                                      : Start::random;
  update = {p.real("beta"), static_cast<std::uint64_t>(p.integer("seed")), r.over_relaxations};
  stop = {r.iterations, r.task == Task::propagate ? p.real("tolerance") : 0.0};
  if (refusal.empty() && r.task == Task::apply && s.precision == Precision::mixed)
    refusal = "precision=mixed is for solvers; give task=operator precision=single or double";
  if (refusal.empty() && !save.empty() && r.task != Task::generate)
    refusal = "only task=generate makes a configuration that can be saved; leave save empty";
}

void declare_parameters(base::Description& d) {
  for (const char* axis : axis_names)
    d.integer(std::string("n") + axis, 8, 2, 4096, "1", std::string("sites along ") + axis);
  for (const char* axis : axis_names)
    d.integer(std::string("ranks_") + axis, 0, 0, 4096, "1",
              fmt::format("ranks along {}; 0: those with the smallest faces", axis));
  d.choice("task", "solver", {"operator", "solver", "propagator", "generate"},
           "apply the operator; a fixed number of iterations of a solver; solve for 12 sources "
           "and correlate pions; generate gauge fields")
      .choice("start", "random", {"cold", "random"}, "links at first: all 1, or uniform in SU(3)")
      .text("configuration", "", "file of links to begin with, instead of start")
      .text("save", "", "file for the links that task=generate ends with")
      .real("kappa", 0.12, 0.0, 1.0, "1", "hopping parameter 1/(2 m + 8)")
      .choice("boundary", "antiperiodic", {"antiperiodic", "periodic"}, "of fermions in time")
      .choice("precision", "double", {"single", "double", "mixed"},
              "of operators and solvers; mixed: residuals in double")
      .choice("preconditioning", "even_odd", {"even_odd", "none"},
              "solve for the even sites alone, or for all")
      .choice("solver", "cg", {"cg", "bicgstab"},
              "conjugate gradients on the normal equations, or BiCGStab")
      .integer("iterations", 50, 1, 1'000'000'000, "1",
               "of a solver or applications of the operator; with task=propagator at most, for "
               "each source")
      .integer("restart", 100, 1, 1'000'000'000, "1",
               "iterations in single precision between residuals in double, with precision=mixed")
      .real("tolerance", 1e-10, 1e-15, 0.1, "1",
            "of the residual over the source, with task=propagator")
      .boolean("overlap", true, "compute the inside while messages are under way")
      .real("beta", 6.0, 0.1, 100.0, "1", "6/g^2 of the gauge action")
      .integer("sweeps", 10, 1, 1'000'000'000, "1", "of task=generate: one heat bath each")
      .integer("over_relaxations", 4, 0, 1000, "1", "after each heat bath")
      .integer("seed", 1, 0, 1'000'000'000, "1", "of all random numbers");
}

}  // namespace hakaru::apps::lattice_qcd
