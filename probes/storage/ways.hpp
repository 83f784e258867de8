// Ways in which the ranks of a program can write what they have together: each writes one file, or
// one file for each rank, from scratch, and closes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "native/parallel/communicator.hpp"

namespace hakaru::probes::storage {

enum class Way : std::uint8_t {
  own,         // a file for each rank, POSIX
  shared,      // one file, each rank its bytes by itself: MPI_File_write_at
  collective,  // one file, all ranks together in each call: MPI_File_write_at_all
  master,      // one file, rank 0 gathers in each call and writes
};
// Where the bytes of a call of a rank lie in a file of all ranks.
enum class Pattern : std::uint8_t { parts, interleaved };

struct Method {
  Way way = Way::own;
  Pattern pattern = Pattern::parts;
};
// Files of one rank, or gathered ones, know one pattern only.
inline constexpr Method methods[] = {{Way::own, Pattern::parts},
                                     {Way::shared, Pattern::parts},
                                     {Way::shared, Pattern::interleaved},
                                     {Way::collective, Pattern::parts},
                                     {Way::collective, Pattern::interleaved},
                                     {Way::master, Pattern::parts}};

const char* name_of(Way way);
const char* name_of(Pattern pattern);

// Of each rank: so many calls of so many bytes.
struct Amount {
  std::size_t calls = 1, bytes = 1;
};

// One file (or one for each rank) under `path`, which must be new. `sync`: until it is on the disk.
class Writer {
 public:
  Writer(const parallel::Communicator& ranks, std::string path, bool sync)
      : ranks_(ranks), path_(std::move(path)), sync_(sync) {}

  // Seconds on the slowest rank. Collective. Throws base::UserError(environment) on all ranks when
  // it cannot be written.
  double write(Method method, Amount amount);
  // The greatest number of bytes of a rank that are not where they belong. Collective.
  double wrong_bytes(Method method, Amount amount) const;
  // Changes a byte of what was written. Not collective.
  void damage(Method method) const;
  void remove(Method method) const;

 private:
  std::string file_of(Way way, int rank) const;
  std::size_t place(Method method, Amount amount, int rank, std::size_t call) const;
  bool write_own(Amount amount, const std::vector<char>& data) const;
  bool write_shared(Method method, Amount amount, const std::vector<char>& data) const;
  bool write_gathered(Amount amount, const std::vector<char>& data) const;

  const parallel::Communicator& ranks_;
  std::string path_;
  bool sync_;
};

}  // namespace hakaru::probes::storage
