// Reads an archive in this process: what read_trace does, without its protection.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "native/trace/reader/rank_builder.hpp"

namespace hakaru::trace {

// Called in the order of ranks.
using RankDone = std::function<void(std::int32_t rank, RankBuilder&)>;

struct ArchiveSummary {
  std::string creator, program;
  std::vector<std::string> calls;
  std::vector<schedule::Phase> phases;
  std::vector<schedule::CommunicatorFamily> communicators;
  std::vector<std::vector<std::int64_t>> lists;
  std::vector<std::string> warnings;
  std::int32_t ranks = 0;
};

// `begin` is told the number of ranks before the first is read.
ArchiveSummary read_archive(const std::string& anchor, const ReadOptions& options,
                            const std::function<void(std::int32_t)>& begin, const RankDone& done);

// The anchor file that a user means by a path: itself, or the only *.otf2 in the folder.
std::string find_anchor(const std::string& path);

}  // namespace hakaru::trace
