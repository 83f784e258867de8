// Zones cut into blocks, blocks dealt out to ranks, and who sends which cells to whom.
#pragma once

#include <string>

#include "apps/multiblock_flow/topology.hpp"

namespace hakaru::apps::multiblock_flow {

struct Block {
  int zone;
  Box cells;  // of its zone
  int owner;
};

struct Division {
  std::vector<Index> parts;  // of each zone along its axes
  std::vector<int> first;    // block of each zone
  std::vector<Block> blocks;

  // Blocks of a zone that have cells of the box.
  std::vector<int> meeting(const Topology& topology, int zone, const Box& box) const;
  std::vector<int> of_rank(int rank) const;
};

// `parts` of each zone along its axes; 0 leaves the choice: together the fewest blocks with the
// smallest surface so that each rank has one.
// Owners have consecutive blocks, with shares of the cells as equal as they go.
Division divide(const Topology& topology, const Index& parts, int ranks);
// Why it cannot be divided so, or "".
std::string refuse_division(const Topology& topology, const Index& parts, int ranks);

// Ghost cells of one block that are cells of another.
struct Transfer {
  int from, to;  // blocks
  Box ghosts;    // in the indices of `to`'s zone
  Map map;       // to those of `from`'s
  std::int64_t numbers() const { return 5 * ghosts.cells(); }
};
std::vector<Transfer> incoming(const Topology& topology, const Division& division, int block,
                               int layers);

// What a rank swaps before each stage: one message to and from each peer.
struct Peer {
  int rank;
  std::vector<Transfer> receive, send;
};
struct Exchange {
  std::vector<Peer> peers;  // in the order of ranks
  std::vector<Transfer> local;
};
std::int64_t numbers_of(const std::vector<Transfer>& transfers);
Exchange exchange_of(const Topology& topology, const Division& division, int rank, int layers);

}  // namespace hakaru::apps::multiblock_flow
