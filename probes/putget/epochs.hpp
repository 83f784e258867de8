// MPI's own one-sided operations by kind of synchronisation, in windows whose memory MPI allocated
// and in windows whose memory the program gave: libraries treat the two differently (Open MPI 4.1
// on one host: component sm for the first, ucx or rdma for the others).
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "native/parallel/communicator.hpp"

namespace hakaru::probes::putget {

enum class Memory { allocated, created };
enum class Access { put, get, accumulate };
// What ends an epoch in which each rank puts 8 B to the other.
enum class Epoch { fence, exposure, lock, lock_all, flush };

const char* name_of(Memory memory);
const char* name_of(Access access);
const char* name_of(Epoch epoch);
const std::vector<Epoch>& all_epochs();

// Means over iterations of rank 0's accesses, while the other one waits in a barrier.
struct AccessTime {
  double call_s;    // of one call of a train
  double single_s;  // of one call and its flush
  double train_s;   // of a train and its flush
};
inline constexpr int train_accesses = 16;

class Epochs {
 public:
  // Collective over two ranks; accesses reach up to `longest_bytes`.
  Epochs(const parallel::Communicator& both, Memory memory, std::int64_t longest_bytes);
  ~Epochs();
  Epochs(const Epochs&) = delete;
  Epochs& operator=(const Epochs&) = delete;

  AccessTime access(Access access, std::int64_t bytes, int iterations);
  // Seconds of one epoch with its put; of a flush alone. Collective.
  double epoch(Epoch epoch, int iterations);

 private:
  void start(Access access, std::int64_t bytes);
  void train(Access access, std::int64_t bytes, int accesses);
  double calls_s(Access access, std::int64_t bytes, int iterations);
  void one_epoch(Epoch epoch);

  const parallel::Communicator& both_;
  int other_;
  std::vector<double> local_, memory_;
  MPI_Group partner_ = MPI_GROUP_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
};

}  // namespace hakaru::probes::putget
