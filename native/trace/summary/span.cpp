#include "native/trace/summary/span.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "native/base/require.hpp"

namespace hakaru::trace {
namespace {

using schedule::Kind;

enum class End : std::uint8_t { from, to };

struct Mark {
  std::string name;
  std::size_t number = 0;  // 0: the first of `from`, the last of `to`
};

Mark parse(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || !text.starts_with("MPI_")) return {text, 0};
  const std::string digits = text.substr(colon + 1);
  const bool number = !digits.empty() && digits.size() < 10 &&
                      std::all_of(digits.begin(), digits.end(), ::isdigit) && digits != "0";
  base::require(number, "a mark is not understood", "\"" + text + "\"",
                "write MPI_Barrier:3 for the moment at which the third one returned");
  return {text.substr(0, colon), std::strtoull(digits.c_str(), nullptr, 10)};
}

std::vector<double> of_phase(const Trace& trace, std::size_t rank, const std::string& name,
                             End end) {
  std::vector<double> found;
  const schedule::Stream& stream = trace.schedule.streams[rank];
  const Kind wanted = end == End::from ? Kind::phase_begin : Kind::phase_end;
  for (std::size_t i = 0; i < stream.size(); ++i) {
    if (stream[i].kind == wanted && stream[i].phase < trace.schedule.phases.size() &&
        trace.schedule.phases[stream[i].phase].name == name)
      found.push_back(trace.times[rank][i].enter_s);
  }
  return found;
}

std::vector<double> of_call(const Trace& trace, std::size_t rank, const std::string& name) {
  std::vector<double> found;
  const auto look = [&](const std::vector<OperationTime>& times) {
    for (const OperationTime& time : times) {
      if (time.call != no_call && time.part == 0 && trace.calls[time.call] == name)
        found.push_back(time.leave_s);
    }
  };
  look(trace.times[rank]);
  look(trace.ranks[rank].silent_at);
  std::sort(found.begin(), found.end());
  return found;
}

double moment(const Trace& trace, std::size_t rank, const std::string& text, End end) {
  const Mark mark = parse(text);
  const std::vector<double> all = mark.name.starts_with("MPI_")
                                      ? of_call(trace, rank, mark.name)
                                      : of_phase(trace, rank, mark.name, end);
  base::require(!all.empty() && mark.number <= all.size(), "a mark is not in the trace",
                fmt::format("\"{}\" on rank {}, which has {} of it", text, rank, all.size()),
                "name a phase or an MPI call of every rank, such as MPI_Barrier:2");
  if (mark.number > 0) return all[mark.number - 1];
  return end == End::from ? all.front() : all.back();
}

}  // namespace

double Span::part(double seconds, double enter_s, double leave_s) const {
  if (leave_s <= enter_s) return holds(enter_s) ? seconds : 0.0;
  const double inside = std::min(leave_s, to_s) - std::max(enter_s, from_s);
  return seconds * std::clamp(inside / (leave_s - enter_s), 0.0, 1.0);
}

std::vector<Span> spans_of(const Trace& trace, const Marks& marks) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<Span> spans;
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    Span span{-infinity, infinity};
    if (marks.any()) span = {trace.ranks[rank].begin_s, trace.ranks[rank].end_s};
    if (!marks.from.empty()) span.from_s = moment(trace, rank, marks.from, End::from);
    if (!marks.to.empty()) span.to_s = moment(trace, rank, marks.to, End::to);
    base::require(span.from_s < span.to_s, "the marks are in the wrong order",
                  fmt::format("on rank {} \"{}\" is not before \"{}\"", rank, marks.from, marks.to),
                  "exchange them, or number the calls");
    spans.push_back(span);
  }
  return spans;
}

}  // namespace hakaru::trace
