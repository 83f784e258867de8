// One array of all ranks in a file of HDF5 or PnetCDF: blocks x ranks x bytes of a block, of which
// each rank has its blocks. The array lies in the file as the other ways have it, behind a header.
#pragma once

#include <string>

#include "native/parallel/communicator.hpp"
#include "probes/files/pattern.hpp"
#include "probes/files/timing.hpp"

namespace hakaru::probes::files {

// The default is a library that is not here: whatever is asked of it throws Unavailable.
class ArrayFile {
 public:
  explicit ArrayFile(std::string absent = "") : absent_(std::move(absent)) {}
  virtual ~ArrayFile() = default;
  // Why the library is not here; "" where it is.
  const std::string& absent() const { return absent_; }

  // All are collective, and all ranks throw Unavailable when one cannot.
  virtual WriteTimes write(const parallel::Communicator& ranks, bool collective,
                           const Pattern& pattern, const std::string& path,
                           const Bytes& data) const;
  // Into `data`, which is of the right size. Seconds of the slowest rank.
  virtual double read(const parallel::Communicator& ranks, bool collective, const Pattern& pattern,
                      const std::string& path, Bytes& data) const;
  // Where the array begins in the file, as the library says without ranks.
  virtual std::size_t begin(const parallel::Communicator& ranks, const std::string& path) const;

 private:
  std::string absent_;
};

constexpr const char* array_name = "array";
// Room for the library's own data beside the array.
constexpr std::size_t header_bytes = 1 << 16;

const ArrayFile& hdf5();
const ArrayFile& pnetcdf();

// Asks rank 0 for a place and tells it to all. Collective; all throw Unavailable where it cannot.
template <typename Ask>
std::size_t asked_of_first(const parallel::Communicator& ranks, const Ask& ask) {
  std::vector<std::int64_t> place{0};
  std::string failed;
  try {
    if (ranks.rank() == 0) place[0] = static_cast<std::int64_t>(ask());
  } catch (const Unavailable& why) {
    failed = why.what();
  }
  agree(ranks, failed);
  ranks.broadcast(place, 0);
  return static_cast<std::size_t>(place[0]);
}

}  // namespace hakaru::probes::files
