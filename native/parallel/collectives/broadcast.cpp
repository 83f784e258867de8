#include "native/parallel/collectives/broadcast.hpp"

#include <algorithm>
#include <vector>

#include "native/parallel/collectives/exchange.hpp"

namespace hakaru::parallel::collectives {

// Ranks are counted from the root: v receives from v without its lowest bit, and sends to v plus
// each lower bit, the farthest first.
void broadcast_binomial(const Communicator& c, std::byte* data, std::size_t bytes, int root) {
  const int size = c.size(), v = around(c.rank() - root, size);
  int bit = 1;
  while (bit < size && (v & bit) == 0) bit *= 2;
  if (v != 0) receive(c, around(v - bit + root, size), data, bytes);
  for (bit /= 2; bit > 0; bit /= 2)
    if (v + bit < size) send(c, around(v + bit + root, size), data, bytes);
}

namespace {

void linear(const Communicator& c, std::byte* data, std::size_t bytes, int root) {
  if (c.rank() != root) return receive(c, root, data, bytes);
  std::vector<MPI_Request> requests;
  requests.reserve(static_cast<std::size_t>(c.size()));
  for (int to = 0; to < c.size(); ++to)
    if (to != root)
      HAKARU_MPI(MPI_Isend(data, count_of(bytes), MPI_BYTE, to, algorithms_tag, c.handle(),
                           &requests.emplace_back()));
  HAKARU_MPI(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
}

// The parts [first, last) of the vector, counted from the root.
struct Range {
  std::size_t first, length;
};
Range range_of(std::size_t bytes, int parts, int first, int last) {
  const std::size_t begin = part_of(bytes, parts, first).first;
  const std::size_t end = last < parts ? part_of(bytes, parts, last).first : bytes;
  return {begin, end - begin};
}

// A binomial scatter: v receives the parts of itself and of those below it, and passes on theirs.
void scatter(const Communicator& c, std::byte* data, std::size_t bytes, int root) {
  const int size = c.size(), v = around(c.rank() - root, size);
  int bit = 1;
  while (bit < size && (v & bit) == 0) bit *= 2;
  if (v != 0) {
    const Range own = range_of(bytes, size, v, std::min(v + bit, size));
    receive(c, around(v - bit + root, size), data + own.first, own.length);
  }
  for (bit /= 2; bit > 0; bit /= 2)
    if (v + bit < size) {
      const Range theirs = range_of(bytes, size, v + bit, std::min(v + 2 * bit, size));
      send(c, around(v + bit + root, size), data + theirs.first, theirs.length);
    }
}

// Scatter, then all gather around the ring: 2 (P - 1) / P of the vector passes each rank instead of
// log2 P times all of it (van de Geijn).
void van_de_geijn(const Communicator& c, std::byte* data, std::size_t bytes, int root) {
  const int size = c.size(), v = around(c.rank() - root, size);
  scatter(c, data, bytes, root);
  for (int step = 0; step + 1 < size; ++step) {
    const Part out = part_of(bytes, size, around(v - step, size));
    const Part in = part_of(bytes, size, around(v - step - 1, size));
    exchange(c, around(c.rank() + 1, size), data + out.first, out.length,
             around(c.rank() - 1, size), data + in.first, in.length);
  }
}

constexpr Named<Broadcast> list[] = {
    {"binomial", broadcast_binomial}, {"van_de_geijn", van_de_geijn}, {"linear", linear}};

}  // namespace

std::span<const Named<Broadcast>> broadcasts() { return list; }

}  // namespace hakaru::parallel::collectives
