// The ranks of one archive read by several processes at once, each with a pipe of its own.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <utility>
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
  // Pipes for parts beside the first; fewer where there is no room.
  explicit Helpers(std::size_t wanted);
  ~Helpers();
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;

  std::size_t most_parts() const { return pipes_.size() + 1; }

  // In the process that reads: forks a helper for each part but the first. Every one of these
  // processes gets its own part back; what a helper sends goes to its pipe.
  Part start(const std::vector<Part>& parts, Sender& to);
  // Until all helpers have ended. Ends this process like one that did not end well.
  void wait();

  // This process's ends to write to: one that is left open hides that a writer is gone.
  void close_writing();
  // Where the part comes from; whoever asks closes it.
  int take_pipe(std::size_t part) { return std::exchange(pipes_[part - 1].out, -1); }

 private:
  struct Pipe {
    int out = -1, in = -1;
  };
  static void close_end(int& end);

  std::vector<Pipe> pipes_;
  std::vector<pid_t> processes_;
};

}  // namespace hakaru::trace
