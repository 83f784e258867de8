#include "apps/sp/schedule.hpp"

#include <cmath>
#include <map>

#include "apps/sp/bundle.hpp"
#include "apps/sp/solver.hpp"
#include "apps/sp/steps.hpp"

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

// Hands the work of each loop and the moves to a recipient.
template <typename Recipient>
class Loops {
 public:
  Loops(const Plan& plan, const Points& home, const Points& turned, const Points& crossed,
        Recipient recipient)
      : plan_(plan), points_{home, turned, crossed}, recipient_(std::move(recipient)) {}

  void reset() { recipient_.loop(phase::reset, reset_work(plan_, at(Layout::home)), 0); }
  void primitives() { recipient_.loop(phase::primitives, primitives_work(at(Layout::home)), 0); }
  void differences(Axis axis) {
    recipient_.loop(phase::differences, differences_work(plan_, axis, at(layout_of(plan_, axis))),
                    0);
  }
  void solve(Axis axis) {
    recipient_.loop(phase::solve, solve_work(plan_, axis, at(layout_of(plan_, axis))), 0);
  }
  void add() { recipient_.loop(phase::add, add_work(at(Layout::home)), 0); }
  void error_norm() { recipient_.loop(phase::norm, norm_work(at(Layout::home)), 8 * components); }
  void move(Array array, Layout from, Layout to) {
    recipient_.move({slab_of(plan_, from), slab_of(plan_, to), plan_.style,
                     static_cast<std::int64_t>(word) * width(array)});
  }
  template <typename Body>
  void repeat(std::int64_t times, const Body& body) {
    recipient_.repeat(times, body);
  }

 private:
  const Points& at(Layout layout) const { return points_[static_cast<std::size_t>(layout)]; }

  const Plan& plan_;
  std::array<Points, layouts> points_;
  Recipient recipient_;
};

struct Scribe {
  const Plan& plan;
  RankWriter& writer;

  // `reduced`: bytes of a reduction at the end of the loop, or 0.
  void loop(const char* name, const Work& work, std::uint64_t reduced) {
    writer.phase(name, [&] {
      writer.compute(work);
      if (reduced > 0) writer.collective(Collective::allreduce, reduced);
    });
    if (plan.style == Style::published)
      writer.phase(phase::barrier, [&] { writer.collective(Collective::barrier, 0); });
  }
  void move(const Route& route) {
    writer.phase(phase::move, [&] {
      writer.collective(Collective::barrier, 0);
      for (int k = 1; k <= plan.ranks; ++k) {
        const int peer = (writer.rank() + k) % plan.ranks;
        visit_pair(route, writer.rank(), peer, [&](const Transfer& t) {
          writer.put(peer, static_cast<std::uint64_t>(t.bytes()), {0, 1, t.items});
        });
      }
      writer.flag_wait(1, static_cast<std::uint64_t>(received(route, writer.rank())));
      if (plan.style == Style::published) writer.collective(Collective::barrier, 0);
    });
  }
  template <typename Body>
  void repeat(std::int64_t times, const Body& body) {
    writer.repeat(static_cast<std::uint64_t>(times), body);
  }
};

// Adds up over all ranks.
struct Counter {
  const Plan& plan;
  std::map<std::string, base::PhaseWork>& phases;
  double times = 1.0;

  base::PhaseWork& of(const char* name) {
    base::PhaseWork& work = phases[name];
    work.phase = name;
    work.calls += times * plan.ranks;
    return work;
  }
  void loop(const char* name, const Work& part, std::uint64_t reduced) {
    base::PhaseWork& work = of(name);
    work.flops += times * part.flops;
    work.bytes += times * part.bytes;
    work.bytes_write_allocate += times * part.bytes_write_allocate;
    if (reduced == 0) return;
    const double messages = plan.ranks * std::ceil(std::log2(plan.ranks));
    work.messages += messages;
    work.message_bytes += messages * static_cast<double>(reduced);
  }
  void move(const Route& route) {
    base::PhaseWork& work = of(phase::move);
    for (int rank = 0; rank < plan.ranks; ++rank)
      work.messages += times * static_cast<double>(sent(route, rank));
    const double points = static_cast<double>(plan.n * plan.n * plan.n);
    work.message_bytes += times * points * static_cast<double>(route.element);
  }
  template <typename Body>
  void repeat(std::int64_t count, const Body& body) {
    times = static_cast<double>(count);
    body();
    times = 1.0;
  }
};

Points points_of(const Plan& plan, Layout layout, int rank) {
  const Slab slab = slab_of(plan, layout);
  return {slab.points(rank), slab.inner_points(rank)};
}

}  // namespace

harness::RankSchedule rank_schedule(const Plan& plan) {
  return [plan](RankWriter& writer) {
    const int rank = writer.rank();
    Loops<Scribe> loops(plan, points_of(plan, Layout::home, rank),
                        points_of(plan, Layout::turned, rank),
                        points_of(plan, Layout::crossed, rank), {plan, writer});
    repetition(plan, loops);
  };
}

base::Work total_work(const Plan& plan) {
  const double n = static_cast<double>(plan.n), inner = n - 2.0;
  const Points whole{n * n * n, inner * inner * inner};
  std::map<std::string, base::PhaseWork> phases;
  Loops<Counter> loops(plan, whole, whole, whole, {plan, phases});
  repetition(plan, loops);
  base::Work work{n, 0.0, {}};
  for (const auto& [name, phase] : phases) work.phases.push_back(phase);
  for (int l = 0; l < layouts; ++l)
    for (int a = 0; a < arrays; ++a) {
      const auto layout = static_cast<Layout>(l);
      const auto array = static_cast<Array>(a);
      if (used(plan, layout, array))
        work.memory_bytes +=
            word * plan.ranks * width(array) * static_cast<double>(slab_of(plan, layout).most());
    }
  return work;
}

}  // namespace hakaru::apps::sp
