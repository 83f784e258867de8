// Heat in a rod: the smallest complete app. Copy this folder to start a new one.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "native/base/share.hpp"
#include "native/harness/program.hpp"
#include "native/parallel/communicator.hpp"

namespace hakaru::apps::template_app {
namespace {

using base::Better;
using base::PhaseKind;

namespace phase {
constexpr const char *halo = "halo", *diffuse = "diffuse";
}

// Cells of a rod on this rank, with one halo cell on each side.
struct Rod {
  std::int64_t cells, first, count;
  std::vector<double> now, next;

  Rod(std::int64_t cells_, int rank, int ranks)
      : cells(cells_),
        first(base::share_of(cells, rank, ranks).first),
        count(base::share_of(cells, rank, ranks).count),
        now(count + 2),
        next(count + 2) {
    for (std::int64_t i = 0; i < count; ++i)
      now[i + 1] = std::sin(std::numbers::pi * (first + i + 1) / (cells + 1));
  }
};

constexpr double courant = 0.25;  // dt / dx^2; stable below 0.5

void exchange_halo(Rod& rod, const parallel::Communicator& world) {
  const int left = world.rank() > 0 ? world.rank() - 1 : MPI_PROC_NULL;
  const int right = world.rank() + 1 < world.size() ? world.rank() + 1 : MPI_PROC_NULL;
  HAKARU_MPI(MPI_Sendrecv(&rod.now[1], 1, MPI_DOUBLE, left, 0, &rod.now[rod.count + 1], 1,
                          MPI_DOUBLE, right, 0, world.handle(), MPI_STATUS_IGNORE));
  HAKARU_MPI(MPI_Sendrecv(&rod.now[rod.count], 1, MPI_DOUBLE, right, 1, &rod.now[0], 1, MPI_DOUBLE,
                          left, 1, world.handle(), MPI_STATUS_IGNORE));
}

// u_i += (dt / dx^2) (u_{i-1} - 2 u_i + u_{i+1})
void diffuse(Rod& rod) {
  const double* now = rod.now.data();
  double* next = rod.next.data();
#pragma omp parallel for
  for (std::int64_t i = 1; i <= rod.count; ++i)
    next[i] = now[i] + courant * (now[i - 1] - 2.0 * now[i] + now[i + 1]);
  std::swap(rod.now, rod.next);
}

class TemplateApp final : public harness::Program {
 public:
  base::Description describe() const override {
    base::Description d("template_app", "heat in a rod, explicit finite differences");
    d.integer("cells", 100'000, 1, 1'000'000'000'000, "1", "cells of the rod")
        .integer("steps", 100, 1, 1'000'000'000, "1", "time steps of a repetition")
        .preset("small", {{"cells", 1000}, {"steps", 50}}, "milliseconds")
        .preset("long", {{"cells", 20'000}, {"steps", 40'000'000}}, "ten minutes on one core", 2)
        .phase(phase::halo, PhaseKind::communicate, "exchange of one cell with both neighbours")
        .phase(phase::diffuse, PhaseKind::compute, "the stencil")
        .metric("rate", "flop/s", Better::higher, "stencil operations per second of wall time")
        .verifies({"cells", "steps"}, "the run that is asked for against the exact decay")
        .size_meaning("cells");
    return d;
  }

  base::Work work(const base::Parameters& parameters, const base::Layout&) const override {
    const double cells = static_cast<double>(parameters.integer("cells"));
    return {cells, 2.0 * 8.0 * cells, {}};
  }

  std::string refuse(const base::Parameters& parameters,
                     const base::Layout& layout) const override {
    return parameters.integer("cells") < layout.ranks ? "each rank needs at least one cell" : "";
  }

  harness::RankSchedule schedule(const base::Parameters& parameters,
                                 const base::Layout& layout) const override {
    const std::int64_t cells = parameters.integer("cells"), steps = parameters.integer("steps");
    const int ranks = layout.ranks;
    return [=](schedule::RankWriter& writer) {
      const int rank = writer.rank();
      const auto count = static_cast<double>(base::share_of(cells, rank, ranks).count);
      const int left = rank > 0 ? rank - 1 : -1, right = rank + 1 < ranks ? rank + 1 : -1;
      writer.repeat(static_cast<std::uint64_t>(steps), [&] {
        writer.phase(phase::halo, [&] {
          writer.send_receive(left, 8, right, 8, 0);
          writer.send_receive(right, 8, left, 8, 1);
        });
        writer.phase(phase::diffuse, [&] {
          writer.compute({5.0 * count, 16.0 * count, 24.0 * count});
        });
      });
    };
  }

  void repeat(harness::Run& run) override {
    const auto world = parallel::Communicator::world();
    const int halo = run.phases().index(phase::halo), stencil = run.phases().index(phase::diffuse);
    Rod rod(run.parameters().integer("cells"), world.rank(), world.size());
    steps_ = run.parameters().integer("steps");
    for (std::int64_t step = 0; step < steps_; ++step) {
      {
        auto phase = run.phases().scope(halo);
        exchange_halo(rod, world);
      }
      auto phase = run.phases().scope(stencil);
      diffuse(rod);
    }
    result_ = std::move(rod);
    const double seconds = run.phases().seconds()[halo] + run.phases().seconds()[stencil];
    run.metrics().add("rate", 5.0 * result_->cells * steps_ / std::max(seconds, 1e-12));
  }

  void check(harness::Run&, base::Checks& checks) override { check_decay(checks); }

  void verify(harness::Run& run, base::Checks& checks) override {
    repeat(run);
    if (run.damaged()) result_->now[1] += 1e-3;
    check_decay(checks);
  }

 private:
  // The sine mode of the discrete equation decays by exactly 1 - 4 (dt/dx^2) sin^2(pi dx / 2) each
  // step.
  void check_decay(base::Checks& checks) const {
    const double dx = 1.0 / static_cast<double>(result_->cells + 1);
    const double half = std::sin(0.5 * std::numbers::pi * dx);
    const double steps = static_cast<double>(steps_);
    // As exp(log1p): 1 - 10^-8 is rounded, and a power of a million steps shows it.
    const double decay = std::exp(steps * std::log1p(-4.0 * courant * half * half));
    double worst = 0.0;
    for (std::int64_t i = 0; i < result_->count; ++i) {
      const double exact = decay * std::sin(std::numbers::pi * dx * (result_->first + i + 1));
      worst = std::max(worst, std::abs(result_->now[i + 1] - exact));
    }
    checks.at_most(
        "distance from the exact solution", parallel::Communicator::world().maximum(worst),
        std::max(1e-12, 4.4e-16 * steps) * std::max(decay, 1e-300),
        "a step shrinks an error as it does the mode or more, so that roundings of a few "
        "operations add up");
  }

  std::int64_t steps_ = 0;
  std::optional<Rod> result_;
};

}  // namespace
}  // namespace hakaru::apps::template_app

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<apps::template_app::TemplateApp>();
}
