// The ranks of one archive read by several processes at once: what helpers have read waits in files
// in memory until the first part has been taken.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "native/trace/reader/archive.hpp"
#include "native/trace/reader/channel.hpp"

namespace hakaru::trace {

// All ranks in `most` parts of about as many events each, or in fewer: none is empty, or has fewer
// events than `least`. One part where ranks number what those before them have made: windows,
// files, collectives between groups.
std::vector<Part> divide(const Definitions& definitions, std::size_t most, std::uint64_t least);

// A part's numbers of phases and lists become those of the whole, in the streams of its ranks, too.
void join(ArchiveSummary& whole, ArchiveSummary&& part, schedule::Schedule& schedule, Part ranks);

class Helpers {
 public:
  // Files for parts beside the first; fewer where there is no room.
  explicit Helpers(std::size_t wanted);
  ~Helpers();
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;

  std::size_t most_parts() const { return files_.size() + 1; }
  int file(std::size_t part) const { return files_[part - 1]; }

  // In the process that reads: forks a helper for each part but the first. Every one of these
  // processes gets its own part back; what a helper sends goes to its file.
  Part start(const std::vector<Part>& parts, Sender& to);
  // Until all helpers have ended. Ends this process like one that did not end well.
  void wait();

 private:
  std::vector<int> files_;
  std::vector<pid_t> processes_;
};

}  // namespace hakaru::trace
