// The part of a trace that is summarised: everything between MPI_Init and MPI_Finalize, or between
// two marks.
#pragma once

#include <string>
#include <vector>

#include "native/trace/reader/trace.hpp"

namespace hakaru::trace {

// A mark is the name of a phase (`from` its first begin, `to` its last end) or of an MPI call,
// which marks the moment at which it returned: "MPI_Barrier" the first (of `to` the last) of each
// rank, "MPI_Barrier:3" the third. Empty: no mark at this end.
struct Marks {
  std::string from, to;
  bool any() const { return !from.empty() || !to.empty(); }
};

struct Span {
  double from_s = 0, to_s = 0;  // s after the start of the trace

  bool holds(double time_s) const { return from_s <= time_s && time_s < to_s; }
  // Of `seconds` spent evenly in a stretch of time, those inside.
  double part(double seconds, double enter_s, double leave_s) const;
};

// One of each rank; without marks all that it recorded. `trace` must have been read with its times,
// for marks with those of silent calls too. Throws base::UserError where a rank has not the marks,
// or has them in the wrong order.
std::vector<Span> spans_of(const Trace& trace, const Marks& marks);

}  // namespace hakaru::trace
