// Operations in which all ranks of a communicator take part at once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "native/parallel/communicator.hpp"
#include "native/parallel/equal_work.hpp"
#include "probes/messages/buffer.hpp"

namespace hakaru::probes::messages {

// neighbourhood_1, _2: MPI_Neighbor_alltoall over graphs, with one partner, and with both
// neighbours on a ring; neighbourhood_grid_2: with both over a Cartesian ring. These come last.
enum class Operation {
  allreduce,
  alltoall,
  barrier,
  broadcast,
  bisection,
  neighbours,
  neighbourhood_1,
  neighbourhood_2,
  neighbourhood_grid_2
};

const char* name_of(Operation operation);

// Bytes of the operation's sizes: 0 only for the barrier, whole doubles for the reduction,
// `maximum_bytes` at most; a block of the all-to-all is so short that all blocks of a rank fit in
// 64 MiB.
std::vector<std::int64_t> sizes_of(Operation operation, std::int64_t maximum_bytes, int ranks);

// Messages and bytes that leave all ranks in one operation, by the least that any algorithm must
// send: P blocks to P - 1 others for the all-to-all, P - 1 messages for the broadcast, 2 (P - 1)
// for the reduction and the barrier.
struct Traffic {
  double messages, bytes;
};
Traffic traffic_of(Operation operation, std::int64_t bytes, int ranks);

// Length of each of the two buffers that a rank holds.
std::int64_t buffer_bytes(std::int64_t maximum_bytes, int ranks);

// Every method is collective over the communicator.
class Collectives {
 public:
  Collectives(const parallel::Communicator& communicator, std::int64_t maximum_bytes);
  ~Collectives();
  Collectives(const Collectives&) = delete;
  Collectives& operator=(const Collectives&) = delete;

  // Seconds of one operation, mean of 2 `iterations` by halves (halves.hpp), maximum over ranks;
  // valid on rank 0. An even number: where a rank is a latency ahead of its partner, symmetric
  // operations last none and two latencies by turns.
  double seconds(Operation operation, std::int64_t bytes, int iterations);

  // Bytes (elements for the reduction) that arrived wrong, on all ranks together. `damage` flips a
  // byte of what rank 0 sends.
  std::int64_t wrong(Operation operation, std::int64_t bytes, bool damage);

  // Seconds by which the first rank left a barrier before the last had entered; 0 when none did.
  // Ranks of one host only.
  double barrier_leak_s();

 private:
  void perform(Operation operation, std::int64_t bytes, int iteration);
  // Seconds of so many operations, after one warm-up and a barrier; of neighbourhoods, which are
  // replayed as they are timed, with work before each, whose time is taken off.
  double row_s(Operation operation, std::int64_t bytes, int count);
  void exchange_across(std::int64_t bytes);
  void exchange_with_neighbours(std::int64_t bytes);
  void exchange_over(MPI_Comm topology, std::int64_t bytes);
  std::int64_t wrong_sums(std::int64_t bytes, bool damage);
  void fill(Operation operation, std::int64_t bytes, bool damage);
  std::int64_t count_wrong(Operation operation, std::int64_t bytes) const;

  const parallel::Communicator& communicator_;
  int rank_, ranks_;
  MPI_Comm pairs_ = MPI_COMM_NULL, ring_ = MPI_COMM_NULL, grid_ = MPI_COMM_NULL;
  parallel::EqualWork work_;
  Buffer outgoing_, incoming_;
};

}  // namespace hakaru::probes::messages
