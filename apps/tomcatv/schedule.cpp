#include "apps/tomcatv/schedule.hpp"

#include "apps/tomcatv/strip.hpp"

namespace hakaru::apps::tomcatv {
namespace {

using schedule::Collective;
using schedule::RankWriter;
using schedule::Work;

constexpr double word = sizeof(double);

// Two coordinates copied.
Work reset_work(double points) { return {0.0, 4.0 * word * points, 6.0 * word * points}; }
// Two coordinates read, two coefficients and two residuals written.
Work residual_work(double inner) {
  return {residual_flops * inner, 6.0 * word * inner, 10.0 * word * inner};
}
// Forward: coefficients and residuals read, residuals and a pivot written. Backward: residuals, a
// coefficient, a pivot and coordinates read, residuals and coordinates written. Only the pivot's
// line is not there already.
Work solve_work(double inner) {
  return {solve_flops * inner, 17.0 * word * inner, 18.0 * word * inner};
}

// Writes the steps of plan.hpp.
class Scribe {
 public:
  Scribe(const Plan& plan, RankWriter& writer)
      : plan_(plan), columns_{plan.n, plan.ranks}, writer_(writer) {
    const auto rows = static_cast<double>(plan.n);
    points_ = rows * static_cast<double>(columns_.count(writer.rank()));
    inner_ = (rows - 2.0) * static_cast<double>(columns_.inner(writer.rank()));
  }

  void reset() {
    writer_.phase(phase::reset, [&] { writer_.compute(reset_work(points_)); });
  }
  void residual() { loop(phase::residual, residual_work(inner_)); }
  void solve() { loop(phase::solve, solve_work(inner_)); }
  void maxima() {
    writer_.phase(phase::maxima, [&] {
      const int reductions = plan_.style == Style::published ? 2 : 1;
      for (int i = 0; i < reductions; ++i)
        writer_.collective(Collective::allreduce, reductions == 2 ? 8 : 16);
    });
  }
  void exchange(int count, int) {
    const int rank = writer_.rank(), left = columns_.left(rank), right = columns_.right(rank);
    const auto bytes = static_cast<std::uint64_t>(plan_.n) * 8;
    writer_.phase(phase::halo, [&] {
      if (plan_.style == Style::published) writer_.collective(Collective::barrier, 0);
      for (int coordinate = 0; coordinate < count; ++coordinate)
        for (const int neighbour : {left, right})
          if (neighbour >= 0) writer_.put(neighbour, bytes, {0, 1, plan_.n});
      const int expected = count * ((left >= 0) + (right >= 0));
      if (expected > 0) writer_.flag_wait(1, static_cast<std::uint64_t>(expected));
      if (plan_.style == Style::published) writer_.collective(Collective::barrier, 0);
    });
  }
  template <typename Body>
  void repeat(std::int64_t times, const Body& body) {
    writer_.repeat(static_cast<std::uint64_t>(times), body);
  }

 private:
  void loop(const char* name, const Work& work) {
    writer_.phase(name, [&] { writer_.compute(work); });
    if (plan_.style == Style::published)
      writer_.phase(phase::barrier, [&] { writer_.collective(Collective::barrier, 0); });
  }

  const Plan& plan_;
  Columns columns_;
  RankWriter& writer_;
  double points_, inner_;
};

}  // namespace

harness::RankSchedule rank_schedule(const Plan& plan) {
  return [plan](RankWriter& writer) {
    Scribe scribe(plan, writer);
    repetition(plan, scribe);
  };
}

base::Work size_of(const Plan& plan) {
  const double n = static_cast<double>(plan.n), ranks = plan.ranks;
  return {n, 9.0 * word * n * static_cast<double>(Columns{plan.n, plan.ranks}.pitch()) * ranks, {}};
}

}  // namespace hakaru::apps::tomcatv
