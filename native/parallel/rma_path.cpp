#include "native/parallel/rma_path.hpp"

#include "native/parallel/strided_copy.hpp"

namespace hakaru::parallel {
namespace {

// MPI counts in int; a longer transfer goes in pieces.
constexpr std::size_t most_bytes = std::size_t{1} << 30;

struct Type {
  explicit Type(const Stride& stride) : count(static_cast<int>(stride.item_bytes)) {
    if (stride.items <= 1) return;
    HAKARU_MPI(PMPI_Type_create_hvector(static_cast<int>(stride.items), count,
                                        static_cast<MPI_Aint>(stride.step_bytes), MPI_BYTE,
                                        &handle));
    HAKARU_MPI(PMPI_Type_commit(&handle));
    count = 1;
  }
  ~Type() {
    if (handle != MPI_BYTE) PMPI_Type_free(&handle);
  }
  Type(const Type&) = delete;
  Type& operator=(const Type&) = delete;

  MPI_Datatype handle = MPI_BYTE;
  int count;
};

}  // namespace

RmaPath::RmaPath(const Communicator& group, const ExposedMemory& memory)
    : memory_(memory), group_(group.handle()), rank_(group.rank()) {
  HAKARU_MPI(PMPI_Win_create(memory.block(), static_cast<MPI_Aint>(memory.block_bytes()), 1,
                             MPI_INFO_NULL, group_, &window_));
  HAKARU_MPI(PMPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN));
  HAKARU_MPI(PMPI_Win_lock_all(MPI_MODE_NOCHECK, window_));
}

void RmaPath::release() {
  if (window_ == MPI_WIN_NULL) return;
  complete();
  PMPI_Win_unlock_all(window_);
  PMPI_Win_free(&window_);
}

void RmaPath::issue(bool is_put, int rank, std::size_t remote, const Stride& remote_stride,
                    std::byte* local, const Stride& local_stride, MPI_Request* request) {
  const auto place = static_cast<MPI_Aint>(memory_.memory_offset() + remote);
  const Type here(merged(local_stride)), there(merged(remote_stride));
  if (is_put && request != nullptr)
    HAKARU_MPI(PMPI_Rput(local, here.count, here.handle, rank, place, there.count, there.handle,
                         window_, request));
  else if (is_put)
    HAKARU_MPI(
        PMPI_Put(local, here.count, here.handle, rank, place, there.count, there.handle, window_));
  else if (request != nullptr)
    HAKARU_MPI(PMPI_Rget(local, here.count, here.handle, rank, place, there.count, there.handle,
                         window_, request));
  else
    HAKARU_MPI(
        PMPI_Get(local, here.count, here.handle, rank, place, there.count, there.handle, window_));
}

void RmaPath::issue_pieces(bool is_put, int rank, std::size_t remote, const Stride& remote_stride,
                           std::byte* local, const Stride& local_stride) {
  for_each_piece(merged(remote_stride), merged(local_stride), most_bytes,
                 [&](std::size_t there, std::size_t here, std::size_t bytes) {
                   const Stride piece{bytes, 1, bytes};
                   issue(is_put, rank, remote + there, piece, local + here, piece, nullptr);
                 });
}

// Passive-target MPI tells the origin that data are at the target by a flush and in no other way,
// and nobody may ever come back to do it: a flag of the target is raised before the call returns.
// A flag here is raised when the caller looks.
void RmaPath::transfer(bool is_put, int rank, std::size_t remote, const Stride& remote_stride,
                       std::byte* local, const Stride& local_stride, int here, int there) {
  const std::size_t bytes = length_of(local_stride);
  const bool now = there != 0 || bytes > most_bytes || bytes == 0;
  if (bytes > most_bytes) {
    issue_pieces(is_put, rank, remote, remote_stride, local, local_stride);
  } else if (bytes > 0 && (now || here == 0)) {
    issue(is_put, rank, remote, remote_stride, local, local_stride, nullptr);
  } else if (bytes > 0) {
    const bool whole = merged(local_stride).items == 1 && merged(remote_stride).items == 1;
    Pending pending{rank, here, whole, MPI_REQUEST_NULL};
    issue(is_put, rank, remote, remote_stride, local, local_stride,
          whole ? &pending.request : nullptr);
    pending_.push_back(pending);
  }
  if (!now || (here == 0 && there == 0)) return;
  if (bytes > 0) HAKARU_MPI(PMPI_Win_flush(rank, window_));
  if (there != 0) raise_there(rank, there);
  if (here != 0) memory_.raise(rank_, here);
}

void RmaPath::put(int rank, std::size_t remote, const Stride& remote_stride, const std::byte* local,
                  const Stride& local_stride, Flags flags) {
  transfer(true, rank, remote, remote_stride, const_cast<std::byte*>(local), local_stride,
           flags.sent, flags.received);
}

void RmaPath::get(int rank, std::size_t remote, const Stride& remote_stride, std::byte* local,
                  const Stride& local_stride, Flags flags) {
  transfer(false, rank, remote, remote_stride, local, local_stride, flags.received, flags.sent);
}

void RmaPath::raise_there(int rank, int flag) {
  static const std::uint64_t one = 1;
  const auto place =
      static_cast<MPI_Aint>(flag * sizeof(FlagCounters) + offsetof(FlagCounters, far));
  HAKARU_MPI(
      PMPI_Accumulate(&one, 1, MPI_UINT64_T, rank, place, 1, MPI_UINT64_T, MPI_SUM, window_));
  HAKARU_MPI(PMPI_Win_flush(rank, window_));
}

void RmaPath::progress() {
  for (std::size_t i = 0; i < pending_.size();) {
    int done = 1;
    if (pending_[i].has_request)
      HAKARU_MPI(PMPI_Test(&pending_[i].request, &done, MPI_STATUS_IGNORE));
    else
      HAKARU_MPI(PMPI_Win_flush(pending_[i].rank, window_));
    if (done == 0) {
      ++i;
      continue;
    }
    memory_.raise(rank_, pending_[i].flag);
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  int waiting = 0;
  HAKARU_MPI(PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, group_, &waiting, MPI_STATUS_IGNORE));
  HAKARU_MPI(PMPI_Win_sync(window_));
}

void RmaPath::complete() {
  HAKARU_MPI(PMPI_Win_flush_all(window_));
  for (Pending& pending : pending_) {
    if (pending.has_request) HAKARU_MPI(PMPI_Wait(&pending.request, MPI_STATUS_IGNORE));
    memory_.raise(rank_, pending.flag);
  }
  pending_.clear();
}

}  // namespace hakaru::parallel
