// Lattice QCD with Wilson fermions: the operator, solvers, pion correlators, and gauge fields by
// heat bath.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "apps/lattice_qcd/configuration.hpp"
#include "apps/lattice_qcd/phases.hpp"
#include "apps/lattice_qcd/settings.hpp"
#include "apps/lattice_qcd/simulation.hpp"
#include "apps/lattice_qcd/verify.hpp"
#include "native/base/atomic_file.hpp"
#include "native/base/clock.hpp"
#include "native/base/require.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::lattice_qcd {
namespace {

using base::Better;
using base::Layout;
using base::Parameters;
using base::PhaseKind;

class LatticeQcd final : public harness::Program {
 public:
  base::Description describe() const override {
    base::Description d("lattice_qcd",
                        "lattice QCD: Wilson fermions, Krylov solvers, gauge fields by heat bath");
    declare_parameters(d);
    d.preset("small", {{"nt", 16}, {"iterations", 20}}, "a tenth of a second")
        .preset("memory", {{"nx", 16}, {"ny", 16}, {"nz", 16}, {"nt", 32}, {"iterations", 50}},
                "exceeds most caches; seconds")
        .preset("gauge", {{"task", "generate"}, {"sweeps", 60}}, "some seconds")
        .preset("long", {{"task", "generate"}, {"sweeps", 1500}}, "ten minutes on one core", 2)
        .phase(phase::start, PhaseKind::compute, "writes the links of the beginning")
        .phase(phase::hopping, PhaseKind::compute, "the Wilson operator")
        .phase(phase::halo, PhaseKind::communicate, "half spinors to and from neighbours")
        .phase(phase::vectors, PhaseKind::compute, "updates and local sums of the solvers")
        .phase(phase::reduction, PhaseKind::communicate, "sums over all ranks")
        .phase(phase::links, PhaseKind::compute, "heat bath and over-relaxation")
        .phase(phase::link_halo, PhaseKind::communicate, "links to and from neighbours")
        .phase(phase::plaquette, PhaseKind::compute, "traces of plaquettes")
        .metric("rate", "flop/s", Better::higher,
                "1320 operations a site of the hopping term over the time of the repetition")
        .metric("links", "1/s", Better::higher, "updates of a link; of task=generate alone")
        .metric("iterations", "1", Better::lower, "of the solver")
        .metric("residual", "1", Better::lower, "|b - W x| / |b|, recomputed in double precision")
        .metric("plaquette", "1", Better::higher,
                "mean over the second half of the sweeps; of task=generate alone")
        .table("plaquettes", {{"sweep", "1"}, {"plaquette", "1"}},
               "mean plaquette after each sweep of the last repetition")
        .table("pion", {{"time", "1"}, {"correlator", "1"}},
               "pion correlator, summed over space, of the last repetition")
        .verifies({}, "a lattice of 4 x 4 x 4 x 12 sites: operator, solvers, gauge fields")
        .size_meaning("fourth root of the number of sites");
    return d;
  }

  base::Work work(const Parameters& parameters, const Layout& layout) const override {
    const Settings s(parameters, layout);
    const double sites = static_cast<double>(s.repetition.lattice.sites());
    const double links = 2 * 4 * 144.0 * sites;  // the field and its copy
    const double word = s.repetition.solver.precision == Precision::single ? 12.0 : 8.0;
    const double fermions = word * (site_link_numbers + 8.0 * spinor_numbers) * sites;
    return {
        std::pow(sites, 0.25), links + (s.repetition.task == Task::generate ? 0.0 : fermions), {}};
  }

  std::string refuse(const Parameters& parameters, const Layout& layout) const override {
    return Settings(parameters, layout).refusal;
  }

  harness::RankSchedule schedule(const Parameters& parameters,
                                 const Layout& layout) const override {
    return rank_schedule(Settings(parameters, layout).repetition);
  }

  void require_schedule(const Parameters& parameters) const override {
    base::require(parameters.text("task") != "propagator",
                  "lattice_qcd has no schedule with task=propagator",
                  "how many iterations a solver needs is not known before",
                  "give task=solver and the number of iterations");
  }

  void prepare(harness::Run& run) override {
    const auto& p = run.parameters();
    settings_.emplace(p, run.layout());
    timing_.emplace(run.phases());
    world_.emplace(parallel::Communicator::world());
    const Repetition& r = settings_->repetition;
    if (!settings_->save.empty()) base::require_writable(settings_->save);
    initial_.emplace(Place(r.lattice, run.rank()), *world_);
    origin_ = {settings_->update.beta, 0};
    if (settings_->start == Start::file)
      origin_ = read_configuration(settings_->configuration, *initial_);
    else if (settings_->start == Start::cold)
      start_cold(*initial_);
    else
      start_random(*initial_, settings_->update.seed);
    if (r.task == Task::generate)
      gauge_.emplace(*initial_);
    else if (r.task == Task::apply && r.solver.precision == Precision::single)
      single_.emplace(*initial_, r.solver, *timing_, settings_->update.seed);
    else if (r.task == Task::apply)
      twofold_.emplace(*initial_, r.solver, *timing_, settings_->update.seed);
    else
      prepare_solver(r.solver);
  }

  void repeat(harness::Run& run) override {
    const double begin = base::now_s();
    const double done = repetition(run);
    const double elapsed_s = std::max(base::now_s() - begin, 1e-12);
    const bool generates = settings_->repetition.task == Task::generate;
    run.metrics().add(generates ? "links" : "rate", done / elapsed_s);
  }

  void check(harness::Run& run, base::Checks& checks) override {
    const Repetition& r = settings_->repetition;
    if (r.task == Task::generate) {
      check_generated(*gauge_, r.sweeps, settings_->update.beta, plaquettes_, checks);
      if (!settings_->save.empty())
        write_configuration(settings_->save, *gauge_,
                            {settings_->update.beta, origin_.sweeps + r.sweeps});
      return;
    }
    if (r.task == Task::apply) {
      check_adjoint(*initial_, r.solver, *timing_, checks);
      return;
    }
    const double limit = r.task == Task::propagate ? 10.0 * settings_->stop.tolerance : 1.0;
    checks.at_most("residual, recomputed in double precision", residual_, limit,
                   r.task == Task::propagate
                       ? "the tolerance, and what the recursion's residual is from the true one"
                       : "a residual no larger than the source after any number of iterations");
    if (r.task == Task::propagate && run.rank() == 0)
      for (std::size_t t = 0; t < correlator_.size(); ++t)
        run.table("pion").row({t, correlator_[t]});
  }

  void verify(harness::Run& run, base::Checks& checks) override { verify_everything(run, checks); }

 private:
  void prepare_solver(const SolverChoice& choice) {
    solver_.emplace(*initial_, choice, *timing_);
    b_ = solver_->field();
    x_ = solver_->field();
    fill_random(b_, solver_->wilson(), settings_->update.seed);
  }

  // What was done: operations of the hopping term, or updates of links.
  double repetition(harness::Run& run) {
    const Repetition& r = settings_->repetition;
    const double sites = static_cast<double>(r.lattice.sites());
    if (r.task == Task::generate) return generate(run);
    if (r.task == Task::apply) {
      for (std::int64_t i = 0; i < r.iterations; ++i)
        single_ ? single_->apply() : twofold_->apply();
      return hopping_flops * sites * static_cast<double>(r.iterations);
    }
    std::int64_t iterations = 0;
    if (r.task == Task::propagate) {
      Propagation result = propagate(*solver_, settings_->stop, *timing_);
      iterations = result.iterations;
      residual_ = result.worst_residual;
      correlator_ = std::move(result.correlator);
    } else {
      const Solution solution = solver_->solve(b_, x_, settings_->stop);
      iterations = solution.iterations;
      residual_ = solution.residual;
    }
    run.metrics().add("iterations", static_cast<double>(iterations));
    run.metrics().add("residual", residual_);
    return hopping_flops * sites * 2.0 * static_cast<double>(iterations);
  }

  double generate(harness::Run& run) {
    const Repetition& r = settings_->repetition;
    {
      auto phase = timing_->in(timing_->start);
      *gauge_ = *initial_;
    }
    plaquettes_.clear();
    run.table("plaquettes").clear();
    for (std::int64_t i = 0; i < r.sweeps; ++i) {
      const auto number = static_cast<std::uint64_t>(origin_.sweeps + i);
      sweep(*gauge_, settings_->update, number, *timing_);
      plaquettes_.push_back(timed_plaquette(*gauge_, *timing_));
      run.table("plaquettes").row({origin_.sweeps + i + 1, plaquettes_.back()});
    }
    run.metrics().add("plaquette", mean_of_second_half(plaquettes_).mean);
    return 4.0 * static_cast<double>(r.lattice.sites() * r.sweeps * (1 + r.over_relaxations));
  }

  std::optional<Settings> settings_;
  std::optional<Timing> timing_;
  std::optional<parallel::Communicator> world_;
  std::optional<GaugeField> initial_, gauge_;
  Origin origin_;
  std::optional<Application<float>> single_;
  std::optional<Application<double>> twofold_;
  std::optional<Solver> solver_;
  Spinors<double> b_, x_;
  double residual_ = 0.0;
  std::vector<double> plaquettes_, correlator_;
};

}  // namespace
}  // namespace hakaru::apps::lattice_qcd

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<apps::lattice_qcd::LatticeQcd>();
}
