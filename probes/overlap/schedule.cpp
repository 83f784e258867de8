#include "probes/overlap/schedule.hpp"

#include <bit>

#include "probes/overlap/loads.hpp"

namespace hakaru::probes::overlap {
namespace {

using schedule::RankWriter;

// The vector stays in cache: the work is priced by its flops alone.
schedule::Work flops(double count) { return {count, 0, 0}; }

void write_transfer(RankWriter& writer, const Repetition& r, int iteration,
                    std::vector<std::int32_t>& open) {
  const auto bytes = static_cast<std::uint64_t>(8 * r.n);
  const int tag = r.way == Way::persistent ? 0 : iteration;
  if (writer.rank() != 0) {
    if (r.way == Way::put)
      writer.flag_wait(1);
    else if (r.way != Way::none)
      writer.receive(0, tag, bytes);
    return;
  }
  for (int to = 1; to < r.ranks; ++to) {
    if (r.way == Way::blocking) writer.send(to, tag, bytes);
    if (r.way == Way::put) writer.put(to, bytes, {0, 1, 0});
    if (r.way == Way::nonblocking || r.way == Way::persistent)
      open.push_back(writer.isend(to, tag, bytes));
  }
}

void write_iteration(RankWriter& writer, const Repetition& r, int iteration) {
  std::vector<std::int32_t> open;
  writer.phase("before", [&] { writer.compute(flops(flops_before(r.n, writer.rank()))); });
  writer.phase("messages", [&] { write_transfer(writer, r, iteration, open); });
  writer.phase("after", [&] { writer.compute(flops(flops_after(r.n, writer.rank(), r.ranks))); });
  writer.phase("messages", [&] {
    for (const std::int32_t request : open) writer.wait(request);
    if (r.way == Way::put && writer.rank() == 0) writer.acknowledge();
  });
}

}  // namespace

harness::RankSchedule rank_schedule(const Repetition& r) {
  return [r](RankWriter& writer) {
    writer.phase("messages", [&] { writer.collective(schedule::Collective::barrier, 0); });
    for (int iteration = 0; iteration < r.iterations; ++iteration)
      write_iteration(writer, r, iteration);
    writer.phase("messages", [&] { writer.collective(schedule::Collective::barrier, 0); });
    writer.phase("messages", [&] { writer.collective(schedule::Collective::allreduce, 8); });
  };
}

base::Work work_of(const Repetition& r) {
  double before = 0, after = 0;
  for (int rank = 0; rank < r.ranks; ++rank) {
    before += flops_before(r.n, rank) * r.iterations;
    after += flops_after(r.n, rank, r.ranks) * r.iterations;
  }
  const double messages = r.way == Way::none ? 0.0 : 1.0 * (r.ranks - 1) * r.iterations;
  // The time of the slowest rank, by recursive doubling: one word of each rank in each round.
  const double words = 1.0 * r.ranks * std::bit_width(static_cast<unsigned>(r.ranks - 1));
  const double calls = 1.0 * r.ranks * r.iterations;
  return {static_cast<double>(r.n),
          16.0 * static_cast<double>(r.n) * r.ranks,
          {{"before", before, 0, 0, 0, 0, calls},
           {"messages", 0, 0, 0, messages + words,
            8.0 * (static_cast<double>(r.n) * messages + words), calls},
           {"after", after, 0, 0, 0, 0, calls}}};
}

}  // namespace hakaru::probes::overlap
