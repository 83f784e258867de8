// A collective by one algorithm or by the MPI library's own choice, on buffers of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "native/parallel/communicator.hpp"

namespace hakaru::probes::collectives {

inline constexpr const char* library = "library";  // the algorithm that the MPI library chooses

const std::vector<std::string>& all_collectives();
// "library", then the named ones of native/parallel/collectives.
std::vector<std::string> algorithms_of(const std::string& collective);

// What makes Open MPI take a named algorithm: "coll_tuned_<collective>_algorithm=<number>".
struct Setting {
  std::string algorithm, openmpi;
};
std::vector<Setting> settings_of(const std::string& collective);

// Buffers for a communicator and a longest length; every method is collective over it.
class Operations {
 public:
  // `maximum_bytes`: as in run(), a multiple of 8.
  Operations(const parallel::Communicator& group, std::int64_t maximum_bytes);

  // One operation. `bytes`: a rank's block (allgather), the block for one rank (alltoall), or the
  // vector (allreduce of doubles, broadcast from rank 0).
  void run(const std::string& collective, const std::string& algorithm, std::int64_t bytes);

  // Bytes of this rank that differ from the library's result, with data of whole numbers. `damage`
  // flips a bit of what came.
  std::int64_t wrong(const std::string& collective, const std::string& algorithm,
                     std::int64_t bytes, bool damage);

  const parallel::Communicator& group() const { return group_; }

 private:
  std::size_t result_bytes(const std::string& collective, std::int64_t bytes) const;
  void fill();

  const parallel::Communicator& group_;
  std::vector<double> out_, in_;
};

}  // namespace hakaru::probes::collectives
