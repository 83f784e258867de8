// Transfers between nodes: MPI's one-sided operations in one passive epoch that lasts as long as
// the memory.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "native/parallel/exposed_memory.hpp"
#include "native/parallel/remote_memory.hpp"

namespace hakaru::parallel {

class RmaPath {
 public:
  // Collective. The memory must outlive this object.
  RmaPath(const Communicator& group, const ExposedMemory& memory);
  RmaPath(const RmaPath&) = delete;
  RmaPath& operator=(const RmaPath&) = delete;
  // Collective; completes everything.
  void release();

  // Addresses, lengths and flags have been checked.
  void put(int rank, std::size_t remote, const Stride& remote_stride, const std::byte* local,
           const Stride& local_stride, Flags flags);
  void get(int rank, std::size_t remote, const Stride& remote_stride, std::byte* local,
           const Stride& local_stride, Flags flags);
  // Raises own flags of transfers that have completed, and lets MPI serve the other ranks.
  void progress();
  // Until all own transfers are complete at both ends.
  void complete();

 private:
  // A transfer that raises a flag here once it is complete here: when its request is, or a flush
  // where it has none (MPICH 4.0 completes requests of strided transfers before the data are
  // there).
  struct Pending {
    int rank, flag;
    bool has_request;
    MPI_Request request;
  };
  void issue(bool is_put, int rank, std::size_t remote, const Stride& remote_stride,
             std::byte* local, const Stride& local_stride, MPI_Request* request);
  void issue_pieces(bool is_put, int rank, std::size_t remote, const Stride& remote_stride,
                    std::byte* local, const Stride& local_stride);
  void transfer(bool is_put, int rank, std::size_t remote, const Stride& remote_stride,
                std::byte* local, const Stride& local_stride, int here, int there);
  void raise_there(int rank, int flag);

  const ExposedMemory& memory_;
  MPI_Comm group_;
  int rank_;
  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<Pending> pending_;
};

}  // namespace hakaru::parallel
