// PUT and GET with flags and one-dimensional strides between the memories of a group of ranks, as
// the message controller of the AP1000+ has them (Hayashi et al. 1995, section 3.1): a transfer
// raises a flag where the data leave, when they have left, and one where they come to, when they
// are there. Data move through shared memory inside a node, through MPI's one-sided operations
// between nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "native/parallel/communicator.hpp"

namespace hakaru::parallel {

// `items` pieces of `item_bytes`, each beginning `step_bytes` after the one before.
struct Stride {
  std::size_t item_bytes = 0, items = 0, step_bytes = 0;
};

// Numbers of flags, 1 ... flags; 0: no flag is raised.
struct Flags {
  int sent = 0, received = 0;
};

// automatic: shared memory inside a node and MPI's one-sided operations between nodes; the
// environment variable HAKARU_REMOTE_PATH=rma makes it `rma`, the latter everywhere.
enum class RemotePath { automatic, rma };

// Memory that every rank of a group exposes to the others. Addresses are byte offsets into the
// target's exposed memory; local addresses are any memory of the caller. Transfers do not block:
// the local memory of a put may change, and that of a get is there, when a flag or acknowledge()
// says so. Transfers that overlap each other's target memory without synchronisation are the
// caller's error. Errors thrown at the caller, before any memory is changed: UserError (usage) when
// the rank is not of the group, the address is not exposed, a flag does not exist, or a stride
// overlaps itself or has another length than its partner.
// Open MPI 4: its component osc/rdma takes the same file for windows that disjoint groups of one
// node make at the same time; run with OMPI_MCA_osc=^rdma where such groups reach other nodes.
class RemoteMemory {
 public:
  // Collective over the group. `bytes` may differ between ranks; the memory is zeroed and 64-byte
  // aligned. The group must outlive it. The destructor is collective too.
  RemoteMemory(const Communicator& group, std::size_t bytes, int flags,
               RemotePath path = RemotePath::automatic);
  RemoteMemory(RemoteMemory&&) noexcept;
  RemoteMemory& operator=(RemoteMemory&&) noexcept;
  ~RemoteMemory();

  std::byte* memory();
  std::size_t bytes() const;
  template <typename Element>
  Element* as(std::size_t offset = 0) {
    return reinterpret_cast<Element*>(memory() + offset);
  }
  const Communicator& group() const;

  void put(int rank, std::size_t remote, const void* local, std::size_t bytes, Flags flags = {});
  void get(int rank, std::size_t remote, void* local, std::size_t bytes, Flags flags = {});
  // The strides of both ends hold the same number of bytes; items may differ.
  void put_stride(int rank, std::size_t remote, const Stride& remote_stride, const void* local,
                  const Stride& local_stride, Flags flags = {});
  void get_stride(int rank, std::size_t remote, const Stride& remote_stride, void* local,
                  const Stride& local_stride, Flags flags = {});

  // How many times a flag of this rank has been raised, waits taken off. Not blocking.
  std::uint64_t flag(int flag);
  // Until it has been raised `more` times more than all waits before asked for.
  void wait_flag(int flag, std::uint64_t more = 1);

  // Until all own puts are complete at their targets.
  void acknowledge();
  // The same, then a barrier of the group: all puts of all ranks are complete.
  void acknowledge_and_barrier();

  // Blocking, as a compiler's run-time system uses them for single elements: get or put, then
  // acknowledge, and told to a tracer as these.
  void read_remote(int rank, std::size_t remote, void* local, std::size_t bytes);
  void write_remote(int rank, std::size_t remote, const void* local, std::size_t bytes);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace hakaru::parallel
