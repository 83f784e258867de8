#include "apps/multiblock_flow/division.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "native/base/share.hpp"

namespace hakaru::apps::multiblock_flow {
namespace {

// Cells of the cuts, the measure of what is sent.
double surface(const Index& cells, const Index& parts) {
  double sum = 0.0;
  for (int axis = 0; axis < axes; ++axis) {
    const auto face = static_cast<double>(cells[(axis + 1) % 3]) * cells[(axis + 2) % 3];
    sum += (parts[axis] - 1) * face;
  }
  return sum;
}

// `count` parts, or as many more as it takes to fit; axes that `given` names keep their number.
Index parts_of(const Index& cells, const Index& given, int count) {
  Index best{1, 1, 1};
  double smallest = std::numeric_limits<double>::max();
  const auto choices = [&](int axis, int at_most) {
    return given[axis] > 0 ? std::pair{given[axis], given[axis]}
                           : std::pair{1, std::min(cells[axis], at_most)};
  };
  const auto [z_from, z_to] = choices(2, count);
  for (int z = z_from; z <= z_to; ++z) {
    const auto [y_from, y_to] = choices(1, (count + z - 1) / z);
    for (int y = y_from; y <= y_to; ++y) {
      const int needed = std::max(1, (count + z * y - 1) / (z * y));
      const int x = given[0] > 0 ? given[0] : std::min(needed, cells[0]);
      if (static_cast<std::int64_t>(x) * y * z < count && given == Index{}) continue;
      // One part more costs more than any cut saves.
      const double cost =
          surface(cells, {x, y, z}) + 1e12 * std::abs(static_cast<double>(x) * y * z - count);
      if (cost < smallest) smallest = cost, best = {x, y, z};
    }
  }
  return best;
}

std::int64_t product(const Index& parts) {
  return static_cast<std::int64_t>(parts[0]) * parts[1] * parts[2];
}

std::vector<Index> parts_of(const Topology& topology, const Index& given, int ranks) {
  std::vector<Index> parts;
  const auto all = static_cast<double>(cells_of(topology));
  for (const Zone& zone : topology) {
    const double share = ranks * static_cast<double>(zone.box().cells()) / all;
    parts.push_back(parts_of(zone.cells, given, std::max(1, static_cast<int>(share + 0.999))));
  }
  return parts;
}

}  // namespace

std::string refuse_division(const Topology& topology, const Index& given, int ranks) {
  std::int64_t blocks = 0;
  const auto parts = parts_of(topology, given, ranks);
  for (std::size_t zone = 0; zone < topology.size(); ++zone) {
    for (int axis = 0; axis < axes; ++axis)
      if (parts[zone][axis] > topology[zone].cells[axis])
        return fmt::format("zone {} has {} cells along {}, which make no {} blocks; give fewer",
                           zone + 1, topology[zone].cells[axis], "xyz"[axis], parts[zone][axis]);
    blocks += product(parts[zone]);
  }
  if (blocks < ranks)
    return fmt::format("{} blocks are fewer than {} ranks; give more blocks or fewer ranks", blocks,
                       ranks);
  return "";
}

Division divide(const Topology& topology, const Index& given, int ranks) {
  Division division;
  division.parts = parts_of(topology, given, ranks);
  const auto all = static_cast<double>(cells_of(topology));
  double before = 0.0;
  for (int zone = 0; zone < static_cast<int>(topology.size()); ++zone) {
    const Index& n = topology[zone].cells;
    const Index& parts = division.parts[zone];
    division.first.push_back(static_cast<int>(division.blocks.size()));
    for (std::int64_t p = 0; p < product(parts); ++p) {
      const std::array<std::int64_t, 3> at{p % parts[0], p / parts[0] % parts[1],
                                           p / parts[0] / parts[1]};
      Block block{zone, {}, 0};
      for (int axis = 0; axis < axes; ++axis) {
        const base::Share share = base::share_of(n[axis], at[axis], parts[axis]);
        block.cells.begin[axis] = static_cast<int>(share.first);
        block.cells.end[axis] = static_cast<int>(share.end());
      }
      const auto cells = static_cast<double>(block.cells.cells());
      block.owner = std::min(ranks - 1, static_cast<int>((before + 0.5 * cells) * ranks / all));
      before += cells;
      division.blocks.push_back(block);
    }
  }
  return division;
}

std::vector<int> Division::meeting(const Topology& topology, int zone, const Box& box) const {
  const Index& n = topology[zone].cells;
  const Index& p = parts[zone];
  Index low, high;
  for (int axis = 0; axis < axes; ++axis) {
    const auto part_of = [&](std::int64_t cell) {
      return static_cast<int>(((cell + 1) * p[axis] - 1) / n[axis]);  // inverse of share_of
    };
    low[axis] = part_of(box.begin[axis]), high[axis] = part_of(box.end[axis] - 1);
  }
  std::vector<int> found;
  for (int z = low[2]; z <= high[2]; ++z)
    for (int y = low[1]; y <= high[1]; ++y)
      for (int x = low[0]; x <= high[0]; ++x)
        found.push_back(first[zone] + (z * p[1] + y) * p[0] + x);
  return found;
}

std::vector<int> Division::of_rank(int rank) const {
  const auto below = [](const Block& block, int owner) { return block.owner < owner; };
  const auto begin = std::lower_bound(blocks.begin(), blocks.end(), rank, below);
  std::vector<int> own;
  for (auto block = begin; block != blocks.end() && block->owner == rank; ++block)
    own.push_back(static_cast<int>(block - blocks.begin()));
  return own;
}

std::vector<Transfer> incoming(const Topology& topology, const Division& division, int to,
                               int layers) {
  std::vector<Transfer> transfers;
  const Block& block = division.blocks[to];
  const Zone& zone = topology[block.zone];
  // Ghosts in one zone: all of them, or a part of a slab across the edge of the zone.
  const auto add = [&](const Box& ghosts, int from_zone, const Map& map) {
    if (ghosts.cells() == 0) return;
    const Box wanted = map(ghosts);
    for (const int from : division.meeting(topology, from_zone, wanted)) {
      const Box part = intersection(wanted, division.blocks[from].cells);
      transfers.push_back({from, to, map.inverse()(part), map});
    }
  };
  for (int side = 0; side < sides; ++side) {
    const Box ghosts = ghosts_of(block.cells, side, layers);
    add(intersection(ghosts, zone.box()), block.zone, Map{});
    const Face& face = zone.faces[side];
    if (face.boundary == Boundary::joined)
      add(intersection(ghosts, ghosts_of(zone.box(), side, layers)), face.zone, face.map);
  }
  return transfers;
}

std::int64_t numbers_of(const std::vector<Transfer>& transfers) {
  std::int64_t numbers = 0;
  for (const Transfer& transfer : transfers) numbers += transfer.numbers();
  return numbers;
}

Exchange exchange_of(const Topology& topology, const Division& division, int rank, int layers) {
  Exchange exchange;
  std::map<int, Peer> peers;
  std::set<int> remote;
  const auto peer = [&](int block) -> Peer& {
    const int owner = division.blocks[block].owner;
    return peers.try_emplace(owner, Peer{owner, {}, {}}).first->second;
  };
  for (const int own : division.of_rank(rank))
    for (const Transfer& transfer : incoming(topology, division, own, layers)) {
      if (division.blocks[transfer.from].owner == rank) {
        exchange.local.push_back(transfer);
      } else {
        peer(transfer.from).receive.push_back(transfer);
        remote.insert(transfer.from);
      }
    }
  // Whose cells a block takes, takes its cells: joins are mutual.
  for (const int other : remote)
    for (const Transfer& transfer : incoming(topology, division, other, layers))
      if (division.blocks[transfer.from].owner == rank) peer(other).send.push_back(transfer);
  for (auto& [number, one] : peers) exchange.peers.push_back(std::move(one));
  return exchange;
}

}  // namespace hakaru::apps::multiblock_flow
