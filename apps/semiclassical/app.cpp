// Semiclassical dynamics: autocorrelations of wave packets by Herman-Kluk, from trajectories with
// their stability matrices.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "apps/semiclassical/checkpoint.hpp"
#include "apps/semiclassical/ensemble.hpp"
#include "apps/semiclassical/schedule.hpp"
#include "apps/semiclassical/verify.hpp"
#include "native/base/atomic_file.hpp"
#include "native/base/clock.hpp"
#include "native/base/require.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::semiclassical {
namespace {

using base::Better;
using base::PhaseKind;

class Semiclassical final : public harness::Program {
 public:
  base::Description describe() const override {
    base::Description d("semiclassical",
                        "semiclassical dynamics: Herman-Kluk autocorrelations from trajectories");
    declare_parameters(d);
    d.phase(phase::start, PhaseKind::compute, "initial conditions, and what is beside the others")
        .phase(phase::force, PhaseKind::compute, "potential with two derivatives, q, p and action")
        .phase(phase::products, PhaseKind::compute, "products of the stability matrix")
        .phase(phase::prefactor, PhaseKind::compute, "determinants of Herman and Kluk")
        .phase(phase::correlation, PhaseKind::compute, "overlaps, energies and their sums")
        .phase(phase::reduction, PhaseKind::communicate, "sums over all ranks")
        .phase(phase::io, PhaseKind::io, "checkpoint")
        .metric("steps", "1/s", Better::higher, "steps of a trajectory")
        .metric("products", "flop/s", Better::higher,
                "operations of all ranks in the matrix products over their time on the first rank")
        .metric("energy", "1", Better::lower, "largest relative change of a trajectory's energy")
        .metric("lost", "1", Better::lower, "share of the trajectories that are lost at the end");
    d.table("correlation",
            {{"time", "1"}, {"real", "1"}, {"imaginary", "1"}, {"deviation", "1"}, {"lost", "1"}},
            "<0|exp(-iHt/hbar)|0>, the standard deviation of its magnitude, lost trajectories");
    d.verifies({},
               "integrator, stability matrices, determinants and correlations of small systems");
    return d.size_meaning("degrees of freedom");
  }

  base::Work work(const base::Parameters& p, const base::Layout& layout) const override {
    return size_of(settings_of(p, false), layout);
  }

  harness::RankSchedule schedule(const base::Parameters& p, const base::Layout&) const override {
    return rank_schedule(settings_of(p, false));
  }

  void require_schedule(const base::Parameters& p) const override {
    base::require(p.text("restart").empty(), "semiclassical has no schedule with restart",
                  "how much is done already stands in a file", "leave restart out");
  }

  void prepare(harness::Run& run) override {
    world_.emplace(parallel::Communicator::world());
    settings_ = settings_of(run.parameters(), true);
    if (!settings_.checkpoint.empty()) base::require_writable(settings_.checkpoint);
    begin_.emplace(settings_.restart.empty() ? Sums(settings_)
                                             : read_checkpoint(settings_.restart, settings_));
  }

  void repeat(harness::Run& run) override {
    const auto& seconds = run.phases().seconds();
    const int products = run.phases().index(phase::products);
    const double before = seconds[products], start = base::now_s();
    const auto all = static_cast<double>(settings_.trajectories);
    sums_.emplace(Ensemble(settings_, *world_, run.phases()).run(*begin_, [&](const Sums& sums) {
      run.progress(static_cast<double>(sums.done) / all, fmt::format("{} trajectories", sums.done));
    }));
    const double steps =
        static_cast<double>(settings_.trajectories - begin_->done) * double(settings_.steps);
    run.metrics().add("steps", steps / std::max(base::now_s() - start, 1e-12));
    run.metrics().add("products", steps * products_flops(settings_.model) /
                                      std::max(seconds[products] - before, 1e-12));
    run.metrics().add("energy", sums_->worst_energy);
    run.metrics().add("lost", sums_->lost(settings_.outputs() - 1) / all);
  }

  void check(harness::Run& run, base::Checks& checks) override {
    for (std::int64_t i = 0; i < settings_.outputs(); ++i) {
      const std::complex<double> value = sums_->correlation(i);
      run.table("correlation")
          .row({settings_.dt * double(i * settings_.interval), value.real(), value.imag(),
                sums_->deviation(i), sums_->lost(i)});
    }
    check_ensemble(settings_, *sums_, checks);
  }

  void verify(harness::Run& run, base::Checks& checks) override {
    verify_all(run, parallel::Communicator::world(), checks);
  }

 private:
  std::optional<parallel::Communicator> world_;
  Settings settings_;
  std::optional<Sums> begin_, sums_;
};

}  // namespace
}  // namespace hakaru::apps::semiclassical

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<apps::semiclassical::Semiclassical>();
}
