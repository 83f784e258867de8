// Two ranks that transfer to each other, and the time of each kind of transfer between them.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "native/parallel/communicator.hpp"
#include "native/parallel/remote_memory.hpp"
#include "native/parallel/ring_buffer.hpp"

namespace hakaru::probes::putget {

enum class Kind {
  put,             // puts in a row, then acknowledge()
  get,             // the same
  put_stride,      // items of item_bytes, every step_bytes at both ends
  get_stride,      //
  flagged_put,     // half of a round trip of puts with a receive flag
  ring,            // half of a round trip through the ring buffers
  send_receive,    // half of a round trip of MPI_Send and MPI_Recv
  mpi_put,         // MPI_Put in a row into a window of MPI_Win_allocate, then MPI_Win_flush
  mpi_put_vector,  // the same with a vector datatype at both ends
  put_volume,      // planes of up to 32 items, further apart: a put_stride for each plane
  mpi_put_volume,  // one MPI_Put with a datatype of planes at both ends
};

std::string name_of(Kind kind);
const std::vector<Kind>& all_kinds();
bool is_strided(Kind kind);

struct Shape {
  std::int64_t longest_bytes, item_bytes, step_bytes;
};

// A volume of strided items: `planes` of them, each `step_bytes` after the one before.
struct Planes {
  parallel::Stride plane;
  std::size_t planes, step_bytes;
};

// What a transfer costs beside work of the processor.
struct Overlap {
  double alone_s, compute_s, together_s;
};

// One put of a row of them to data that were just computed, each in its own place.
struct NewPuts {
  double plain_s, flagged_s;  // without a flag, and raising one at the target
};

class Pair {
 public:
  // Collective over `both`, two ranks.
  Pair(parallel::Communicator both, const Shape& shape);
  ~Pair();
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  const parallel::Communicator& both() const { return both_; }
  // Seconds of one transfer on rank 0, the mean over `iterations`; anything on rank 1. Collective.
  double time(Kind kind, std::int64_t bytes, int iterations);
  // A put, or a get, of `bytes` alone, and with as much work of the processor beside it.
  Overlap overlap(Kind kind, std::int64_t bytes, int iterations);
  // Of rank 0's, while the other waits in a barrier. Collective.
  NewPuts new_puts(std::int64_t bytes, int iterations);
  // One of such a row, out of items of `item_bytes` with a gap as long after each. Of every other
  // row the target has computed in place what it got, and not only read it, which a trace does not
  // tell and such a put feels.
  double new_put_in_items_s(std::int64_t bytes, std::int64_t item_bytes, int iterations);

 private:
  parallel::Stride stride(std::int64_t bytes) const;
  Planes planes(std::int64_t bytes) const;
  void put_volume(std::int64_t bytes);
  double one_sided(Kind kind, std::int64_t bytes, int iterations);
  void start(Kind kind, std::int64_t bytes, MPI_Datatype vector);
  double round_trips(Kind kind, std::int64_t bytes, int iterations);
  enum class Target { reads, computes_in_place };
  double new_row_s(std::int64_t bytes, int places, const parallel::Stride& from,
                   parallel::Flags flags, Target target = Target::reads);

  parallel::Communicator both_;
  Shape shape_;
  parallel::RemoteMemory memory_;
  parallel::RingBuffer ring_;
  std::vector<char> local_;
  std::vector<double> computed_;  // what new_puts puts
  double used_ = 0.0;             // a number out of what was exchanged
  MPI_Win window_ = MPI_WIN_NULL;
};

}  // namespace hakaru::probes::putget
