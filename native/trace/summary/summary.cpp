#include "native/trace/summary/summary.hpp"

#include <algorithm>
#include <numeric>

#include "native/base/require.hpp"
#include "native/trace/reader/call.hpp"

namespace hakaru::trace {
namespace {

using schedule::Kind;
using schedule::Operation;

}  // namespace

TimeKind kind_of(const Operation& operation) {
  switch (operation.kind) {
    case Kind::compute:
      return TimeKind::compute;
    case Kind::send:
    case Kind::receive:
    case Kind::isend:
    case Kind::ireceive:
    case Kind::probe:
      return TimeKind::point_to_point;
    case Kind::wait:
      return TimeKind::wait;
    case Kind::collective:
      return TimeKind::collective;
    case Kind::file_read:
    case Kind::file_write:
    case Kind::file_open:
    case Kind::file_close:
      return TimeKind::io;
    default:
      return TimeKind::one_sided;
  }
}

namespace {

bool is_mark(const Operation& operation) {
  return operation.kind == Kind::phase_begin || operation.kind == Kind::phase_end;
}

std::uint64_t bytes_of(const schedule::Schedule& schedule, const Operation& operation) {
  switch (operation.kind) {
    case Kind::send:
    case Kind::receive:
    case Kind::isend:
    case Kind::ireceive:
    case Kind::put:
    case Kind::get:
    case Kind::accumulate:
    case Kind::file_read:
    case Kind::file_write:
      return operation.bytes;
    case Kind::collective:
      break;
    default:
      return 0;
  }
  if (operation.payload < 0) return operation.bytes;
  const std::vector<std::int64_t>& list =
      schedule.lists[static_cast<std::size_t>(operation.payload)];
  std::uint64_t sum = 0;
  const bool pairs = operation.collective == schedule::Collective::neighbour_exchange;
  const std::size_t end =
      pairs ? std::min<std::size_t>(list.size(), 2 * operation.bytes) : list.size();
  for (std::size_t i = pairs ? 1 : 0; i < end; i += pairs ? 2 : 1)
    sum += static_cast<std::uint64_t>(list[i]);
  return sum;
}

struct RankWalk {
  const Trace& trace;
  Summary& summary;
  std::size_t rank;
  std::vector<double> phases;  // by phase + 1, of this rank

  void add(const Operation& operation, const OperationTime& time) {
    const Span& span = summary.spans[rank];
    const double seconds =
        span.part(operation.kind == Kind::compute ? operation.seconds : time.leave_s - time.enter_s,
                  time.enter_s, time.leave_s);
    const bool inside = span.holds(time.enter_s);
    const auto kind = static_cast<std::size_t>(kind_of(operation));
    const bool named = time.call != no_call;
    if (named) {
      CallTotal& total = summary.calls[trace.calls[time.call]];
      total.bytes += inside ? bytes_of(trace.schedule, operation) : 0;
      if (time.part > 0) return;
      total.calls += inside;
      total.seconds += seconds;
    }
    summary.ranks[rank][kind] += seconds;
    const std::size_t phase = operation.phase == schedule::no_phase ? 0 : operation.phase + 1u;
    phases[phase] += seconds;
    summary.phases[phase == 0 ? "" : trace.schedule.phases[phase - 1].name].kinds[kind] += seconds;
  }
};

// Between marks only those that lie there, each on its own.
std::vector<SilentCall> silent_calls(const Trace& trace, const Summary& summary, std::size_t rank) {
  if (!summary.marks.any()) return trace.ranks[rank].silent;
  const Span& span = summary.spans[rank];
  std::vector<SilentCall> found;
  for (const OperationTime& time : trace.ranks[rank].silent_at) {
    const double seconds = span.part(time.leave_s - time.enter_s, time.enter_s, time.leave_s);
    if (seconds > 0 || span.holds(time.enter_s)) found.push_back({time.call, 1, seconds});
  }
  return found;
}

void walk(const Trace& trace, Summary& summary, std::size_t rank) {
  RankWalk walk{trace, summary, rank, std::vector<double>(trace.schedule.phases.size() + 1)};
  const schedule::Stream& stream = trace.schedule.streams[rank];
  for (std::size_t i = 0; i < stream.size(); ++i) {
    if (!is_mark(stream[i])) walk.add(stream[i], trace.times[rank][i]);
  }
  for (const SilentCall& silent : silent_calls(trace, summary, rank)) {
    CallTotal& total = summary.calls[trace.calls[silent.call]];
    total.calls += silent.calls;
    total.seconds += silent.seconds;
    const CallKind kind = classify(trace.calls[silent.call]).kind;
    const TimeKind time = kind == CallKind::environment ? TimeKind::environment : TimeKind::other;
    if (kind != CallKind::test)
      summary.ranks[rank][static_cast<std::size_t>(time)] += silent.seconds;
  }
  for (std::size_t phase = 0; phase < walk.phases.size(); ++phase) {
    if (walk.phases[phase] == 0) continue;
    PhaseTotal& total = summary.phases[phase == 0 ? "" : trace.schedule.phases[phase - 1].name];
    total.sum_s += walk.phases[phase];
    total.max_s = std::max(total.max_s, walk.phases[phase]);
  }
}

void measure_efficiencies(const Trace& trace, Summary& summary) {
  double sum = 0, most = 0;
  Efficiencies& e = summary.efficiencies;
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    const double compute = summary.ranks[rank][static_cast<std::size_t>(TimeKind::compute)];
    sum += compute;
    most = std::max(most, compute);
    const RankTrace& one = trace.ranks[rank];
    const Span& span = summary.spans[rank];
    const double runtime = std::min(one.end_s, span.to_s) - std::max(one.begin_s, span.from_s) -
                           summary.ranks[rank][static_cast<std::size_t>(TimeKind::environment)];
    e.runtime_s = std::max(e.runtime_s, runtime);
  }
  if (most <= 0 || e.runtime_s <= 0) return;
  e.load_balance = sum / static_cast<double>(trace.ranks.size()) / most;
  e.communication = most / e.runtime_s;
  e.parallel = e.load_balance * e.communication;
}

}  // namespace

double WaitingByCall::total_s() const {
  return std::accumulate(by_rank.begin(), by_rank.end(), 0.0);
}

Summary summarise(const Trace& trace, const Marks& marks, std::int32_t most_blocks) {
  Summary summary;
  summary.marks = marks;
  summary.spans = spans_of(trace, marks);
  const std::size_t ranks = trace.ranks.size();
  summary.causes.resize(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    HAKARU_EXPECTS(trace.times[rank].size() == trace.schedule.streams[rank].size());
    summary.causes[rank].resize(trace.times[rank].size());
  }
  summary.ranks.resize(ranks);
  summary.block = (trace.schedule.ranks + most_blocks - 1) / most_blocks;
  for (WaitingByCall* waiting : {&summary.late_senders, &summary.late_receivers})
    waiting->by_rank.resize(ranks);
  summary.collective_wait_of_rank.resize(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) walk(trace, summary, rank);
  match_messages(trace, summary);
  match_collectives(trace, summary);
  measure_efficiencies(trace, summary);
  find_critical_path(trace, summary);
  return summary;
}

}  // namespace hakaru::trace
