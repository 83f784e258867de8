#include "probes/overlap/description.hpp"

#include <algorithm>

namespace hakaru::probes::overlap {

using base::PhaseKind;

base::Description description() {
  base::Description d("overlap", "how much communication hides behind computation");
  d.choice("way", "all", {"all", "none", "blocking", "nonblocking", "persistent", "put"},
           "all: every way, every length; another, with n: one run of the SR16000 program")
      .integer("n", 0, 0, 100'000, "1", "doubles of a message; 0: 1, 3, 10, ... maximum_n")
      .integer("maximum_n", 1000, 1, 100'000, "1", "longest message of the SR16000 program")
      .integer("iterations", 10, 1, 10'000, "1", "iterations of the SR16000 program")
      .integer("samples", 7, 1, 100'000, "1", "samples of every point")
      .integer("maximum_bytes", 1 << 22, 1024, 1 << 30, "B", "longest message of the progress test")
      .integer("tests", 16, 1, 100'000, "1", "calls of MPI_Test within the computing")
      .real("times_longer", 3.0, 0.1, 1000.0, "1", "computing over the message alone")
      .preset("small", {{"maximum_n", 100}, {"samples", 5}, {"maximum_bytes", 262144}}, "a second")
      .phase("before", PhaseKind::compute, "work before the messages")
      .phase("messages", PhaseKind::communicate, "from rank 0 to all others, until they may change")
      .phase("after", PhaseKind::compute, "work after the messages")
      .phase("loop", PhaseKind::communicate, "the SR16000 program, work and messages")
      .phase("progress", PhaseKind::communicate, "a message while one side computes")
      .phase("waiting for a group", PhaseKind::idle, "ranks that are not being measured")
      .metric("blocking", "s", base::Better::lower, "the program by MPI_Send, longest messages")
      .metric("persistent", "s", base::Better::lower, "the program by MPI_Start, longest messages")
      .table("levels", {{"ranks", "1"}, {"hosts", "1"}, {"level", "text"}},
             "core: the ranks share a host; node: they do not")
      .table("program",
             {{"way", "text"},
              {"n", "1"},
              {"ranks", "1"},
              {"loaded", "1"},
              {"repetition", "1"},
              {"seconds", "s"}},
             "time of the loop on the slowest rank; loaded 0: the messages without the work")
      .table("progress",
             {{"side", "text"},
              {"bytes", "1"},
              {"tests", "1"},
              {"repetition", "1"},
              {"alone_s", "s"},
              {"compute_s", "s"},
              {"wait_s", "s"}},
             "the side that computes; wait_s: in MPI_Wait after computing")
      .limits(0, 1)
      .verifies({}, "33 doubles by every way, and bytes of the progress test")
      .size_meaning("doubles of the longest message");
  return d;
}

bool single(const base::Parameters& parameters) { return parameters.text("way") != "all"; }

std::vector<std::int64_t> lengths(const base::Parameters& parameters) {
  if (parameters.integer("n") > 0) return {parameters.integer("n")};
  std::vector<std::int64_t> all;
  const std::int64_t longest = parameters.integer("maximum_n");
  for (std::int64_t power = 1; power < longest; power *= 10)
    for (const std::int64_t n : {power, 3 * power})
      if (n < longest) all.push_back(n);
  all.push_back(longest);
  return all;
}

std::vector<std::int64_t> message_sizes(const base::Parameters& parameters) {
  std::vector<std::int64_t> all;
  for (std::int64_t bytes = 1024; bytes < parameters.integer("maximum_bytes"); bytes *= 16)
    all.push_back(bytes);
  all.push_back(parameters.integer("maximum_bytes"));
  return all;
}

}  // namespace hakaru::probes::overlap
