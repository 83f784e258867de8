// Collective operations by named algorithms, made of point-to-point messages: what the replay
// engine expands (native/replay/engine/collectives), as calls that move data. Names are the same.
#pragma once

#include <cstddef>
#include <span>

#include "native/parallel/communicator.hpp"

namespace hakaru::parallel::collectives {

// Every algorithm is collective over the communicator, works at any number of ranks (falling back
// where its comment says so) and at any length, 0 included; messages are at most INT_MAX bytes.
// It uses one tag (algorithms_tag) of the given communicator. Buffers do not overlap.
inline constexpr int algorithms_tag = 32'001;

// `own` of `bytes` from each rank; `all` has them in rank order.
using Allgather = void (*)(const Communicator&, const std::byte* own, std::byte* all,
                           std::size_t bytes);
// Block i of `out` goes to rank i; block i of `in` comes from rank i. `bytes` of each block.
using Alltoall = void (*)(const Communicator&, const std::byte* out, std::byte* in,
                          std::size_t bytes);
// Sum over ranks, element by element, in place; the same on every rank, bit by bit.
using Allreduce = void (*)(const Communicator&, std::span<double> values);
// `data` of the root on every rank.
using Broadcast = void (*)(const Communicator&, std::byte* data, std::size_t bytes, int root);

template <typename Function>
struct Named {
  const char* name;
  Function run;
};

std::span<const Named<Allgather>> allgathers();
std::span<const Named<Alltoall>> alltoalls();
std::span<const Named<Allreduce>> allreduces();
std::span<const Named<Broadcast>> broadcasts();

}  // namespace hakaru::parallel::collectives
