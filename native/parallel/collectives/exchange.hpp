// One message out and one in; the arithmetic of ranks.
#pragma once

#include <bit>
#include <climits>
#include <cstddef>

#include "native/base/require.hpp"
#include "native/parallel/collectives/algorithms.hpp"

namespace hakaru::parallel::collectives {

inline constexpr int nobody = MPI_PROC_NULL;

inline int count_of(std::size_t bytes) {
  base::require(bytes <= INT_MAX, "a message of a collective is longer than 2 GiB",
                "MPI counts its bytes in an int", "divide the vector");
  return static_cast<int>(bytes);
}

// Sends and receives at once; either partner may be `nobody`.
inline void exchange(const Communicator& c, int to, const void* out, std::size_t out_bytes,
                     int from, void* in, std::size_t in_bytes) {
  HAKARU_MPI(MPI_Sendrecv(out, count_of(out_bytes), MPI_BYTE, to, algorithms_tag, in,
                          count_of(in_bytes), MPI_BYTE, from, algorithms_tag, c.handle(),
                          MPI_STATUS_IGNORE));
}
inline void send(const Communicator& c, int to, const void* out, std::size_t bytes) {
  HAKARU_MPI(MPI_Send(out, count_of(bytes), MPI_BYTE, to, algorithms_tag, c.handle()));
}
inline void receive(const Communicator& c, int from, void* in, std::size_t bytes) {
  HAKARU_MPI(
      MPI_Recv(in, count_of(bytes), MPI_BYTE, from, algorithms_tag, c.handle(), MPI_STATUS_IGNORE));
}

// rank modulo size, also of negative numbers.
inline int around(int rank, int size) { return (rank % size + size) % size; }
inline bool is_power_of_two(int n) { return std::has_single_bit(static_cast<unsigned>(n)); }
// The largest power of two up to n.
inline int power_below(int n) { return static_cast<int>(std::bit_floor(static_cast<unsigned>(n))); }

// Part i of n things in `parts` parts that differ by one at most; the first ones are longer.
struct Part {
  std::size_t first, length;
};
inline Part part_of(std::size_t n, int parts, int i) {
  const auto p = static_cast<std::size_t>(parts), k = static_cast<std::size_t>(i);
  const std::size_t least = n / p, longer = n % p;
  return {k * least + (k < longer ? k : longer), least + (k < longer ? 1 : 0)};
}

}  // namespace hakaru::parallel::collectives
