#include "apps/ft/schedule.hpp"

#include <cmath>
#include <map>

#include "apps/ft/steps.hpp"
#include "apps/ft/transform.hpp"

namespace hakaru::apps::ft {
namespace {

using schedule::Collective;
using schedule::RankWriter;
using schedule::Work;

constexpr double element = sizeof(Complex);

// Work of one rank's loops. One real random number is scaled by one multiplication.
Work fill_work(double points) { return {2.0 * points, element * points, 2.0 * element * points}; }
Work clear_work(double points) { return {0.0, element * points, 2.0 * element * points}; }
// In place, so that written lines are there already.
Work transform_work(const Slab& slab, int rank, Axis axis) {
  const double bytes = 2.0 * element * slab.points(rank);
  return {transform_flops(slab, rank, axis), bytes, bytes};
}
// A factor of two, and a complex number multiplied by it.
Work evolve_work(double points) {
  return {3.0 * points, 2.0 * element * points, 3.0 * element * points};
}
// Terms of the checksum that lie on a rank: one complex addition each.
Work checksum_work(const Slab& slab, int rank) {
  double terms = 0.0;
  const Range rows = slab.range(rank, along_y), planes = slab.range(rank, along_z);
  for (std::int64_t j = 1; j <= checksum_terms; ++j) {
    const std::int64_t y = 3 * j % slab.grid.n[along_y] - rows.first;
    const std::int64_t z = 5 * j % slab.grid.n[along_z] - planes.first;
    terms += y >= 0 && y < rows.count && z >= 0 && z < planes.count;
  }
  return {2.0 * terms, element * terms, element * terms};
}

// Writes the steps of steps.hpp.
class Scribe {
 public:
  Scribe(const Plan& plan, RankWriter& writer) : plan_(plan), writer_(writer) {}

  void initial_values(Array array) { loop(phase::set_up, fill_work(points(array))); }
  void exponents() { loop(phase::set_up, {}); }
  void clear(Array array) { loop(phase::set_up, clear_work(points(array))); }
  void transform(Array array, Axis axis, Direction) {
    loop(phase::transform, transform_work(slab_of(plan_, array), writer_.rank(), axis));
  }
  void evolve(std::int64_t) { loop(phase::evolve, evolve_work(points(Array::spectrum))); }
  void checksum(std::int64_t, Array array) {
    writer_.phase(phase::checksum, [&] {
      writer_.compute(checksum_work(slab_of(plan_, array), writer_.rank()));
      const int parts = plan_.checksum_parts();
      if (parts == 1) writer_.collective(Collective::allreduce, 16);
      for (int i = 0; parts > 1 && i < 2 * parts; ++i) writer_.collective(Collective::allreduce, 8);
    });
    end_loop();
  }
  template <typename Body>
  void repeat(std::int64_t times, const Body& body) {
    writer_.repeat(static_cast<std::uint64_t>(times), [&] { body(1); });
  }

  void move(Array from, Array to) { transposition(from, to, false); }
  void fetch(Array from, Array to) { transposition(from, to, true); }

 private:
  double points(Array array) const { return slab_of(plan_, array).points(writer_.rank()); }

  void loop(const char* name, const Work& work) {
    writer_.phase(name, [&] {
      if (work.bytes > 0.0) writer_.compute(work);
    });
    end_loop();
  }
  void end_loop() {
    if (plan_.style == Style::published)
      writer_.phase(phase::barrier, [&] { writer_.collective(Collective::barrier, 0); });
  }

  void transposition(Array from, Array to, bool fetched) {
    const Route route{slab_of(plan_, from), slab_of(plan_, to), plan_.style};
    const int rank = writer_.rank(), ranks = plan_.ranks;
    writer_.phase(phase::transposition, [&] {
      if (plan_.method == Method::alltoall) {
        const double block = element * plan_.grid.points() / ranks / ranks;
        writer_.collective(Collective::alltoall, static_cast<std::uint64_t>(block));
        return;
      }
      writer_.collective(Collective::barrier, 0);
      for (int k = 1; k <= ranks; ++k) {
        const int peer = (rank + k) % ranks;
        visit_pair(route, fetched ? peer : rank, fetched ? rank : peer, [&](const Transfer& t) {
          const auto bytes = static_cast<std::uint64_t>(t.bytes());
          if (fetched)
            writer_.get(peer, bytes, {0, 1, t.items});
          else
            writer_.put(peer, bytes, {0, 1, t.items});
        });
      }
      writer_.flag_wait(1, static_cast<std::uint64_t>(received(route, rank)));
      if (plan_.style == Style::published) writer_.collective(Collective::barrier, 0);
    });
  }

  const Plan& plan_;
  RankWriter& writer_;
};

// Adds up the steps over all ranks: shares are counted as one, the messages of transpositions
// follow from the planes.
class Counter {
 public:
  explicit Counter(const Plan& plan) : plan_(plan), whole_{plan.grid, along_z, 1} {}

  void initial_values(Array) { add(phase::set_up, fill_work(points())); }
  void exponents() {}
  void clear(Array) { add(phase::set_up, clear_work(points())); }
  void transform(Array, Axis axis, Direction) {
    add(phase::transform, transform_work(whole_, 0, axis));
  }
  void evolve(std::int64_t) { add(phase::evolve, evolve_work(points())); }
  void checksum(std::int64_t, Array) {
    add(phase::checksum, checksum_work(whole_, 0));
    const double rounds = plan_.ranks * std::ceil(std::log2(plan_.ranks));
    const double reductions = plan_.checksum_parts() == 1 ? 1.0 : 2.0 * plan_.checksum_parts();
    add_messages(phase::checksum, rounds * reductions, 16.0 * plan_.checksum_parts() * rounds);
  }
  template <typename Body>
  void repeat(std::int64_t times, const Body& body) {
    times_ = static_cast<double>(times);
    body(1);
    times_ = 1.0;
  }
  void move(Array from, Array to) {
    const double bytes = element * points(), ranks = plan_.ranks;
    if (plan_.method == Method::alltoall)
      return add_messages(phase::transposition, ranks * (ranks - 1.0),
                          bytes * (ranks - 1.0) / ranks);
    const Route route{slab_of(plan_, from), slab_of(plan_, to), plan_.style};
    double messages = 0.0;
    for (int rank = 0; rank < plan_.ranks; ++rank)
      messages += static_cast<double>(sent(route, rank));
    add_messages(phase::transposition, messages, bytes);
  }
  void fetch(Array from, Array to) { move(from, to); }

  std::vector<base::PhaseWork> phases() const {
    std::vector<base::PhaseWork> all;
    for (const auto& [name, work] : phases_) all.push_back(work);
    return all;
  }

 private:
  double points() const { return plan_.grid.points(); }
  base::PhaseWork& of(const char* name) {
    base::PhaseWork& work = phases_[name];
    work.phase = name;
    return work;
  }
  void add(const char* name, const Work& part) {
    base::PhaseWork& work = of(name);
    work.flops += times_ * part.flops;
    work.bytes += times_ * part.bytes;
    work.bytes_write_allocate += times_ * part.bytes_write_allocate;
    work.calls += times_ * plan_.ranks;
  }
  void add_messages(const char* name, double messages, double bytes) {
    base::PhaseWork& work = of(name);
    work.messages += times_ * messages;
    work.message_bytes += times_ * bytes;
    work.calls += times_ * plan_.ranks;
  }

  Plan plan_;
  Slab whole_;
  double times_ = 1.0;
  std::map<std::string, base::PhaseWork> phases_;
};

}  // namespace

harness::RankSchedule rank_schedule(const Plan& plan) {
  return [plan](RankWriter& writer) {
    Scribe scribe(plan, writer);
    repetition(plan, scribe);
  };
}

base::Work total_work(const Plan& plan) {
  Counter counter(plan);
  repetition(plan, counter);
  double bytes = 0.0;
  for (int i = 0; i < arrays; ++i) {
    const auto array = static_cast<Array>(i);
    if (used(plan, array))
      bytes += element * plan.ranks * static_cast<double>(slab_of(plan, array).most_elements());
  }
  return {std::cbrt(plan.grid.points()), bytes, counter.phases()};
}

}  // namespace hakaru::apps::ft
