// Compressible flow on structured multi-block grids: SHUS fluxes, first order or MUSCL with
// SSP-RK3.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "apps/multiblock_flow/phases.hpp"
#include "apps/multiblock_flow/settings.hpp"
#include "apps/multiblock_flow/verify.hpp"
#include "native/base/atomic_file.hpp"
#include "native/base/clock.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::multiblock_flow {
namespace {

using base::Better;
using base::Layout;
using base::Parameters;
using base::PhaseKind;

constexpr double forever = std::numeric_limits<double>::infinity();

class MultiblockFlow final : public harness::Program {
 public:
  base::Description describe() const override {
    base::Description d("multiblock_flow",
                        "compressible flow on structured multi-block grids: SHUS fluxes");
    declare_parameters(d);
    d.preset("small", {{"nx", 48}, {"ny", 40}, {"nz", 12}, {"steps", 10}}, "milliseconds")
        .preset("paper",
                {{"nx", 357},
                 {"ny", 153},
                 {"nz", 51},
                 {"blocks_x", 7},
                 {"blocks_y", 3},
                 {"blocks_z", 1},
                 {"steps", 10}},
                "21 blocks of 51 x 51 x 51 cells, first order; a second")
        .preset("muscl", {{"nx", 128}, {"ny", 128}, {"nz", 32}, {"scheme", "muscl"}}, "seconds")
        .preset("files",
                {{"nx", 121},
                 {"ny", 121},
                 {"nz", 421},
                 {"blocks_x", 2},
                 {"blocks_y", 2},
                 {"blocks_z", 2},
                 {"steps", 1}},
                "the arrays of the published MPI-IO program; give output=FILE")
        .preset("long",
                {{"nx", 128}, {"ny", 128}, {"nz", 64}, {"scheme", "muscl"}, {"steps", 1500}},
                "ten minutes on one core", 2)
        .phase(phase::start, PhaseKind::compute, "copies the flow at first and finds its waves")
        .phase(phase::flux, PhaseKind::compute, "fluxes, their sums and the update of all cells")
        .phase(phase::boundary, PhaseKind::compute,
               "ghosts from blocks of the same rank and at the ends of the flow")
        .phase(phase::halo, PhaseKind::communicate, "ghosts from blocks of other ranks")
        .phase(phase::reduction, PhaseKind::communicate, "the largest wave of all ranks")
        .phase(phase::output, PhaseKind::io, "the solution to its file")
        .metric("rate", "1/s", Better::higher, "cells times stages of a time step, a second")
        .metric("written", "B/s", Better::higher, "solution over the time of its phase")
        .metric("time", "1", Better::higher, "of the flow, at the end")
        .verifies({}, "flows of its own: shock tube, vortex, contact, uniform flow")
        .size_meaning("number of cells");
    return d;
  }

  base::Work work(const Parameters& parameters, const Layout& layout) const override {
    const Settings s(parameters, layout);
    return {static_cast<double>(cells_of(s.repetition.topology)), memory_of(s.repetition), {}};
  }

  std::string refuse(const Parameters& parameters, const Layout& layout) const override {
    return Settings(parameters, layout).refusal;
  }

  harness::RankSchedule schedule(const Parameters& parameters,
                                 const Layout& layout) const override {
    return rank_schedule(Settings(parameters, layout).repetition);
  }

  void prepare(harness::Run& run) override {
    settings_.emplace(run.parameters(), run.layout());
    origin_ = {};
    timing_.emplace(run.phases());
    world_.emplace(parallel::Communicator::world());
    const Repetition& r = settings_->repetition;
    if (r.writes)
      base::require_writable(r.way == Way::split ? split_name(settings_->output, run.rank())
                                                 : settings_->output);
    solver_.emplace(*settings_->problem, r.division, r.scheme, settings_->cfl, *world_, *timing_);
    if (!settings_->restart.empty())
      origin_ = read_solution(settings_->restart, *solver_, r.division);
  }

  void repeat(harness::Run& run) override {
    const Repetition& r = settings_->repetition;
    const double begin = base::now_s();
    solver_->restart();
    for (std::int64_t i = 0; i < r.steps; ++i) solver_->step(forever);
    const double middle = base::now_s();
    const auto cells = static_cast<double>(cells_of(r.topology));
    if (r.steps > 0)
      run.metrics().add("rate", cells * static_cast<double>(r.steps) * stages_of(r.scheme) /
                                    std::max(middle - begin, 1e-12));
    run.metrics().add("time", solver_->time());
    if (!r.writes) return;
    {
      auto phase = timing_->in(timing_->output);
      write_solution(settings_->output, r.way, *solver_, r.division,
                     {origin_.steps + r.steps, solver_->time()});
    }
    run.metrics().add("written",
                      unknowns * sizeof(double) * cells / std::max(base::now_s() - middle, 1e-12));
  }

  void check(harness::Run&, base::Checks& checks) override { check_flow(*solver_, checks); }

  void verify(harness::Run& run, base::Checks& checks) override { verify_everything(run, checks); }

 private:
  std::optional<Settings> settings_;
  std::optional<Timing> timing_;
  std::optional<parallel::Communicator> world_;
  std::optional<Solver> solver_;
  Moment origin_;
};

}  // namespace
}  // namespace hakaru::apps::multiblock_flow

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<apps::multiblock_flow::MultiblockFlow>();
}
