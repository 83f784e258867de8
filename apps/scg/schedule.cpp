#include "apps/scg/schedule.hpp"

#include "apps/scg/phases.hpp"
#include "apps/scg/solver.hpp"

namespace hakaru::apps::scg {
namespace {

using schedule::Collective;
using schedule::RankWriter;

void write_halo(RankWriter& writer, const Block& block) {
  const auto row_bytes = static_cast<std::uint64_t>(8 * block.columns);
  const auto column_bytes = static_cast<std::uint64_t>(8 * block.rows);
  if (block.above >= 0) writer.put(block.above, row_bytes, {0, flag_below, 0});
  if (block.below >= 0) writer.put(block.below, row_bytes, {0, flag_above, 0});
  if (block.left >= 0) writer.put(block.left, column_bytes, {0, flag_right, block.rows});
  if (block.right >= 0) writer.put(block.right, column_bytes, {0, flag_left, block.rows});
}

void write_wait(RankWriter& writer, const Block& block) {
  if (block.above >= 0) writer.flag_wait(flag_above);
  if (block.below >= 0) writer.flag_wait(flag_below);
  if (block.left >= 0) writer.flag_wait(flag_left);
  if (block.right >= 0) writer.flag_wait(flag_right);
}

// Communicators of the ranks of a row and of a column, for barriers.
struct Groups {
  std::uint32_t row = 0, column = 0;
};

void write_acknowledgement(RankWriter& writer, const Block& block, Grid grid, const Groups& groups,
                           Acknowledgement acknowledgement) {
  if (acknowledgement == Acknowledgement::barriers) {
    if (grid.columns > 1) writer.collective(Collective::barrier, 0, groups.row);
    if (grid.rows > 1) writer.collective(Collective::barrier, 0, groups.column);
    return;
  }
  writer.send_receive(block.above, 0, block.below, 0, tag_up);
  writer.send_receive(block.below, 0, block.above, 0, tag_down);
  if (grid.columns == 1) return;
  writer.send_receive(block.left, 0, block.right, 0, tag_left);
  writer.send_receive(block.right, 0, block.left, 0, tag_right);
}

schedule::Work multiply_work(double points) {
  return {BlockVectors::multiply_flops * points, BlockVectors::multiply_bytes * points,
          BlockVectors::multiply_bytes_write_allocate * points};
}

void write_iteration(RankWriter& writer, const Repetition& r, const Block& block, Grid grid,
                     const Groups& groups) {
  const double points = static_cast<double>(block.columns * block.rows);
  const double inner = static_cast<double>(block.inner_points());
  const auto sum = [&] {
    writer.phase(phase::reduction, [&] { writer.collective(Collective::allreduce, 8); });
  };
  const auto update = [&](double flops, double bytes) {
    writer.phase(phase::update, [&] {
      writer.compute({flops * points, bytes * points, bytes * points});
    });
  };
  writer.phase(phase::halo, [&] { write_halo(writer, block); });
  writer.phase(phase::stencil, [&] { writer.compute(multiply_work(inner)); });
  writer.phase(phase::halo, [&] { write_wait(writer, block); });
  writer.phase(phase::stencil, [&] { writer.compute(multiply_work(points - inner)); });
  if (r.acknowledgement != Acknowledgement::none)
    writer.phase(phase::acknowledgement,
                 [&] { write_acknowledgement(writer, block, grid, groups, r.acknowledgement); });
  sum();
  update(BlockVectors::advance_flops, BlockVectors::advance_bytes);
  sum();
  update(BlockVectors::turn_flops, BlockVectors::turn_bytes);
}

}  // namespace

harness::RankSchedule rank_schedule(const Repetition& r) {
  return [r](RankWriter& writer) {
    const Grid grid = grid_of(r.ranks, r.decomposition);
    const Block block(r.n, writer.rank(), grid);
    Groups groups;
    if (r.acknowledgement == Acknowledgement::barriers) {
      groups.row = writer.split("row", [grid](int rank) { return rank / grid.columns; });
      groups.column = writer.split("column", [grid](int rank) { return rank % grid.columns; });
    }
    const double points = static_cast<double>(block.columns * block.rows);
    writer.phase(phase::reset, [&] {
      writer.compute({0, BlockVectors::reset_bytes * points,
                      BlockVectors::reset_bytes_write_allocate * points});
    });
    writer.phase(phase::reduction, [&] { writer.collective(Collective::allreduce, 8); });
    writer.repeat(static_cast<std::uint64_t>(r.iterations),
                  [&] { write_iteration(writer, r, block, grid, groups); });
  };
}

}  // namespace hakaru::apps::scg
