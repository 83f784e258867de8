#include <algorithm>
#include <vector>

#include "native/parallel/collectives/exchange.hpp"

namespace hakaru::parallel::collectives {
namespace {

// All receives are posted, all sends started, and then all are waited for.
void simple_spread(const Communicator& c, const std::byte* out, std::byte* in, std::size_t bytes) {
  const int size = c.size(), rank = c.rank(), count = count_of(bytes);
  std::vector<MPI_Request> requests;
  requests.reserve(2 * static_cast<std::size_t>(size));
  for (int step = 1; step < size; ++step) {
    const int from = around(rank - step, size);
    HAKARU_MPI(MPI_Irecv(in + bytes * from, count, MPI_BYTE, from, algorithms_tag, c.handle(),
                         &requests.emplace_back()));
  }
  for (int step = 1; step < size; ++step) {
    const int to = around(rank + step, size);
    HAKARU_MPI(MPI_Isend(out + bytes * to, count, MPI_BYTE, to, algorithms_tag, c.handle(),
                         &requests.emplace_back()));
  }
  std::copy(out + bytes * rank, out + bytes * (rank + 1), in + bytes * rank);
  HAKARU_MPI(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
}

// P - 1 steps: to rank + s, from rank - s.
void pairwise(const Communicator& c, const std::byte* out, std::byte* in, std::size_t bytes) {
  const int size = c.size(), rank = c.rank();
  std::copy(out + bytes * rank, out + bytes * (rank + 1), in + bytes * rank);
  for (int step = 1; step < size; ++step) {
    const int to = around(rank + step, size), from = around(rank - step, size);
    exchange(c, to, out + bytes * to, bytes, from, in + bytes * from, bytes);
  }
}

// ceil(log2 P) steps: in step k all blocks whose distance has bit k go 2^k ranks further (Bruck et
// al. 1997).
void bruck(const Communicator& c, const std::byte* out, std::byte* in, std::size_t bytes) {
  const int size = c.size(), rank = c.rank();
  std::vector<std::byte> blocks(bytes * size), leaving(blocks.size()), coming(blocks.size());
  const auto copy = [bytes](const std::byte* from, std::byte* to) {
    std::copy(from, from + bytes, to);
  };
  for (int i = 0; i < size; ++i)
    copy(out + bytes * around(rank + i, size), blocks.data() + bytes * i);
  for (int distance = 1; distance < size; distance *= 2) {
    std::size_t length = 0;
    for (int i = 0; i < size; ++i)
      if (i & distance) {
        copy(blocks.data() + bytes * i, leaving.data() + length);
        length += bytes;
      }
    exchange(c, around(rank + distance, size), leaving.data(), length,
             around(rank - distance, size), coming.data(), length);
    length = 0;
    for (int i = 0; i < size; ++i)
      if (i & distance) {
        copy(coming.data() + length, blocks.data() + bytes * i);
        length += bytes;
      }
  }
  for (int i = 0; i < size; ++i)
    copy(blocks.data() + bytes * i, in + bytes * around(rank - i, size));
}

constexpr Named<Alltoall> list[] = {
    {"simple_spread", simple_spread}, {"pairwise", pairwise}, {"bruck", bruck}};

}  // namespace

std::span<const Named<Alltoall>> alltoalls() { return list; }

}  // namespace hakaru::parallel::collectives
