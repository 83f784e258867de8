#include "apps/ft/schedule.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include "apps/ft/mover.hpp"
#include "apps/ft/steps.hpp"
#include "apps/ft/transform.hpp"
#include "native/parallel/slab_schedule.hpp"

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
// Terms of the checksum by plane of z: where the sum is taken, arrays are divided along z or lie on
// one rank.
class ChecksumTerms {
 public:
  explicit ChecksumTerms(const Plan& plan)
      : of_plane_(static_cast<std::size_t>(plan.grid.n[along_z])) {
    for (std::int64_t j = 1; j <= checksum_terms; ++j)
      ++of_plane_[static_cast<std::size_t>(5 * j % plan.grid.n[along_z])];
  }
  // One complex addition each.
  Work work(const base::Share& planes) const {
    const auto first = of_plane_.begin() + planes.first;
    const double terms = std::accumulate(first, first + planes.count, 0);
    return {2.0 * terms, element * terms, element * terms};
  }

 private:
  std::vector<int> of_plane_;
};

// Writes the steps of steps.hpp.
class Scribe {
 public:
  Scribe(const Plan& plan, const ChecksumTerms& terms, RankWriter& writer)
      : plan_(plan), terms_(terms), writer_(writer) {}

  void initial_values(Array array) { loop(phase::set_up, fill_work(points(array))); }
  void exponents() { loop(phase::set_up, {}); }
  void clear(Array array) { loop(phase::set_up, clear_work(points(array))); }
  void transform(Array array, Axis axis, Direction) {
    loop(phase::transform, transform_work(slab_of(plan_, array), writer_.rank(), axis));
  }
  void evolve(std::int64_t) { loop(phase::evolve, evolve_work(points(Array::spectrum))); }
  void checksum(std::int64_t, Array array) {
    writer_.phase(phase::checksum, [&] {
      writer_.compute(terms_.work(slab_of(plan_, array).range(writer_.rank(), along_z)));
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
    const Route route = route_of(slab_of(plan_, from), slab_of(plan_, to), plan_.style);
    const int ranks = plan_.ranks;
    writer_.phase(phase::transposition, [&] {
      if (plan_.method == Method::alltoall) {
        const double block = element * plan_.grid.points() / ranks / ranks;
        writer_.collective(Collective::alltoall, static_cast<std::uint64_t>(block));
        return;
      }
      writer_.collective(Collective::barrier, 0);
      parallel::write_slab(writer_, route,
                           fetched ? parallel::SlabMove::get : parallel::SlabMove::put, arrived);
      if (plan_.style == Style::published) writer_.collective(Collective::barrier, 0);
    });
  }

  const Plan& plan_;
  const ChecksumTerms& terms_;
  RankWriter& writer_;
};

}  // namespace

harness::RankSchedule rank_schedule(const Plan& plan) {
  return [plan, terms = ChecksumTerms(plan)](RankWriter& writer) {
    Scribe scribe(plan, terms, writer);
    repetition(plan, scribe);
  };
}

base::Work size_of(const Plan& plan) {
  double bytes = 0.0;
  for (int i = 0; i < arrays; ++i) {
    const auto array = static_cast<Array>(i);
    if (used(plan, array))
      bytes += element * plan.ranks * static_cast<double>(slab_of(plan, array).most_elements());
  }
  return {std::cbrt(plan.grid.points()), bytes, {}};
}

}  // namespace hakaru::apps::ft
