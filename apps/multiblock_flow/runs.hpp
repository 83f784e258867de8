// Where the cells of a block stand in a solution file: zone after zone, in each the five unknowns
// one after the other, in each all cells, i fastest.
#pragma once

#include "apps/multiblock_flow/division.hpp"

namespace hakaru::apps::multiblock_flow {

inline constexpr std::size_t solution_header_bytes = 4096;

// Bytes of the file before a zone; of the whole file for the number of zones.
std::size_t solution_bytes_before(const Topology& topology, std::size_t zone);

// Rows, planes or more that follow each other in the file: `count` runs of `numbers` each.
struct Runs {
  std::int64_t count, numbers;
};
Runs runs_of(const Topology& topology, const Block& block);
// Bytes from the beginning of the file to run `r`, in the order of the file.
std::size_t place_of_run(const Topology& topology, const Block& block, std::int64_t r);

}  // namespace hakaru::apps::multiblock_flow
