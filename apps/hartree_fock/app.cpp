// Restricted Hartree-Fock in Gaussian bases: ab initio molecular orbitals.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "apps/hartree_fock/calculation.hpp"
#include "apps/hartree_fock/phases.hpp"
#include "apps/hartree_fock/schedule.hpp"
#include "apps/hartree_fock/verify.hpp"
#include "native/base/atomic_file.hpp"
#include "native/base/clock.hpp"
#include "native/base/require.hpp"
#include "native/base/system.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::hartree_fock {
namespace {

using base::Better;
using base::PhaseKind;

void declare_phases(base::Description& d) {
  d.phase(phase::normalise, PhaseKind::compute, "norms of the basis functions")
      .phase(phase::one_electron, PhaseKind::compute, "overlap, kinetic energy, attraction")
      .phase(phase::pairs, PhaseKind::compute,
             "pairs of shells, their Schwarz bounds, the order of work")
      .phase(phase::two_electron, PhaseKind::compute,
             "repulsion integrals; with integrals=direct also their sums")
      .phase(phase::io, PhaseKind::io, "file of integrals, checkpoint")
      .phase(phase::fock, PhaseKind::compute, "Fock matrix from kept integrals")
      .phase(phase::scf, PhaseKind::compute, "matrix products and orbitals, on the first rank")
      .phase(phase::exchange, PhaseKind::communicate,
             "sum of Fock matrices, the next density to all");
}

void declare_results(base::Description& d) {
  d.metric("integral_rate", "1/s", Better::higher,
           "repulsion integrals of all ranks over the time of their phase on the first")
      .metric("iterations", "1", Better::lower, "of the SCF")
      .metric("iteration_s", "s", Better::lower, "mean time of an iteration");
  d.table("energies", {{"name", "text"}, {"value", "1"}, {"unit", "text"}}, "of the molecule")
      .table("history",
             {{"iteration", "1"}, {"energy", "hartree"}, {"change", "1"}, {"residual", "hartree"}},
             "total energy, largest change of the density, largest element of FPS - SPF")
      .table("orbitals", {{"orbital", "1"}, {"energy", "hartree"}, {"electrons", "1"}},
             "of the last Fock matrix")
      .table("charges", {{"atom", "1"}, {"element", "text"}, {"charge", "e"}}, "Mulliken's");
}

class HartreeFock final : public harness::Program {
 public:
  base::Description describe() const override {
    base::Description d("hartree_fock",
                        "restricted Hartree-Fock for molecules: Gaussian s and p functions");
    declare_parameters(d);
    declare_phases(d);
    declare_results(d);
    d.verifies({}, "28 molecules and bases against PySCF, and each way of keeping integrals");
    return d.size_meaning("basis functions");
  }

  std::string refuse(const base::Parameters& p, const base::Layout&) const override {
    require_basis(settings_of(p));
    return "";
  }

  base::Work work(const base::Parameters& p, const base::Layout& layout) const override {
    return size_of(settings_of(p), *counts(p, layout.ranks), layout);
  }

  harness::RankSchedule schedule(const base::Parameters& p,
                                 const base::Layout& layout) const override {
    return rank_schedule(settings_of(p), counts(p, layout.ranks));
  }

  void require_schedule(const base::Parameters& p) const override {
    const Settings settings = settings_of(p);
    base::require(settings.iterations > 0, "hartree_fock has no schedule with iterations=0",
                  "how many iterations the molecule takes is not known before", "give a number");
    base::require(!settings.dynamic, "hartree_fock has no schedule with balance=dynamic",
                  "which rank computes what depends on time", "take balance=static");
    base::require(settings.restart.empty(), "hartree_fock has no schedule with restart",
                  "it reads a file that is not there yet", "leave restart out");
  }

  void prepare(harness::Run& run) override {
    world_.emplace(parallel::Communicator::world());
    settings_ = settings_of(run.parameters());
    if (!settings_.checkpoint.empty()) base::require_writable(settings_.checkpoint);
    scratch_ = scratch_name(settings_.scratch, *world_);
    if (settings_.keeping == Keeping::disk && world_->rank() == 0) base::require_writable(scratch_);
    integrals_ = double(counts(run.parameters(), run.layout().ranks)->integrals);
    require_memory();
  }

  void repeat(harness::Run& run) override {
    const auto& seconds = run.phases().seconds();
    const int phase = run.phases().index(phase::two_electron);
    const double before = seconds[phase], start = base::now_s();
    double first = 0.0;
    const int expected =
        settings_.iterations > 0 ? settings_.iterations : settings_.most_iterations;
    result_ = Calculation(settings_, scratch_, *world_, run.phases())
                  .run([&](int iteration, const Step& step) {
                    if (iteration == 1) first = base::now_s();
                    run.progress(double(iteration) / expected,
                                 fmt::format("iteration {}: {:.8f} hartree, density changes by "
                                             "{:.1e}",
                                             iteration, step.energy, step.change));
                  });
    const double end = base::now_s();
    const auto iterations = double(result_.history.size());
    const double times = settings_.keeping == Keeping::direct ? iterations : 1.0;
    const double spent = std::max(seconds[phase] - before, 1e-12);
    run.metrics().add("integral_rate", times * integrals_ / spent);
    run.metrics().add("iterations", iterations);
    run.metrics().add("iteration_s",
                      iterations > 1 ? (end - first) / (iterations - 1) : end - start);
  }

  void check(harness::Run& run, base::Checks& checks) override {
    write_tables(run);
    check_result(settings_, result_, checks);
  }

  void verify(harness::Run& run, base::Checks& checks) override {
    verify_all(run, parallel::Communicator::world(), checks);
  }

 private:
  std::shared_ptr<const Counts> counts(const base::Parameters& p, int ranks) const {
    const std::string key = p.to_json().dump() + fmt::format(" {}", ranks);
    if (key != counted_) {
      counts_ = count(settings_of(p), ranks);
      counted_ = key;
    }
    return counts_;
  }

  void require_memory() const {
    if (settings_.keeping != Keeping::memory) return;
    const auto host = world_->split_shared();
    const double needed = 8.0 * integrals_ * host.size() / world_->size();
    const bool enough = world_->all(needed < base::available_memory_bytes());
    base::require_environment(
        enough, "the integrals do not fit into the memory",
        fmt::format("{:.3g} of them take {:.1f} GB a host", integrals_, needed / 1e9),
        "take integrals=disk or integrals=direct, or more hosts");
  }

  void write_tables(harness::Run& run) {
    const Matrix& p = result_.density;
    const double total = result_.history.back().energy;
    const double kinetic = expectation(p, result_.one_electron.kinetic);
    const double attraction = expectation(p, result_.one_electron.attraction);
    auto& energies = run.table("energies");
    energies.row({"total energy", total, "hartree"});
    energies.row({"repulsion of the nuclei", result_.nuclear, "hartree"});
    energies.row({"kinetic energy", kinetic, "hartree"});
    energies.row({"attraction by the nuclei", attraction, "hartree"});
    energies.row({"repulsion and exchange of electrons",
                  total - result_.nuclear - kinetic - attraction, "hartree"});
    energies.row({"virial ratio", virial_ratio(settings_, result_), "1"});
    energies.row({"functions", result_.functions(), "1"});
    energies.row({"repulsion integrals", integrals_, "1"});
    for (std::size_t i = 0; i < result_.history.size(); ++i) {
      const Step& step = result_.history[i];
      run.table("history").row({i + 1, step.energy, step.change, step.residual});
    }
    const auto pairs = static_cast<std::size_t>(settings_.molecule.electrons() / 2);
    for (std::size_t i = 0; i < result_.orbital_energies.size(); ++i)
      run.table("orbitals").row({i + 1, result_.orbital_energies[i], i < pairs ? 2 : 0});
    const std::vector<double> charges = mulliken_charges(settings_, result_);
    for (std::size_t i = 0; i < charges.size(); ++i)
      run.table("charges").row({i + 1, symbol_of(settings_.molecule.atoms[i].element), charges[i]});
  }

  std::optional<parallel::Communicator> world_;
  Settings settings_;
  std::string scratch_;
  double integrals_ = 0.0;
  Result result_;
  mutable std::string counted_;
  mutable std::shared_ptr<const Counts> counts_;
};

}  // namespace
}  // namespace hakaru::apps::hartree_fock

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<apps::hartree_fock::HartreeFock>();
}
