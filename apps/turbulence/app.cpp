// Direct numerical simulation of turbulence in a periodic box by the Fourier spectral method.
#include <cmath>
#include <optional>

#include "apps/turbulence/baseline.hpp"
#include "apps/turbulence/canonical.hpp"
#include "apps/turbulence/checkpoint.hpp"
#include "apps/turbulence/diagnostics.hpp"
#include "apps/turbulence/initial.hpp"
#include "apps/turbulence/phases.hpp"
#include "apps/turbulence/schedule.hpp"
#include "apps/turbulence/verify.hpp"
#include "apps/turbulence/work.hpp"
#include "native/base/atomic_file.hpp"
#include "native/base/clock.hpp"
#include "native/base/require.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::turbulence {
namespace {

using base::Better;
using base::PhaseKind;

// Steps between looks at the flow; a look takes about a fiftieth of a step.
constexpr std::int64_t watch_interval = 100;
constexpr std::size_t most_rows = 10'000;  // of the history in a record, but for the end

parallel::TransposeMethod method_of(const base::Parameters& p) {
  return p.text("transposition") == "put" ? parallel::TransposeMethod::put
                                          : parallel::TransposeMethod::alltoall;
}

Scale scale_of(const base::Parameters& p, const base::Layout& layout) {
  return {static_cast<int>(p.integer("n")),
          static_cast<int>(p.integer("steps")),
          p.boolean("forcing"),
          !p.text("checkpoint").empty(),
          layout.ranks,
          layout.threads};
}

Settings settings_of(const base::Parameters& p, int threads) {
  Settings settings;
  settings.n = static_cast<int>(p.integer("n"));
  settings.nu = p.real("nu");
  settings.dt = p.real("dt");
  settings.forced = p.boolean("forcing");
  settings.method = method_of(p);
  const std::string& plan = p.text("plan");
  settings.rigor = plan == "estimate"  ? Rigor::estimate
                   : plan == "measure" ? Rigor::measure
                                       : Rigor::patient;
  settings.threads = threads;
  return settings;
}

class Turbulence final : public harness::Program {
 public:
  base::Description describe() const override {
    base::Description d("turbulence", "turbulence in a periodic box, Fourier spectral method");
    d.integer("n", 64, 8, 8192, "1", "grid points in each direction; even, factors 2, 3, 5, 7")
        .integer("steps", 10, 1, 1'000'000'000, "1", "time steps of a repetition")
        .real("nu", 0.01, 0.0, 1e6, "1",
              "kinematic viscosity (box of side 2 pi); Taylor-Green: 1/Re")
        .real("dt", 0.005, 0.0, 1e3, "1", "time step")
        .choice("flow", "taylor_green", {"taylor_green", "abc", "random"}, "initial velocity field")
        .integer("seed", 1, 0, 1'000'000'000, "1", "seed of flow=random")
        .real("peak", 3.0, 0.5, 1000.0, "1", "wavenumber where the spectrum of flow=random peaks")
        .boolean("forcing", false, "negative viscosity in |k| < 2.5 that keeps the energy constant")
        .choice("transposition", "alltoall", {"alltoall", "put"},
                "MPI_Alltoall, or MPI_Put between fences")
        .choice("plan", "measure", {"estimate", "measure", "patient"},
                "effort of FFTW's planner; estimate gives the same bits in every run")
        .text("checkpoint", "", "file to write after the last step")
        .text("restart", "", "checkpoint to start from instead of `flow`")
        .choice("baseline", "none", {"none", "own", "fftw", "both"},
                "after each step, time its 72 transforms alone")
        .choice("verification", "quick", {"quick", "full"},
                "full: adds Taylor-Green at 64^3 up to t = 10");
    d.preset("small", {{"n", 32}, {"steps", 10}, {"plan", "estimate"}},
             "well below a second, and the same bits in every run")
        .preset("taylor_green_100", {{"n", 64}, {"steps", 500}, {"nu", 0.01}, {"dt", 0.02}},
                "Taylor-Green vortex at Re = 100 up to t = 10, checked against known values")
        .preset("published",
                {{"n", 256},
                 {"steps", 100},
                 {"nu", 0.00011},
                 {"dt", 0.0004},
                 {"flow", "random"},
                 {"forcing", true}},
                "the published experiment's constants at 256^3")
        .preset("long",
                {{"n", 32},
                 {"steps", 100'000},
                 {"nu", 0.01},
                 {"dt", 0.01},
                 {"flow", "random"},
                 {"forcing", true}},
                "ten minutes on one core", 1);
    d.phase(phase::fft, PhaseKind::compute, "one-dimensional transforms of lines")
        .phase(phase::pointwise, PhaseKind::compute,
               "curl, phase shifts, cross product, projection, time stage")
        .phase(phase::pack, PhaseKind::compute,
               "copies between the transposition buffers and the cache")
        .phase(phase::transpose, PhaseKind::communicate, "global transpositions")
        .phase(phase::reduce, PhaseKind::communicate, "sums over all ranks for energy and forcing")
        .phase(phase::io, PhaseKind::io, "checkpoint")
        .phase(phase::baseline, PhaseKind::compute,
               "transforms alone, when asked for; no part of a step");
    d.metric("step_s", "s", Better::lower, "mean time of a step, baselines excluded")
        .metric("rate_540", "flop/s", Better::higher,
                "540 n^3 log2 n per step over the time of a step")
        .metric("rate_459", "flop/s", Better::higher,
                "459 n^3 log2 n per step over the time of a step")
        .metric("transforms_s", "s", Better::lower, "72 transforms alone by the step's own plans")
        .metric("step_over_transforms", "1", Better::lower, "step_s / transforms_s")
        .metric("fftw_s", "s", Better::lower,
                "72 transforms alone by FFTW's three-dimensional plans")
        .metric("step_over_fftw", "1", Better::lower, "step_s / fftw_s")
        .metric("reynolds_lambda", "1", Better::higher, "Taylor-scale Reynolds number at the end");
    d.table("history",
            {{"step", "1"},
             {"time", "1"},
             {"energy", "1"},
             {"enstrophy", "1"},
             {"dissipation", "1"},
             {"transfer", "1"}},
            "start of each step of the last repetition (of up to 10,000 of them), and its end")
        .table("spectrum", {{"k", "1"}, {"energy", "1"}}, "E(k) at the end, shells of width 1")
        .table("diagnostics", {{"name", "text"}, {"value", "1"}}, "the flow at the end")
        .table("digest", {{"step", "1"}, {"digest", "text"}}, "hash of all modes at the end");
    d.verifies({"transposition", "plan", "checkpoint", "verification"},
               "flows with known solutions on 24 to 64 points");
    return d.size_meaning("grid points per direction");
  }

  std::string refuse(const base::Parameters& p, const base::Layout& layout) const override {
    const std::string grid = Grid::refuse(p.integer("n"), layout.ranks);
    if (!grid.empty()) return grid;
    const std::string& baseline = p.text("baseline");
    if ((baseline == "fftw" || baseline == "both") && layout.ranks * layout.threads > 1)
      return "baseline=" + baseline + " uses FFTW's serial transforms";
    return "";
  }

  base::Work work(const base::Parameters& p, const base::Layout& layout) const override {
    return size_of(scale_of(p, layout));
  }

  harness::RankSchedule schedule(const base::Parameters& p,
                                 const base::Layout& layout) const override {
    return rank_schedule(scale_of(p, layout), method_of(p));
  }

  void require_schedule(const base::Parameters& p) const override {
    base::require(
        p.text("baseline") == "none",
        "turbulence has no schedule with baseline=" + p.text("baseline"),
        "the transforms alone are no part of the simulation and their work is not counted",
        "leave baseline=none");
  }

  void prepare(harness::Run& run) override {
    const auto& p = run.parameters();
    world_.emplace(parallel::Communicator::world());
    if (!p.text("checkpoint").empty()) base::require_writable(p.text("checkpoint"));
    solver_.emplace(settings_of(p, run.layout().threads), *world_, Clock(run.phases()));
    initial_.emplace(solver_->grid());
    start_ = {};
    if (!p.text("restart").empty())
      start_ = read_checkpoint(p.text("restart"), solver_->grid(), *initial_, *world_);
    else
      set_flow(p.text("flow"), solver_->grid(), *initial_, p.integer("seed"), p.real("peak"),
               *world_);
    const std::string& baseline = p.text("baseline");
    if (baseline == "own" || baseline == "both") own_.emplace(*solver_);
    if (baseline == "fftw" || baseline == "both") fftw_.emplace(solver_->settings().n);
  }

  void repeat(harness::Run& run) override {
    const auto& p = run.parameters();
    const std::int64_t steps = p.integer("steps");
    const int io = run.phases().index(phase::io);
    history_.clear();
    double step_s = 0.0, own_s = 0.0, fftw_s = 0.0;
    solver_->begin(*initial_);
    for (std::int64_t step = 0; step < steps; ++step) {
      step_s -= base::now_s();
      history_.push_back(step == 0 ? solver_->step(*initial_) : solver_->step());
      step_s += base::now_s();
      if ((step + 1) % watch_interval == 0)
        require_sound(solver_->grid(), solver_->velocity(), solver_->enstrophy(),
                      start_.step + step + 1);
      own_s += time_baseline(run, own_);
      fftw_s += time_baseline(run, fftw_);
      if (steps >= 100 && step % (steps / 100) == 0) run.progress(double(step) / steps, "steps");
    }
    history_.push_back({solver_->energy(), solver_->enstrophy(), 0.0, 0.0});
    end_ = {start_.step + steps, start_.time + static_cast<double>(steps) * p.real("dt")};
    if (!p.text("checkpoint").empty()) {
      auto phase = run.phases().scope(io);
      write_checkpoint(p.text("checkpoint"), solver_->grid(), solver_->velocity(), end_,
                       p.real("nu"), *world_);
    }
    add_metrics(run, world_->maximum(step_s) / steps, world_->maximum(own_s) / steps,
                world_->maximum(fftw_s) / steps);
  }

  void check(harness::Run& run, base::Checks& checks) override {
    const Spectrum spectrum = spectrum_of(solver_->grid(), solver_->velocity(), *world_);
    const Diagnostics diagnostics = diagnose(*solver_, solver_->velocity(), spectrum);
    write_tables(run, spectrum, diagnostics);
    check_run({*solver_, history_, start_.time,
               run.parameters().text("restart").empty() ? run.parameters().text("flow") : "restart",
               *initial_},
              diagnostics, checks);
    own_.reset();
    solver_.reset();
  }

  void verify(harness::Run& run, base::Checks& checks) override {
    Settings settings = settings_of(run.parameters(), run.layout().threads);
    verify_all({settings, run.damaged(), run.parameters().text("verification") == "full",
                run.parameters().text("checkpoint")},
               parallel::Communicator::world(), checks);
  }

 private:
  template <typename Baseline>
  double time_baseline(harness::Run& run, std::optional<Baseline>& baseline) {
    if (!baseline) return 0.0;
    auto phase = run.phases().scope(phase::baseline);
    const double start = base::now_s();
    baseline->run();
    return base::now_s() - start;
  }

  void add_metrics(harness::Run& run, double step_s, double own_s, double fftw_s) {
    auto& metrics = run.metrics();
    const int n = solver_->settings().n;
    metrics.add("step_s", step_s);
    metrics.add("rate_540", conventional_flops(n) / step_s);
    metrics.add("rate_459", radix4_flops(n) / step_s);
    if (own_)
      metrics.add("transforms_s", own_s), metrics.add("step_over_transforms", step_s / own_s);
    if (fftw_) metrics.add("fftw_s", fftw_s), metrics.add("step_over_fftw", step_s / fftw_s);
  }

  void write_tables(harness::Run& run, const Spectrum& spectrum, const Diagnostics& d) {
    const double dt = solver_->settings().dt, nu = solver_->settings().nu;
    const auto row = [&](std::size_t i) {
      run.table("history").row({start_.step + std::int64_t(i), start_.time + double(i) * dt,
                                history_[i].energy, history_[i].enstrophy,
                                2.0 * nu * history_[i].enstrophy, history_[i].transfer});
    };
    const std::size_t last = history_.size() - 1, stride = 1 + last / most_rows;
    for (std::size_t i = 0; i < last; i += stride) row(i);
    row(last);
    for (std::size_t k = 0; k < spectrum.shell_energy.size(); ++k)
      run.table("spectrum").row({k, spectrum.shell_energy[k]});
    const std::pair<const char*, double> values[] = {{"energy", d.energy},
                                                     {"enstrophy", d.enstrophy},
                                                     {"dissipation", d.dissipation},
                                                     {"velocity_rms", d.velocity_rms},
                                                     {"taylor_microscale", d.taylor_microscale},
                                                     {"reynolds_lambda", d.reynolds_lambda},
                                                     {"integral_scale", d.integral_scale},
                                                     {"turnover_time", d.turnover_time},
                                                     {"kolmogorov_scale", d.kolmogorov_scale},
                                                     {"resolution", d.resolution},
                                                     {"skewness", d.skewness},
                                                     {"courant", d.courant}};
    for (const auto& [name, value] : values)
      if (std::isfinite(value)) run.table("diagnostics").row({name, value});
    if (std::isfinite(d.reynolds_lambda)) run.metrics().add("reynolds_lambda", d.reynolds_lambda);
    run.table("digest").row({end_.step, digest(solver_->grid(), solver_->velocity(), *world_)});
  }

  // The program is made before MPI starts and outlives it.
  std::optional<parallel::Communicator> world_;
  std::optional<Solver> solver_;
  std::optional<State> initial_;
  std::optional<OwnBaseline> own_;
  std::optional<FftwBaseline> fftw_;
  std::vector<StepRecord> history_;
  Moment start_, end_;
};

}  // namespace
}  // namespace hakaru::apps::turbulence

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<apps::turbulence::Turbulence>();
}
