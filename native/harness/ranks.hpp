// What the harness needs of a set of ranks. Implemented over MPI and for one rank without MPI; the
// linked one defines start_ranks().
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "native/base/phases.hpp"

namespace hakaru::harness {

class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual void barrier() = 0;
  // Every rank's values, concatenated in rank order, at rank 0; empty elsewhere. All ranks give the
  // same number of values.
  virtual std::vector<double> gather(const std::vector<double>& values) = 0;
  // Every rank's text in rank order at rank 0; empty elsewhere.
  virtual std::vector<std::string> gather(const std::string& text) = 0;
  virtual bool all(bool value) = 0;
  // One way between the first and the last rank in s, by empty messages
  // (native/base/handover.hpp). Collective; 0 where rank 0 does not want it, and on other ranks.
  virtual double handover_s(bool /*wanted*/) { return 0.0; }
  // Tells a tracer of phases, or nullptr when none could be there.
  virtual base::PhaseObserver* observer() { return nullptr; }
  // Name and version of the MPI library, or "none".
  virtual std::string library() const = 0;
  // Ends all ranks at once with this exit code; used when one rank fails alone.
  [[noreturn]] virtual void abort(int exit_code) = 0;
};

std::unique_ptr<Ranks> start_ranks(int& argument_count, char**& arguments, int threads);

// True when the linked implementation uses MPI.
bool uses_mpi();

// Rank and number of ranks as the launcher's environment tells them before MPI has started; {0, 1}
// without a launcher.
struct LauncherView {
  int rank = 0;
  int size = 1;
};
LauncherView launcher_view();

// Throws UserError when `started` copies of a program were started that do not see each other:
// usage for a program without MPI, environment where another library's launcher started it.
void require_one_program(const std::string& name, int started, int seen, bool with_mpi);

}  // namespace hakaru::harness
