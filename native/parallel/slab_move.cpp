#include "native/parallel/slab_move.hpp"

namespace hakaru::parallel {
namespace {

Stride source_of(const SlabTransfer& t) {
  return {static_cast<std::size_t>(t.item_bytes), static_cast<std::size_t>(t.items),
          static_cast<std::size_t>(t.source_step)};
}

Stride target_of(const SlabTransfer& t) {
  return {static_cast<std::size_t>(t.item_bytes), static_cast<std::size_t>(t.items),
          static_cast<std::size_t>(t.target_step)};
}

// body(peer) for the ranks after this one, then those before it, then itself.
template <typename Body>
void in_a_ring(const Communicator& group, const Body& body) {
  for (int k = 1; k <= group.size(); ++k) body((group.rank() + k) % group.size());
}

void wait(RemoteMemory& memory, const SlabRoute& route, int flag) {
  memory.wait_flag(flag, static_cast<std::uint64_t>(route.received(memory.group().rank())));
}

}  // namespace

void put_slab(RemoteMemory& memory, const SlabRoute& route, std::size_t from, std::size_t to,
              int flag) {
  const std::byte* source = memory.memory() + from;
  in_a_ring(memory.group(), [&](int peer) {
    visit_pair(route, memory.group().rank(), peer, [&](const SlabTransfer& t) {
      memory.put_stride(peer, to + static_cast<std::size_t>(t.target), target_of(t),
                        source + t.source, source_of(t), {0, flag});
    });
  });
  wait(memory, route, flag);
}

void get_slab(RemoteMemory& memory, const SlabRoute& route, std::size_t from, std::size_t to,
              int flag) {
  std::byte* target = memory.memory() + to;
  in_a_ring(memory.group(), [&](int peer) {
    visit_pair(route, peer, memory.group().rank(), [&](const SlabTransfer& t) {
      memory.get_stride(peer, from + static_cast<std::size_t>(t.source), source_of(t),
                        target + t.target, target_of(t), {0, flag});
    });
  });
  wait(memory, route, flag);
}

}  // namespace hakaru::parallel
