#include "apps/median_filter/schedule.hpp"

#include <vector>

#include "apps/median_filter/filter.hpp"
#include "apps/median_filter/halo.hpp"
#include "apps/median_filter/phases.hpp"

namespace hakaru::apps::median_filter {
namespace {

using schedule::RankWriter;

// Each value beyond an edge is read once and written once.
schedule::Work work_of_edges(const Shape& shape, const Needs& needs, int rank, double value_bytes) {
  const double rows = static_cast<double>(shape.extent.z * (shape.window.y - 1) * shape.pitch);
  const double ends = static_cast<double>(shape.extent.z * shape.extent.y * (shape.window.x - 1));
  double planes = 0.0;
  for (const Stretch& stretch : needs.of(rank))
    if (stretch.owner == rank || stretch.owner == nobody)
      planes += static_cast<double>(stretch.count * shape.plane);
  const double bytes = value_bytes * (rows + ends + planes);
  return {0.0, 2.0 * bytes, 3.0 * bytes};
}

// An image is read once, the next one is written once.
schedule::Work work_of_filter(const Shape& shape, double operations, double value_bytes) {
  const double points = static_cast<double>(shape.extent.points());
  return {operations * points, 2.0 * value_bytes * points, 3.0 * value_bytes * points};
}

void write_halo(RankWriter& writer, const Shape& shape, const Needs& needs,
                std::int64_t value_bytes) {
  const auto bytes = [&](const Stretch& stretch) {
    return static_cast<std::uint64_t>(stretch.count * shape.plane * value_bytes);
  };
  std::vector<std::int32_t> requests;
  const std::vector<Stretch> stretches = needs.of(writer.rank());
  for (std::size_t tag = 0; tag < stretches.size(); ++tag)
    if (stretches[tag].owner != writer.rank() && stretches[tag].owner != nobody)
      requests.push_back(writer.ireceive(stretches[tag].owner, static_cast<std::int32_t>(tag),
                                         bytes(stretches[tag])));
  for (const Needs::Sent& one : needs.from(writer.rank()))
    requests.push_back(writer.isend(one.to, one.tag, bytes(one.stretch)));
  for (const std::int32_t request : requests) writer.wait(request);
}

}  // namespace

harness::RankSchedule rank_schedule(const Problem& problem, Values values, int ranks) {
  const double operations = operations_per_point(problem.window);
  return [=](RankWriter& writer) {
    const std::int64_t bytes = value_bytes(values);
    const base::Share share = planes_of(problem.image.z, writer.rank(), ranks);
    const Shape shape({problem.image.x, problem.image.y, share.count}, problem.window, bytes);
    const Needs needs{problem.image.z, ranks, problem.window.z, problem.beyond.edge};
    const double of_value = static_cast<double>(bytes);
    writer.repeat(static_cast<std::uint64_t>(problem.passes), [&] {
      writer.phase(phase::edges,
                   [&] { writer.compute(work_of_edges(shape, needs, writer.rank(), of_value)); });
      writer.phase(phase::halo, [&] { write_halo(writer, shape, needs, bytes); });
      writer.phase(phase::filter,
                   [&] { writer.compute(work_of_filter(shape, operations, of_value)); });
    });
  };
}

}  // namespace hakaru::apps::median_filter
