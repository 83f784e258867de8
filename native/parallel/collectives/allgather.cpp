#include <algorithm>
#include <vector>

#include "native/parallel/collectives/exchange.hpp"

namespace hakaru::parallel::collectives {
namespace {

void copy_block(const std::byte* from, std::byte* to, std::size_t bytes) {
  std::copy(from, from + bytes, to);
}

// P - 1 steps: the block that came last goes on to the next rank.
void ring(const Communicator& c, const std::byte* own, std::byte* all, std::size_t bytes) {
  const int size = c.size(), rank = c.rank();
  copy_block(own, all + bytes * rank, bytes);
  for (int step = 0; step + 1 < size; ++step)
    exchange(c, around(rank + 1, size), all + bytes * around(rank - step, size), bytes,
             around(rank - 1, size), all + bytes * around(rank - step - 1, size), bytes);
}

// ceil(log2 P) steps over blocks counted from the own one, which are put in order at the end
// (Bruck et al. 1997).
void bruck(const Communicator& c, const std::byte* own, std::byte* all, std::size_t bytes) {
  const int size = c.size(), rank = c.rank();
  std::vector<std::byte> blocks(bytes * size);
  copy_block(own, blocks.data(), bytes);
  for (int distance = 1; distance < size; distance *= 2) {
    const std::size_t length = bytes * std::min(distance, size - distance);
    exchange(c, around(rank - distance, size), blocks.data(), length, around(rank + distance, size),
             blocks.data() + bytes * distance, length);
  }
  for (int i = 0; i < size; ++i)
    copy_block(blocks.data() + bytes * i, all + bytes * around(rank + i, size), bytes);
}

// log2 P steps on powers of two; else Bruck.
void recursive_doubling(const Communicator& c, const std::byte* own, std::byte* all,
                        std::size_t bytes) {
  if (!is_power_of_two(c.size())) return bruck(c, own, all, bytes);
  const int rank = c.rank();
  copy_block(own, all + bytes * rank, bytes);
  for (int distance = 1; distance < c.size(); distance *= 2) {
    const int partner = rank ^ distance;
    const int mine = rank & ~(distance - 1), theirs = partner & ~(distance - 1);
    exchange(c, partner, all + bytes * mine, bytes * distance, partner, all + bytes * theirs,
             bytes * distance);
  }
}

// P / 2 steps on even P; else the ring. Pairs exchange their blocks, then each rank turns to its
// two neighbours alternately and passes on the two blocks that came last (Chen et al. 2005).
void neighbour_exchange(const Communicator& c, const std::byte* own, std::byte* all,
                        std::size_t bytes) {
  const int size = c.size(), rank = c.rank();
  if (size % 2 != 0) return ring(c, own, all, bytes);
  const int side = rank % 2 == 0 ? 1 : -1, pair = rank - rank % 2;
  copy_block(own, all + bytes * rank, bytes);
  exchange(c, rank + side, own, bytes, rank + side, all + bytes * (rank + side), bytes);
  int last = pair;
  for (int step = 1; step < size / 2; ++step) {
    const bool odd = step % 2 == 1;
    const int partner = around(rank + (odd ? -side : side), size);
    // Pairs come from ever farther away: 2, 2, 4, 4, ... ranks, on either side by turns.
    const int distance = odd ? -(step + 1) : step;
    const int next = around(pair + side * distance, size);
    exchange(c, partner, all + bytes * last, 2 * bytes, partner, all + bytes * next, 2 * bytes);
    last = next;
  }
}

constexpr Named<Allgather> list[] = {{"ring", ring},
                                     {"recursive_doubling", recursive_doubling},
                                     {"bruck", bruck},
                                     {"neighbour_exchange", neighbour_exchange}};

}  // namespace

std::span<const Named<Allgather>> allgathers() { return list; }

}  // namespace hakaru::parallel::collectives
