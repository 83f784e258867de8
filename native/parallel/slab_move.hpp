// Moves between arrays divided along different axes, by strided PUT or GET.
#pragma once

#include "native/parallel/remote_memory.hpp"
#include "native/parallel/slab.hpp"

namespace hakaru::parallel {

// Every rank puts, or gets, what the route says, from the array at offset `from` to the one at
// offset `to` of the exposed memories, nearest ranks above first and itself last; returns when all
// that it receives has arrived. `flag` is raised by each transfer where its data come to. That the
// sources are ready and the targets' old contents used up is the caller's concern.
void put_slab(RemoteMemory& memory, const SlabRoute& route, std::size_t from, std::size_t to,
              int flag);
void get_slab(RemoteMemory& memory, const SlabRoute& route, std::size_t from, std::size_t to,
              int flag);

}  // namespace hakaru::parallel
