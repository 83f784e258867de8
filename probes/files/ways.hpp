// Ways in which ranks write and read one set of data: a file each, one file by MPI-IO, or through a
// master.
#pragma once

#include <string>
#include <vector>

#include "native/parallel/communicator.hpp"
#include "probes/files/pattern.hpp"
#include "probes/files/place.hpp"

namespace hakaru::probes::files {

enum class Way { split, split_direct, independent, collective, master };
constexpr Way all_ways[] = {Way::split, Way::split_direct, Way::independent, Way::collective,
                            Way::master};
const char* name_of(Way way);
// Whether each rank has a file of its own, which is contiguous whatever the pattern.
constexpr bool has_own_file(Way way) { return way == Way::split || way == Way::split_direct; }

struct Hint {
  std::string key, value;  // both empty: none
  std::string name() const { return key.empty() ? "none" : key + "=" + value; }
};
const std::vector<Hint>& all_hints();

// Seconds of the slowest rank. `cached_s` of what the publication calls cache time (the calls that
// write), `synced_s` with the flush to the device.
struct WriteTimes {
  double cached_s = 0.0, synced_s = 0.0;
};

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
