// Files made, asked for and deleted, by every rank in one folder.
#pragma once

#include "native/parallel/communicator.hpp"
#include "probes/files/place.hpp"

namespace hakaru::probes::files {

struct MetadataTimes {
  double create_s = 0.0, stat_s = 0.0, delete_s = 0.0;  // of one file of the slowest rank
  std::int64_t wrong = 0;  // files of all ranks that were not there, of another size, or stayed
};

// Each rank makes `files` files of 8 bytes. Collective; all ranks throw Unavailable when one
// cannot.
MetadataTimes metadata(const parallel::Communicator& ranks, const SharedFolder& folder, int files);

}  // namespace hakaru::probes::files
