#include "apps/himeno/schedule.hpp"

#include <vector>

#include "apps/himeno/phases.hpp"

namespace hakaru::apps::himeno {
namespace {

using schedule::Collective;
using schedule::RankWriter;

// As Halo does: along x, y, z in this order, from both neighbours, to both, and until all is there.
void write_halo(RankWriter& writer, const Region& region, const Shape& shape) {
  for (int axis = 0; axis < 3; ++axis) {
    const auto bytes = static_cast<std::uint64_t>(shape.face(axis).words() * shape.word_bytes);
    std::vector<std::int32_t> requests;
    const int below = region.below[axis], above = region.above[axis];
    if (below >= 0) requests.push_back(writer.ireceive(below, 2 * axis + 1, bytes));
    if (above >= 0) requests.push_back(writer.ireceive(above, 2 * axis, bytes));
    if (below >= 0) requests.push_back(writer.isend(below, 2 * axis, bytes));
    if (above >= 0) requests.push_back(writer.isend(above, 2 * axis + 1, bytes));
    for (const std::int32_t request : requests) writer.wait(request);
  }
}

}  // namespace

harness::RankSchedule rank_schedule(const Repetition& r) {
  return [r](RankWriter& writer) {
    const Region region = Decomposition(r.grid, r.ranks).region(writer.rank());
    const Shape shape(region.x.count, region.y.count, region.z.count,
                      word_bytes(r.method.precision));
    const double array_bytes = static_cast<double>(shape.rows() * shape.pitch * shape.word_bytes);
    const double points = static_cast<double>(shape.x * shape.y * shape.z);
    // p and twelve coefficient arrays are read, the new p is written; an ordinary store reads the
    // line first.
    const double moved = (coefficient_count + 2) * array_bytes;
    const double allocated = r.method.streaming ? 0.0 : array_bytes;
    writer.phase(phase::reset, [&] { writer.compute({0, array_bytes, 2.0 * array_bytes}); });
    writer.repeat(static_cast<std::uint64_t>(r.iterations), [&] {
      writer.phase(phase::stencil, [&] {
        writer.compute({flops_per_point * points, moved, moved + allocated});
      });
      writer.phase(phase::halo, [&] { write_halo(writer, region, shape); });
      writer.phase(phase::reduction, [&] { writer.collective(Collective::allreduce, 8); });
    });
  };
}

}  // namespace hakaru::apps::himeno
