// Exchange of blocks between all ranks: the global transposition of slab-decomposed arrays.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "native/parallel/communicator.hpp"
#include "native/parallel/window.hpp"

namespace hakaru::parallel {

enum class TransposeMethod { alltoall, put };

// A buffer of slots; each slot holds `ranks` blocks of equal size, one for (or from) each rank.
struct SlottedBuffer {
  void* data = nullptr;
  int slots = 0;
};

// After transposing a slot, block q of rank p lies in block p of rank q. Two buffers take part,
// `near` and `far`; neither may be freed before this object. The alltoall method is one
// MPI_Alltoall a slot; the put method is one MPI_Put a slot and peer between two fences a call.
// Messages that leave a rank: (ranks - 1) a slot, of block_bytes each.
class SlabTranspose {
 public:
  // Collective. A block is `rows` rows of `row_bytes`, which keeps the counts given to MPI small.
  SlabTranspose(const Communicator& communicator, TransposeMethod method, std::size_t rows,
                std::size_t row_bytes, SlottedBuffer near, SlottedBuffer far);
  ~SlabTranspose();
  SlabTranspose(const SlabTranspose&) = delete;
  SlabTranspose& operator=(const SlabTranspose&) = delete;

  // Slots near[from .. from + count - 1] to far[to .. to + count - 1]; collective.
  void near_to_far(int from, int to, int count);
  void far_to_near(int from, int to, int count);

  std::size_t block_bytes() const { return rows_ * row_bytes_; }

 private:
  void exchange(const SlottedBuffer& source, int from, const SlottedBuffer& target, Window& window,
                int to, int count);
  char* block(const SlottedBuffer& buffer, int slot, int peer) const;

  const Communicator& communicator_;
  TransposeMethod method_;
  std::size_t rows_, row_bytes_;
  SlottedBuffer near_, far_;
  Window near_window_, far_window_;
  MPI_Datatype row_ = MPI_DATATYPE_NULL;
};

}  // namespace hakaru::parallel
