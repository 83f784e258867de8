// The ways in which MPI-IO says where data go: offsets, pointers of each rank and of all, calls
// that return at once, and the representation that every machine reads.
#pragma once

#include <string>

#include "native/parallel/communicator.hpp"
#include "probes/files/pattern.hpp"
#include "probes/files/place.hpp"

namespace hakaru::probes::files {

enum class Pointer { explicit_offset, individual, shared, ordered, nonblocking, external32 };
constexpr Pointer all_pointers[] = {Pointer::explicit_offset, Pointer::individual,
                                    Pointer::shared,          Pointer::ordered,
                                    Pointer::nonblocking,     Pointer::external32};
const char* name_of(Pointer pointer);

struct PointerTimes {
  double write_s = 0.0;   // of the slowest rank, into the page cache
  double work_s = 0.0;    // what was computed meanwhile, by itself; 0 where nothing was
  std::size_t wrong = 0;  // bytes of the file that are not what they must be, of all ranks
};

// Every rank writes its blocks, one call a block. With `shared` their order is the kernel's: every
// block has to be there once. Collective; all ranks throw Unavailable where MPI refuses.
PointerTimes write_by(const parallel::Communicator& ranks, Pointer pointer, const Pattern& pattern,
                      const std::string& path, unsigned seed);

}  // namespace hakaru::probes::files
