#include "apps/sp/schedule.hpp"

#include "apps/sp/bundle.hpp"
#include "apps/sp/mover.hpp"
#include "apps/sp/solver.hpp"
#include "apps/sp/steps.hpp"
#include "native/parallel/slab_schedule.hpp"

namespace hakaru::apps::sp {
namespace {

using schedule::Collective;
using schedule::RankWriter;
using schedule::Work;

constexpr double word = sizeof(double);

struct Points {
  double all, inner;
};

// `read` and `written` count words a point; new_lines those written without having been read.
Work work_of(double points, double flops, double read, double written, double new_lines) {
  return {flops * points, (read + written) * word * points,
          (read + written + new_lines) * word * points};
}

Work reset_work(const Plan& plan, const Points& points) {
  const double arrays = plan.style == Style::direct && plan.ranks > 1 ? 2.0 : 1.0;
  return work_of(points.all, 0.0, 0.0, components * arrays, components * arrays);
}
Work primitives_work(const Points& points) {
  return work_of(points.all, primitive_flops, 5.0, 5.0, 5.0);
}
// State (and, published, the scalars) and the base are read, the update is written: in place but
// for x, whose base is the forcing.
Work differences_work(const Plan& plan, Axis axis, const Points& points) {
  const bool published = plan.style == Style::published;
  return work_of(points.inner, difference_flops + (published ? 0.0 : primitive_flops),
                 published ? 15.0 : 10.0, 5.0, axis == along_x ? 5.0 : 0.0);
}
// The update is read; direct: the state is read, and after z written instead of the update.
Work solve_work(const Plan& plan, Axis axis, const Points& points) {
  const bool published = plan.style == Style::published;
  const double added = !published && axis == along_z ? add_flops : 0.0;
  return work_of(points.inner, solve_flops[axis] + (published ? 0.0 : primitive_flops) + added,
                 10.0, 5.0, 0.0);
}
Work add_work(const Points& points) { return work_of(points.inner, add_flops, 10.0, 5.0, 0.0); }
// Differences, squares and sums; the exact solution is not counted.
Work norm_work(const Points& points) { return work_of(points.all, 15.0, 5.0, 0.0, 0.0); }

// Writes the steps of steps.hpp.
class Scribe {
 public:
  Scribe(const Plan& plan, RankWriter& writer) : plan_(plan), writer_(writer) {}

  void reset() { loop(phase::reset, reset_work(plan_, at(Layout::home))); }
  void primitives() { loop(phase::primitives, primitives_work(at(Layout::home))); }
  void differences(Axis axis) {
    loop(phase::differences, differences_work(plan_, axis, at(layout_of(plan_, axis))));
  }
  void solve(Axis axis) { loop(phase::solve, solve_work(plan_, axis, at(layout_of(plan_, axis)))); }
  void add() { loop(phase::add, add_work(at(Layout::home))); }
  void error_norm() { loop(phase::norm, norm_work(at(Layout::home)), 8 * components); }
  void move(Array array, Layout from, Layout to) {
    const Route route = route_of(slab_of(plan_, from), slab_of(plan_, to), plan_.style,
                                 static_cast<std::int64_t>(word) * width(array));
    writer_.phase(phase::move, [&] {
      writer_.collective(Collective::barrier, 0);
      parallel::write_slab(writer_, route, parallel::SlabMove::put, arrived);
      if (plan_.style == Style::published) writer_.collective(Collective::barrier, 0);
    });
  }
  template <typename Body>
  void repeat(std::int64_t times, const Body& body) {
    writer_.repeat(static_cast<std::uint64_t>(times), body);
  }

 private:
  Points at(Layout layout) const {
    const Slab slab = slab_of(plan_, layout);
    return {slab.points(writer_.rank()), slab.inner_points(writer_.rank())};
  }

  // `reduced`: bytes of a reduction at the end of the loop, or 0.
  void loop(const char* name, const Work& work, std::uint64_t reduced = 0) {
    writer_.phase(name, [&] {
      writer_.compute(work);
      if (reduced > 0) writer_.collective(Collective::allreduce, reduced);
    });
    if (plan_.style == Style::published)
      writer_.phase(phase::barrier, [&] { writer_.collective(Collective::barrier, 0); });
  }

  const Plan& plan_;
  RankWriter& writer_;
};

}  // namespace

harness::RankSchedule rank_schedule(const Plan& plan) {
  return [plan](RankWriter& writer) {
    Scribe scribe(plan, writer);
    repetition(plan, scribe);
  };
}

base::Work size_of(const Plan& plan) {
  base::Work work{static_cast<double>(plan.n), 0.0, {}};
  for (int l = 0; l < layouts; ++l)
    for (int a = 0; a < arrays; ++a) {
      const auto layout = static_cast<Layout>(l);
      const auto array = static_cast<Array>(a);
      if (used(plan, layout, array))
        work.memory_bytes += word * plan.ranks * width(array) *
                             static_cast<double>(slab_of(plan, layout).most_elements());
    }
  return work;
}

}  // namespace hakaru::apps::sp
