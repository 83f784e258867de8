// Ways in which ranks write and read one set of data: a file each, one file by MPI-IO, through a
// master, or one array of a parallel library.
#pragma once

#include <string>
#include <vector>

#include "native/parallel/communicator.hpp"
#include "probes/files/array_file.hpp"
#include "probes/files/pattern.hpp"
#include "probes/files/place.hpp"
#include "probes/files/timing.hpp"

namespace hakaru::probes::files {

enum class Way {
  split,
  split_direct,
  independent,
  collective,
  master,
  hdf5_independent,
  hdf5_collective,
  pnetcdf_independent,
  pnetcdf_collective
};
constexpr Way all_ways[] = {Way::split,
                            Way::split_direct,
                            Way::independent,
                            Way::collective,
                            Way::master,
                            Way::hdf5_independent,
                            Way::hdf5_collective,
                            Way::pnetcdf_independent,
                            Way::pnetcdf_collective};
const char* name_of(Way way);
// The library that the way goes through; none where it is MPI or the system.
const ArrayFile* library_of(Way way);
// Why the way cannot be taken anywhere; "" where it can.
std::string left_out(Way way);
// Whether each rank has a file of its own, which is contiguous whatever the pattern.
constexpr bool has_own_file(Way way) { return way == Way::split || way == Way::split_direct; }

struct Hint {
  std::string key, value;  // both empty: none
  std::string name() const { return key.empty() ? "none" : key + "=" + value; }
};
const std::vector<Hint>& all_hints();

// The path that a rank's bytes are in.
std::string path_of(Way way, const std::string& stem, int rank);

// All are collective, and all ranks throw Unavailable when one cannot.
WriteTimes write(const parallel::Communicator& ranks, Way way, const Pattern& pattern,
                 const std::string& stem, const Bytes& data, const Hint& hint = {});

// Into `data`, which is of the right size. Seconds of the slowest rank.
double read(const parallel::Communicator& ranks, Way way, const Pattern& pattern,
            const std::string& stem, Bytes& data, const Hint& hint = {});

// Bytes of all ranks that the files do not hold as they must, read by plain calls. Collective.
std::size_t wrong_bytes(const parallel::Communicator& ranks, Way way, const Pattern& pattern,
                        const std::string& stem, unsigned seed);

// Deletes what was written. Collective.
void remove(const parallel::Communicator& ranks, Way way, const std::string& stem);

// An MPI file of all ranks with a hint; throws Unavailable on all of them when it cannot be opened.
class MpiFile {
 public:
  MpiFile(const parallel::Communicator& ranks, const std::string& path, int mode,
          const Hint& hint = {});
  ~MpiFile();
  MpiFile(const MpiFile&) = delete;
  MpiFile& operator=(const MpiFile&) = delete;
  MPI_File handle() const { return handle_; }

 private:
  MPI_File handle_ = MPI_FILE_NULL;
};

// What MPI says of an error; "" when there is none, or all `wanted` bytes were moved.
std::string trouble(int code);
std::string trouble(int code, const MPI_Status& status, std::size_t wanted);

}  // namespace hakaru::probes::files
