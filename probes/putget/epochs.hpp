// MPI's own one-sided operations by kind of synchronisation, in windows whose memory MPI allocated
// and in windows whose memory the program gave: libraries treat the two differently (Open MPI 4.1
// on one host: component sm for the first, ucx or rdma for the others).
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "native/parallel/communicator.hpp"
#include "native/parallel/equal_work.hpp"

namespace hakaru::probes::putget {

enum class Memory { allocated, created };
enum class Access { put, get, accumulate };
// What ends an epoch in which each rank puts 8 B to the other.
enum class Epoch { fence, exposure, lock, lock_all, flush };
// Apart: a call begins when the one before has been done, and epochs for which both ranks come
// after 100 ns of work. Late: the same, of which the last rank works 2 us longer.
enum class Spacing { in_a_row, apart, late };

const char* name_of(Memory memory);
const char* name_of(Access access);
std::string name_of(Epoch epoch, Spacing spacing);
const std::vector<Epoch>& all_epochs();
bool is_timed(Epoch epoch, Spacing spacing);

// Means over iterations of rank 0's accesses, while the other one waits in a barrier.
struct AccessTime {
  double call_s;    // of one call of a train
  double apart_s;   // the same, each when the one before has been done
  double single_s;  // of one call and its flush
  double train_s;   // of a train and its flush
  double new_s;     // of one call of a row of accesses to new data, each in its own place
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
  // Seconds of one epoch with its put and without the longest work before it; of a flush alone.
  // Collective.
  double epoch(Epoch epoch, Spacing spacing, int iterations);

 private:
  void start(Access access, std::int64_t bytes);
  // From one place at home to one in the partner's window.
  void start(Access access, std::int64_t bytes, double* home, MPI_Aint place);
  void train(Access access, std::int64_t bytes, int accesses);
  double calls_s(Access access, std::int64_t bytes, Spacing spacing, int iterations);
  double new_data_s(Access access, std::int64_t bytes, int most);
  template <class Between>
  void one_epoch(Epoch epoch, Between between);

  // Where an access of so many bytes begins at home. Short ones move on by a cache line with each
  // sample: where one lies as far into its page as what it meets does, processors take a load for
  // one of the store before (on a Zen 5, gets of 8 B then took 36 ns in place of 23).
  double* home(std::int64_t bytes) { return local_.data() + (bytes < page_bytes ? into_page_ : 0); }
  static constexpr std::int64_t page_bytes = 4096;
  static constexpr std::size_t line_items = 8, page_items = page_bytes / sizeof(double);

  const parallel::Communicator& both_;
  int other_;
  std::size_t into_page_ = 0;  // items
  parallel::EqualWork work_;
  std::size_t items_;
  std::vector<double> local_, memory_;
  double* exposed_ = nullptr;
  double used_ = 0.0;  // a number out of memory that was exposed
  MPI_Group partner_ = MPI_GROUP_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
};

}  // namespace hakaru::probes::putget
