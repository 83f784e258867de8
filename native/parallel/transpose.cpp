#include "native/parallel/transpose.hpp"

#include <climits>
#include <cstring>

#include "native/base/require.hpp"

namespace hakaru::parallel {

SlabTranspose::SlabTranspose(const Communicator& communicator, TransposeMethod method,
                             std::size_t rows, std::size_t row_bytes, SlottedBuffer near,
                             SlottedBuffer far)
    : communicator_(communicator),
      method_(method),
      rows_(rows),
      row_bytes_(row_bytes),
      near_(near),
      far_(far) {
  HAKARU_EXPECTS(rows <= INT_MAX && row_bytes <= INT_MAX);
  HAKARU_MPI(MPI_Type_contiguous(static_cast<int>(row_bytes), MPI_BYTE, &row_));
  HAKARU_MPI(MPI_Type_commit(&row_));
  // A rank alone copies; Open MPI 4 has no window for a single rank.
  if (method_ != TransposeMethod::put || communicator.size() == 1) return;
  const std::size_t slot_bytes = block_bytes() * communicator.size();
  near_window_ = Window(communicator, near.data, near.slots * slot_bytes);
  far_window_ = Window(communicator, far.data, far.slots * slot_bytes);
}

SlabTranspose::~SlabTranspose() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (row_ != MPI_DATATYPE_NULL && !finalized) MPI_Type_free(&row_);
}

void SlabTranspose::near_to_far(int from, int to, int count) {
  exchange(near_, from, far_, far_window_, to, count);
}

void SlabTranspose::far_to_near(int from, int to, int count) {
  exchange(far_, from, near_, near_window_, to, count);
}

char* SlabTranspose::block(const SlottedBuffer& buffer, int slot, int peer) const {
  const std::size_t position = static_cast<std::size_t>(slot) * communicator_.size() + peer;
  return static_cast<char*>(buffer.data) + position * block_bytes();
}

void SlabTranspose::exchange(const SlottedBuffer& source, int from, const SlottedBuffer& target,
                             Window& window, int to, int count) {
  HAKARU_EXPECTS(from >= 0 && from + count <= source.slots && to >= 0 &&
                 to + count <= target.slots);
  const int rows = static_cast<int>(rows_), ranks = communicator_.size(), me = communicator_.rank();
  if (method_ == TransposeMethod::alltoall) {
    for (int slot = 0; slot < count; ++slot)
      HAKARU_MPI(MPI_Alltoall(block(source, from + slot, 0), rows, row_,
                              block(target, to + slot, 0), rows, row_, communicator_.handle()));
    return;
  }
  if (ranks == 1) {
    std::memcpy(block(target, to, 0), block(source, from, 0), count * block_bytes());
    return;
  }
  // The target may still be read by its owner until the owner has arrived at this fence.
  window.fence(MPI_MODE_NOPRECEDE);
  for (int slot = 0; slot < count; ++slot) {
    for (int step = 1; step < ranks; ++step) {
      const int peer = (me + step) % ranks;
      const std::size_t place = (static_cast<std::size_t>(to + slot) * ranks + me) * block_bytes();
      HAKARU_MPI(MPI_Put(block(source, from + slot, peer), rows, row_, peer,
                         static_cast<MPI_Aint>(place), rows, row_, window.handle()));
    }
    std::memcpy(block(target, to + slot, me), block(source, from + slot, me), block_bytes());
  }
  window.fence(MPI_MODE_NOSUCCEED);
}

}  // namespace hakaru::parallel
