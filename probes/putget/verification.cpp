#include "probes/putget/verification.hpp"

#include <functional>
#include <string>
#include <vector>

#include "native/parallel/groups.hpp"
#include "native/parallel/remote_memory.hpp"
#include "native/parallel/ring_buffer.hpp"
#include "probes/putget/sampling.hpp"

namespace hakaru::probes::putget {
namespace {

using parallel::RemoteMemory;
using parallel::RingBuffer;
using parallel::Stride;

constexpr std::size_t longest = 65536, gap = 3;
constexpr int arrived = 1;

using Bytes = std::vector<unsigned char>;

Bytes pattern(std::size_t bytes, int rank, bool damage) {
  Bytes all(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    all[i] = static_cast<unsigned char>(i * 7 + i / 251 + static_cast<std::size_t>(rank) * 31);
  if (damage && bytes > 0) all[bytes / 2] ^= 1;
  return all;
}

double differing(const Bytes& got, const Bytes& wanted) {
  double wrong = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) wrong += got[i] != wanted[i];
  return wrong;
}

// Every rank with the one before and after it.
struct Neighbours {
  explicit Neighbours(const parallel::Communicator& world)
      : next((world.rank() + 1) % world.size()),
        previous((world.rank() + world.size() - 1) % world.size()),
        memory(world, longest * (1 + gap), 1),
        ring(world) {}
  int next, previous;
  RemoteMemory memory;
  RingBuffer ring;
};

Bytes by_put(Neighbours& n, const Bytes& own) {
  n.memory.put(n.next, 0, own.data(), own.size(), {.received = arrived});
  n.memory.wait_flag(arrived);
  const auto* memory = n.memory.as<unsigned char>();
  Bytes got(memory, memory + own.size());
  n.memory.acknowledge_and_barrier();
  return got;
}

Bytes by_get(Neighbours& n, const Bytes& own) {
  std::copy(own.begin(), own.end(), n.memory.as<unsigned char>());
  n.memory.acknowledge_and_barrier();
  Bytes got(own.size());
  n.memory.get(n.previous, 0, got.data(), got.size(), {.received = arrived});
  n.memory.wait_flag(arrived);
  n.memory.acknowledge_and_barrier();
  return got;
}

Bytes by_put_stride(Neighbours& n, const Bytes& own) {
  n.memory.put_stride(n.next, 0, {1, own.size(), gap}, own.data(), {own.size(), 1, own.size()},
                      {.received = arrived});
  n.memory.wait_flag(arrived);
  Bytes got(own.size());
  for (std::size_t i = 0; i < got.size(); ++i) got[i] = n.memory.as<unsigned char>()[i * gap];
  n.memory.acknowledge_and_barrier();
  return got;
}

Bytes by_get_stride(Neighbours& n, const Bytes& own) {
  for (std::size_t i = 0; i < own.size(); ++i) n.memory.as<unsigned char>()[i * gap] = own[i];
  n.memory.acknowledge_and_barrier();
  Bytes got(own.size());
  n.memory.get_stride(n.previous, 0, {1, own.size(), gap}, got.data(), {own.size(), 1, own.size()});
  n.memory.acknowledge_and_barrier();
  return got;
}

Bytes by_ring(Neighbours& n, const Bytes& own) {
  n.ring.send(n.next, 3, own.data(), own.size());
  Bytes got(own.size());
  n.ring.receive(n.previous, 3, got.data(), got.size());
  return got;
}

}  // namespace

void verify_transfers(const parallel::Communicator& world, bool damage, base::Checks& checks) {
  using Way = std::function<Bytes(Neighbours&, const Bytes&)>;
  const std::vector<std::pair<std::string, Way>> ways = {{"put", by_put},
                                                         {"get", by_get},
                                                         {"put_stride", by_put_stride},
                                                         {"get_stride", by_get_stride},
                                                         {"ring", by_ring}};
  Neighbours neighbours(world);
  for (const auto& [name, way] : ways) {
    double wrong = 0;
    for (std::size_t bytes = 1; bytes <= longest; bytes = bytes * 4 + 1)
      wrong += differing(way(neighbours, pattern(bytes, world.rank(), damage)),
                         pattern(bytes, neighbours.previous, false));
    checks.equal("wrong bytes, " + name, world.sum(wrong), 0, "bytes arrive as they were sent");
  }
  world.barrier();
}

void verify_groups(const parallel::Communicator& world, bool damage, base::Checks& checks) {
  constexpr int length = 100;
  for (int ranks : parallel::group_sizes(world.size())) {
    const auto group = world.split(world.rank() < ranks ? 0 : -1, world.rank());
    double wrong = 0;
    if (group.size() > 0) {
      std::vector<double> values(length);
      for (int i = 0; i < length; ++i) values[i] = i + group.rank() + (damage ? 0.5 : 0.0);
      group.sum(values);
      for (int i = 0; i < length; ++i) wrong += values[i] != ranks * i + ranks * (ranks - 1) / 2;
      group.barrier();
    }
    checks.equal("wrong sums, group of " + std::to_string(ranks), world.sum(wrong), 0,
                 "sums of small integers are exact");
  }
}

}  // namespace hakaru::probes::putget
