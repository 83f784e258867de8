// Reads an archive in this process: what read_trace does, without its protection.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "native/trace/reader/rank_builder.hpp"

namespace hakaru::trace {

struct Part {
  std::int32_t first = 0, last = 0;  // ranks; the last one excluded
};

// Called before the first rank is read; says which ranks are to be. `one_stream_each`: no rank's
// threads call MPI beside it.
using Begin = std::function<Part(const Definitions&, bool one_stream_each)>;
// Called in the order of ranks.
using RankDone = std::function<void(std::int32_t rank, RankBuilder&)>;

struct ArchiveSummary {
  std::string creator, program;
  std::vector<std::string> calls;
  std::vector<schedule::Phase> phases;
  std::vector<schedule::CommunicatorFamily> communicators;
  std::vector<std::vector<std::int64_t>> lists;
  std::vector<std::string> warnings;
};

ArchiveSummary read_archive(const std::string& anchor, const ReadOptions& options,
                            const Begin& begin, const RankDone& done);

// The anchor file that a user means by a path: itself, or the only *.otf2 in the folder.
std::string find_anchor(const std::string& path);

}  // namespace hakaru::trace
