// What slab_move.hpp does, as operations.
#pragma once

#include "native/parallel/slab.hpp"
#include "native/schedule/writer.hpp"

namespace hakaru::parallel {

enum class SlabMove { put, get };

inline void write_slab(schedule::RankWriter& writer, const SlabRoute& route, SlabMove move,
                       int flag) {
  const int rank = writer.rank(), ranks = writer.ranks();
  const bool put = move == SlabMove::put;
  const std::int64_t transfers = put ? route.sent(rank) : route.received(rank);
  const double points = put ? route.from.points(rank) : route.to.points(rank);
  const auto write = [&](int peer) {
    visit_pair(route, put ? rank : peer, put ? peer : rank, [&](const SlabTransfer& t) {
      const auto bytes = static_cast<std::uint64_t>(t.bytes());
      if (put)
        writer.put(peer, bytes, {0, flag, t.items});
      else
        writer.get(peer, bytes, {0, flag, t.items});
    });
  };
  writer.messages(static_cast<double>(transfers), points * static_cast<double>(route.element), [&] {
    for (int k = 1; k <= ranks; ++k) write((rank + k) % ranks);
  });
  writer.flag_wait(flag, static_cast<std::uint64_t>(route.received(rank)));
}

}  // namespace hakaru::parallel
