// Electrons of a crystal in a light field: time-dependent density functional theory in real time
// and real space.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "apps/electrons/checkpoint.hpp"
#include "apps/electrons/ground_state_file.hpp"
#include "apps/electrons/phases.hpp"
#include "apps/electrons/response.hpp"
#include "apps/electrons/settings.hpp"
#include "apps/electrons/verify.hpp"
#include "apps/electrons/work.hpp"
#include "native/base/atomic_file.hpp"
#include "native/base/clock.hpp"
#include "native/base/require.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::electrons {
namespace {

using base::Better;
using base::PhaseKind;

class Electrons final : public harness::Program {
 public:
  base::Description describe() const override {
    base::Description d("electrons",
                        "electron dynamics in crystals: real-time TDDFT, 25-point stencil");
    declare_parameters(d);
    d.phase(phase::stencil, PhaseKind::compute,
            "Hamiltonian's local part with three of four Taylor updates")
        .phase(phase::update, PhaseKind::compute, "last Taylor update, copies of orbitals")
        .phase(phase::nonlocal, PhaseKind::compute, "separable pseudopotentials and their phases")
        .phase(phase::density, PhaseKind::compute,
               "density, Hartree potential, exchange-correlation")
        .phase(phase::current, PhaseKind::compute, "gradient and commutator of each orbital")
        .phase(phase::reduce, PhaseKind::communicate,
               "sum of density and current over the k-points")
        .phase(phase::exchange, PhaseKind::communicate, "field at neighbouring macroscopic points")
        .phase(phase::io, PhaseKind::io, "checkpoint");
    d.metric("step_s", "s", Better::lower, "mean time of a step")
        .metric("stencil_rate", "flop/s", Better::higher,
                "158 flops a point and application over the time in the phase stencil")
        .metric("rate", "flop/s", Better::higher, "the same over the time of the steps")
        .metric("stencil_share", "1", Better::higher, "part of the steps in the phase stencil")
        .metric("ground_state_s", "s", Better::lower, "time to find the ground state")
        .metric("iterations", "1", Better::lower, "of the ground state");
    d.table("ground_state", {{"name", "text"}, {"value", "1"}, {"unit", "text"}},
            "energies of the ground state")
        .table("history",
               {{"step", "1"},
                {"time", "fs"},
                {"vector_potential", "a.u."},
                {"electric_field", "a.u."},
                {"current_x", "a.u."},
                {"current_y", "a.u."},
                {"current_z", "a.u."},
                {"electrons", "1"},
                {"work", "hartree"}},
               "each step of the last repetition, first macroscopic point; particle current")
        .table("energies",
               {{"step", "1"},
                {"time", "fs"},
                {"energy", "hartree"},
                {"absorbed", "hartree"},
                {"unexplained", "hartree"}},
               "total energy of the cell, what it has absorbed, and what of that is not the "
               "field's work")
        .table("dielectric",
               {{"energy", "eV"}, {"real", "1"}, {"imaginary", "1"}, {"conductivity", "a.u."}},
               "dielectric function after an impulse, real part of the conductivity")
        .table("film", {{"cell", "1"}, {"place", "bohr"}, {"vector_potential", "a.u."}},
               "field along the film at the end");
    return d.size_meaning("grid points of all orbitals");
  }

  base::Parameters complete(const base::Parameters& given) const override {
    return effective(given);
  }

  std::string refuse(const base::Parameters& p, const base::Layout& layout) const override {
    const Settings settings = settings_of(p);
    return electrons::refuse(scale_of(settings, layout).layout);
  }

  base::Work work(const base::Parameters& p, const base::Layout& layout) const override {
    return size_of(scale_of(settings_of(p), layout));
  }

  harness::RankSchedule schedule(const base::Parameters& p,
                                 const base::Layout& layout) const override {
    return rank_schedule(scale_of(settings_of(p), layout));
  }

  void require_schedule(const base::Parameters& p) const override {
    base::require(settings_of(p).restart.empty(), "electrons has no schedule with restart",
                  "what it reads depends on the file", "leave restart out");
  }

  void prepare(harness::Run& run) override {
    world_.emplace(parallel::Communicator::world());
    simulation_.emplace(settings_of(run.parameters()), *world_, Clock(run.phases()));
    const Settings& settings = simulation_->settings();
    if (!settings.checkpoint.empty()) base::require_writable(settings.checkpoint);
    listen_for_signal();
    if (settings.waves || !settings.restart.empty()) return;
    const Kept kept = kept_in(settings.ground_state);
    const bool write = kept != Kept::ground_state && !settings.ground_state.empty();
    if (write) base::require_writable(settings.ground_state);
    const double start = base::now_s();
    find_ground_state(run, kept != Kept::nothing, write);
    ground_state_s_ = base::now_s() - start;
    if (write) write_ground_state(settings.ground_state, *simulation_, state_, *world_);
    edges_ = state_.edges(simulation_->system().crystal.occupied(), simulation_->group());
  }

  void repeat(harness::Run& run) override {
    const Settings& settings = simulation_->settings();
    const auto& seconds = run.phases().seconds();
    const int stencil = run.phases().index(phase::stencil);
    begin(run);
    const double stencil_before = seconds[stencil], start = base::now_s();
    int done = 0;
    while (done < settings.steps && sound()) {
      const int i = ++done;
      simulation_->step(asked_by_signal());
      if (i == settings.steps) simulation_->close();
      if (!sound()) break;  // what is wrong replaces no checkpoint
      const bool last = i == settings.steps && !settings.checkpoint.empty();
      const bool asked = simulation_->signalled() && !settings.checkpoint.empty();
      if (last || asked || settings.checkpoint_after(i)) {
        auto phase = run.phases().scope(phase::io);
        write_checkpoint(settings.checkpoint, *simulation_, *world_);
      }
      if (settings.steps >= 100 && i % std::max(1, settings.steps / 100) == 0)
        report(run, i, (base::now_s() - start) / i);
    }
    const double spent = world_->maximum(base::now_s() - start);
    if (done > 0) add_metrics(run, done, spent, seconds[stencil] - stencil_before);
  }

  void check(harness::Run& run, base::Checks& checks) override {
    write_tables(run);
    check_run(*simulation_, checks);
    simulation_.reset();
    state_ = {};
  }

  void verify(harness::Run& run, base::Checks& checks) override {
    verify_all({run.damaged(), run.parameters().text("verification") == "full"},
               parallel::Communicator::world(), checks);
  }

 private:
  void find_ground_state(harness::Run& run, bool read, bool write) {
    GroundStateOptions options;
    options.extra_bands = simulation_->settings().extra_bands;
    GroundState from;
    if (read) from = read_ground_state(simulation_->settings().ground_state, *simulation_);
    state_ = simulation_->find_ground_state(options, std::move(from), [&](const GroundState& now) {
      run.progress(double(now.iterations) / options.most_iterations,
                   fmt::format("ground state: {:.8f} hartree, density changes by {:.1e}",
                               now.energy, now.density_change));
      if (write && !now.converged) keep_search(now);
    });
    base::require_environment(
        state_.converged, "the ground state was not found",
        fmt::format("after {} iterations the density still changes by {:.1e} electrons",
                    state_.iterations, state_.density_change),
        "choose a finer grid (a metal cannot be treated), or more extra_bands");
  }

  // Other groups of ranks do the same search; a signal to them is heeded at the first step.
  void keep_search(const GroundState& now) {
    if (simulation_->layout().group_of(world_->rank()) != 0) return;
    const Settings& settings = simulation_->settings();
    const int interval = settings.ground_state_interval;
    const bool asked = !simulation_->group().all(!asked_by_signal());
    if (asked || (interval > 0 && now.iterations % interval == 0))
      write_search(settings.ground_state, *simulation_, now, *world_);
  }

  void begin(harness::Run& run) {
    const Settings& settings = simulation_->settings();
    if (settings.restart.empty())
      return simulation_->begin(settings.waves ? nullptr : &state_.orbitals);
    auto phase = run.phases().scope(phase::io);
    read_checkpoint(settings.restart, *simulation_, *world_);
  }

  void report(harness::Run& run, int step, double seconds_of_step) {
    const int steps = simulation_->settings().steps;
    run.progress(double(step) / steps, fmt::format("step {} of {}, {:.0f} s left", step, steps,
                                                   seconds_of_step * (steps - step)));
  }

  // False when the energy has left its balance: there is no use in going on. Groups of ranks watch
  // points of their own; they cannot stop alone, and the check at the end finds it.
  bool sound() const {
    return simulation_->settings().waves || simulation_->layout().groups > 1 ||
           simulation_->watch().holds();
  }

  void add_metrics(harness::Run& run, int steps, double spent, double in_stencil) {
    const Settings& settings = simulation_->settings();
    const double flops = steps * stencil_flops_of_step(scale_of(settings, run.layout()));
    run.metrics().add("step_s", spent / steps);
    run.metrics().add("rate", flops / spent);
    run.metrics().add("stencil_rate", flops / std::max(in_stencil, 1e-12));
    run.metrics().add("stencil_share", in_stencil / spent);
    if (settings.waves || !settings.restart.empty()) return;
    run.metrics().add("ground_state_s", ground_state_s_);
    run.metrics().add("iterations", state_.iterations);
  }

  void write_tables(harness::Run& run) {
    const Settings& settings = simulation_->settings();
    if (!settings.waves && settings.restart.empty()) {
      auto& table = run.table("ground_state");
      const double atoms = double(settings.system.crystal.atoms.size());
      table.row({"energy of the cell", state_.energy, "hartree"});
      table.row({"energy an atom", state_.energy / atoms, "hartree"});
      table.row({"highest occupied state", edges_.first * hartree_ev, "eV"});
      table.row({"gap at these k-points", (edges_.second - edges_.first) * hartree_ev, "eV"});
    }
    const auto& history = simulation_->history();
    const double initial = history.front().energy;
    for (std::size_t i = 0; i < history.size(); ++i) {
      const Moment& m = history[i];
      const double fs = m.time * time_unit_fs;
      run.table("history").row(
          {i, fs, m.a, m.electric, m.current[0], m.current[1], m.current[2], m.electrons, m.work});
      const double absorbed = m.energy - initial;
      if (std::isfinite(m.energy))
        run.table("energies").row({i, fs, m.energy, absorbed, absorbed - m.work});
    }
    if (settings.field.kind == Field::Kind::impulse) write_dielectric(run);
    if (Maxwell* maxwell = simulation_->maxwell()) write_film(run, *maxwell);
  }

  void write_dielectric(harness::Run& run) {
    const Settings& settings = simulation_->settings();
    std::vector<double> currents, energies;
    for (const Moment& m : simulation_->history())
      currents.push_back(m.current[settings.field.direction]);
    for (double ev = 0.05; ev <= settings.energy_max * hartree_ev + 1e-9; ev += 0.05)
      energies.push_back(ev / hartree_ev);
    for (const ResponsePoint& p : response(currents, settings.propagator.dt, settings.field.impulse,
                                           settings.geometry == Geometry::longitudinal, energies))
      run.table("dielectric")
          .row({p.energy * hartree_ev, p.dielectric.real(), p.dielectric.imag(),
                p.conductivity.real()});
  }

  // Cells of the first group of ranks.
  void write_film(harness::Run& run, const Maxwell& maxwell) {
    const std::vector<double> cells = maxwell.cells();
    const Film& film = simulation_->settings().film;
    for (std::size_t i = 0; i < cells.size(); ++i)
      run.table("film").row(
          {i, (double(i) + maxwell.first_cell() - film.before) * film.spacing, cells[i]});
  }

  // The program is made before MPI starts and outlives it.
  std::optional<parallel::Communicator> world_;
  std::optional<Simulation> simulation_;
  GroundState state_;
  std::pair<double, double> edges_;
  double ground_state_s_ = 0.0;
};

}  // namespace
}  // namespace hakaru::apps::electrons

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<apps::electrons::Electrons>();
}
