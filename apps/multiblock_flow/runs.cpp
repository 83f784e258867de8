#include "apps/multiblock_flow/runs.hpp"

namespace hakaru::apps::multiblock_flow {
namespace {

constexpr std::int64_t unknowns = 5;

// Axes along which the block is as long as its zone, from i on.
int whole_axes(const Topology& topology, const Block& block) {
  int axis = 0;
  while (axis < axes && block.cells.size(axis) == topology[block.zone].cells[axis]) ++axis;
  return axis;
}

}  // namespace

std::size_t solution_bytes_before(const Topology& topology, std::size_t zone) {
  std::size_t bytes = solution_header_bytes;
  for (std::size_t z = 0; z < zone; ++z)
    bytes += sizeof(double) * unknowns * static_cast<std::size_t>(topology[z].box().cells());
  return bytes;
}

Runs runs_of(const Topology& topology, const Block& block) {
  const int whole = whole_axes(topology, block);
  if (whole == axes) return {1, unknowns * block.cells.cells()};
  std::int64_t numbers = 1;
  for (int axis = 0; axis <= whole; ++axis) numbers *= block.cells.size(axis);
  return {unknowns * block.cells.cells() / numbers, numbers};
}

std::size_t place_of_run(const Topology& topology, const Block& block, std::int64_t r) {
  const Index& n = topology[block.zone].cells;
  const Box& box = block.cells;
  const std::int64_t first = r * runs_of(topology, block).numbers;  // among the block's numbers
  const std::int64_t i = first % box.size(0), j = first / box.size(0) % box.size(1);
  const std::int64_t k = first / box.size(0) / box.size(1) % box.size(2);
  const std::int64_t unknown = first / box.cells();
  const std::int64_t at =
      ((unknown * n[2] + box.begin[2] + k) * n[1] + box.begin[1] + j) * n[0] + box.begin[0] + i;
  return solution_bytes_before(topology, static_cast<std::size_t>(block.zone)) +
         sizeof(double) * static_cast<std::size_t>(at);
}

}  // namespace hakaru::apps::multiblock_flow
