#include "probes/overlap/schedule.hpp"

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
    if (r.way == Way::nonblocking) open.push_back(writer.isend(to, tag, bytes));
    if (r.way == Way::persistent) open.push_back(writer.start_persistent(to, tag, bytes));
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
    writer.each(static_cast<std::uint64_t>(r.iterations), [&](std::uint64_t iteration) {
      write_iteration(writer, r, static_cast<int>(iteration));
    });
    writer.phase("messages", [&] { writer.collective(schedule::Collective::barrier, 0); });
    writer.phase("messages", [&] { writer.collective(schedule::Collective::allreduce, 8); });
  };
}

base::Work size_of(const Repetition& r) {
  const double n = static_cast<double>(r.n);
  return {n, 16.0 * n * r.ranks, {}};
}

}  // namespace hakaru::probes::overlap
