#include "apps/scg/schedule.hpp"

#include <bit>

#include "apps/scg/solver.hpp"

namespace hakaru::apps::scg {
namespace {

using schedule::Collective;
using schedule::RankWriter;

void write_halo(RankWriter& writer, const Strip& strip) {
  const auto bytes = static_cast<std::uint64_t>(8 * strip.n);
  if (strip.above >= 0) writer.put(strip.above, bytes, {0, flag_below, 0});
  if (strip.below >= 0) writer.put(strip.below, bytes, {0, flag_above, 0});
}

void write_wait(RankWriter& writer, const Strip& strip) {
  if (strip.above >= 0) writer.flag_wait(flag_above);
  if (strip.below >= 0) writer.flag_wait(flag_below);
}

schedule::Work multiply_work(double points) {
  return {StripVectors::multiply_flops * points, StripVectors::multiply_bytes * points,
          StripVectors::multiply_bytes_write_allocate * points};
}

void write_iteration(RankWriter& writer, const Strip& strip, bool acknowledged) {
  const double n = static_cast<double>(strip.n), points = n * static_cast<double>(strip.rows);
  const double inner = n * static_cast<double>(strip.inner_rows());
  const auto sum = [&] {
    writer.phase("reduction", [&] { writer.collective(Collective::allreduce, 8); });
  };
  const auto update = [&](double flops, double bytes) {
    writer.phase("update", [&] {
      writer.compute({flops * points, bytes * points, bytes * points});
    });
  };
  writer.phase("halo", [&] { write_halo(writer, strip); });
  writer.phase("stencil", [&] { writer.compute(multiply_work(inner)); });
  writer.phase("halo", [&] { write_wait(writer, strip); });
  writer.phase("stencil", [&] { writer.compute(multiply_work(points - inner)); });
  if (acknowledged)
    writer.phase("acknowledgement", [&] {
      writer.send_receive(strip.above, 0, strip.below, 0, tag_up);
      writer.send_receive(strip.below, 0, strip.above, 0, tag_down);
    });
  sum();
  update(StripVectors::advance_flops, StripVectors::advance_bytes);
  sum();
  update(StripVectors::turn_flops, StripVectors::turn_bytes);
}

}  // namespace

harness::RankSchedule rank_schedule(const Repetition& r) {
  return [r](RankWriter& writer) {
    const Strip strip(r.n, writer.rank(), r.ranks);
    const double points = static_cast<double>(strip.n * strip.rows);
    writer.phase("reset", [&] {
      writer.compute({0, StripVectors::reset_bytes * points,
                      StripVectors::reset_bytes_write_allocate * points});
    });
    writer.phase("reduction", [&] { writer.collective(Collective::allreduce, 8); });
    writer.repeat(static_cast<std::uint64_t>(r.iterations),
                  [&] { write_iteration(writer, strip, r.acknowledged); });
  };
}

base::Work work_of(const Repetition& r) {
  const double points = static_cast<double>(r.n) * static_cast<double>(r.n);
  const double iterations = static_cast<double>(r.iterations), all = points * iterations;
  const double calls = iterations * r.ranks, puts = 2.0 * (r.ranks - 1) * iterations;
  // Recursive doubling: one word of each rank in each of ceil(log2 ranks) rounds.
  const double rounds = std::bit_width(static_cast<unsigned>(r.ranks - 1));
  const double reductions = (2.0 * iterations + 1.0) * r.ranks;
  const double update_bytes = StripVectors::advance_bytes + StripVectors::turn_bytes;
  return {static_cast<double>(r.n),
          4.0 * 8.0 * points,
          {{"reset", 0, StripVectors::reset_bytes * points,
            StripVectors::reset_bytes_write_allocate * points, 0, 0, 1.0 * r.ranks},
           {"halo", 0, 0, 0, puts, 8.0 * static_cast<double>(r.n) * puts, 2.0 * calls},
           {"stencil", StripVectors::multiply_flops * all, StripVectors::multiply_bytes * all,
            StripVectors::multiply_bytes_write_allocate * all, 0, 0, 2.0 * calls},
           {"acknowledgement", 0, 0, 0, r.acknowledged ? puts : 0.0, 0, r.acknowledged ? calls : 0},
           {"reduction", 0, 0, 0, rounds * reductions, 8.0 * rounds * reductions, reductions},
           {"update", (StripVectors::advance_flops + StripVectors::turn_flops) * all,
            update_bytes * all, update_bytes * all, 0, 0, 2.0 * calls}}};
}

}  // namespace hakaru::apps::scg
