#include "native/parallel/remote_memory.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "native/base/require.hpp"
#include "native/parallel/announcement.hpp"
#include "native/parallel/exposed_memory.hpp"
#include "native/parallel/patience.hpp"
#include "native/parallel/remote_checks.hpp"
#include "native/parallel/rma_path.hpp"
#include "native/parallel/strided_copy.hpp"

namespace hakaru::parallel {
namespace {

bool shares(RemotePath path) {
  const char* given = std::getenv("HAKARU_REMOTE_PATH");
  const std::string wanted = given == nullptr ? "automatic" : given;
  base::require(wanted == "rma" || wanted == "automatic", "HAKARU_REMOTE_PATH is " + wanted,
                "there is no such path", "say rma or automatic");
  return path == RemotePath::automatic && wanted == "automatic";
}

}  // namespace

class RemoteMemory::Implementation {
 public:
  Implementation(const Communicator& group, std::size_t bytes, int flags, RemotePath path)
      : group_(Communicator::borrow(group.handle())),
        memory_(group, bytes, flags, shares(path)),
        asked_(static_cast<std::size_t>(flags) + 1),
        exceptions_at_start_(std::uncaught_exceptions()) {
    int reached = memory_.reaches_all() ? 1 : 0, all_reached = 0;
    HAKARU_MPI(PMPI_Allreduce(&reached, &all_reached, 1, MPI_INT, MPI_MIN, group_.handle()));
    if (all_reached == 0) rma_ = std::make_unique<RmaPath>(group_, memory_);
    HAKARU_MPI(PMPI_Barrier(group_.handle()));
  }

  // While an exception unwinds, other ranks may never come.
  ~Implementation() {
    int finalized = 0;
    PMPI_Finalized(&finalized);
    if (finalized != 0 || std::uncaught_exceptions() > exceptions_at_start_) return;
    if (rma_) rma_->release();
    PMPI_Barrier(group_.handle());
    memory_.release();
  }

  const Communicator& group() const { return group_; }
  const ExposedMemory& memory() const { return memory_; }

  void check(int rank, std::size_t remote, const Stride& remote_stride, const Stride& local_stride,
             Flags flags) const {
    check_rank(rank, group_.size());
    check_flags(flags, memory_.flags());
    check_stride(remote_stride, "remote");
    check_stride(local_stride, "local");
    check_same_length(remote_stride, local_stride);
    check_address(rank, remote, remote_stride, memory_.bytes_of(rank));
  }

  void put(int rank, std::size_t remote, const Stride& remote_stride, const void* local,
           const Stride& local_stride, Flags flags) {
    const auto* from = static_cast<const std::byte*>(local);
    if (!memory_.reaches(rank))
      return rma_->put(rank, remote, remote_stride, from, local_stride, flags);
    copy_stride(memory_.memory_of(rank) + remote, remote_stride, from, local_stride);
    raise(rank, flags.received);
    raise(group_.rank(), flags.sent);
  }

  void get(int rank, std::size_t remote, const Stride& remote_stride, void* local,
           const Stride& local_stride, Flags flags) {
    auto* to = static_cast<std::byte*>(local);
    if (!memory_.reaches(rank))
      return rma_->get(rank, remote, remote_stride, to, local_stride, flags);
    std::atomic_thread_fence(std::memory_order_acquire);
    copy_stride(to, local_stride, memory_.memory_of(rank) + remote, remote_stride);
    raise(rank, flags.sent);
    raise(group_.rank(), flags.received);
  }

  std::uint64_t raised(int flag) {
    check_flag(flag, memory_.flags());
    if (rma_) rma_->progress();
    return memory_.raised(flag) - asked_[static_cast<std::size_t>(flag)];
  }

  void wait(int flag, std::uint64_t more) {
    const std::uint64_t wanted = asked_[static_cast<std::size_t>(flag)] + more;
    Patience patience(group_);
    while (memory_.raised(flag) < wanted) {
      if (rma_) rma_->progress();
      patience.pause();
    }
    asked_[static_cast<std::size_t>(flag)] = wanted;
  }

  void complete() {
    if (rma_) rma_->complete();
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }

 private:
  void raise(int rank, int flag) const {
    if (flag != 0) memory_.raise(rank, flag);
  }

  const Communicator group_;
  ExposedMemory memory_;
  std::unique_ptr<RmaPath> rma_;
  std::vector<std::uint64_t> asked_;  // raises that waits have taken off, by flag
  int exceptions_at_start_;
};

RemoteMemory::RemoteMemory(const Communicator& group, std::size_t bytes, int flags, RemotePath path)
    : implementation_(std::make_unique<Implementation>(group, bytes, flags, path)) {}
RemoteMemory::RemoteMemory(RemoteMemory&&) noexcept = default;
RemoteMemory& RemoteMemory::operator=(RemoteMemory&&) noexcept = default;
RemoteMemory::~RemoteMemory() = default;

std::byte* RemoteMemory::memory() { return implementation_->memory().memory_of(group().rank()); }

std::size_t RemoteMemory::bytes() const {
  return implementation_->memory().bytes_of(group().rank());
}

const Communicator& RemoteMemory::group() const { return implementation_->group(); }

void RemoteMemory::put(int rank, std::size_t remote, const void* local, std::size_t bytes,
                       Flags flags) {
  const Stride whole{bytes, 1, bytes};
  implementation_->check(rank, remote, whole, whole, flags);
  const Announcement told(HAKARU_REMOTE_PUT, group(), rank, bytes, 0, flags);
  implementation_->put(rank, remote, whole, local, whole, flags);
}

void RemoteMemory::get(int rank, std::size_t remote, void* local, std::size_t bytes, Flags flags) {
  const Stride whole{bytes, 1, bytes};
  implementation_->check(rank, remote, whole, whole, flags);
  const Announcement told(HAKARU_REMOTE_GET, group(), rank, bytes, 0, flags);
  implementation_->get(rank, remote, whole, local, whole, flags);
}

void RemoteMemory::put_stride(int rank, std::size_t remote, const Stride& remote_stride,
                              const void* local, const Stride& local_stride, Flags flags) {
  implementation_->check(rank, remote, remote_stride, local_stride, flags);
  const Announcement told(HAKARU_REMOTE_PUT, group(), rank, length_of(local_stride),
                          std::max(remote_stride.items, local_stride.items), flags);
  implementation_->put(rank, remote, remote_stride, local, local_stride, flags);
}

void RemoteMemory::get_stride(int rank, std::size_t remote, const Stride& remote_stride,
                              void* local, const Stride& local_stride, Flags flags) {
  implementation_->check(rank, remote, remote_stride, local_stride, flags);
  const Announcement told(HAKARU_REMOTE_GET, group(), rank, length_of(local_stride),
                          std::max(remote_stride.items, local_stride.items), flags);
  implementation_->get(rank, remote, remote_stride, local, local_stride, flags);
}

std::uint64_t RemoteMemory::flag(int flag) { return implementation_->raised(flag); }

void RemoteMemory::wait_flag(int flag, std::uint64_t more) {
  check_flag(flag, implementation_->memory().flags());
  const Announcement told(HAKARU_REMOTE_FLAG_WAIT, group(), -1, more, 0, {0, flag});
  implementation_->wait(flag, more);
}

void RemoteMemory::acknowledge() {
  const Announcement told(HAKARU_REMOTE_ACKNOWLEDGE, group(), -1, 0, 0, {});
  implementation_->complete();
}

void RemoteMemory::acknowledge_and_barrier() {
  acknowledge();
  group().barrier();
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void RemoteMemory::read_remote(int rank, std::size_t remote, void* local, std::size_t bytes) {
  get(rank, remote, local, bytes);
  acknowledge();
}

void RemoteMemory::write_remote(int rank, std::size_t remote, const void* local,
                                std::size_t bytes) {
  put(rank, remote, local, bytes);
  acknowledge();
}

}  // namespace hakaru::parallel
