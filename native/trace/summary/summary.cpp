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
    if (count(operation, time, seconds)) spend(operation, seconds);
  }

  // What several threads do: the rank computes while one of them does, and is in the call that
  // began first while none does.
  void threads(const std::vector<TimedOperation>& operations) {
    const Span& span = summary.spans[rank];
    std::vector<std::pair<double, double>> bursts;  // disjoint, in order
    for (const auto& [operation, time] : operations) {
      if (operation->kind != Kind::compute) continue;
      const double enter = std::max(time->enter_s, span.from_s);
      const double leave = std::min(time->leave_s, span.to_s);
      const double begin = bursts.empty() ? enter : std::max(enter, bursts.back().second);
      const double silent =
          leave - enter - span.part(operation->seconds, time->enter_s, time->leave_s);
      if (leave <= begin) continue;
      bursts.emplace_back(begin, leave);
      spend(*operation, std::max(0.0, leave - begin - silent));
    }
    double until = 0;  // everything before is accounted for
    std::size_t burst = 0;
    for (const auto& [operation, time] : operations) {
      if (operation->kind == Kind::compute || is_mark(*operation)) continue;
      const double enter = std::max(time->enter_s, span.from_s);
      const double leave = std::min(time->leave_s, span.to_s);
      if (!count(*operation, *time, std::max(0.0, leave - enter)) || leave <= enter) continue;
      double from = std::max(enter, until), seconds = 0;
      for (; burst < bursts.size() && bursts[burst].first < leave; ++burst) {
        seconds += std::max(0.0, bursts[burst].first - from);
        from = std::max(from, bursts[burst].second);
        if (bursts[burst].second > leave) break;
      }
      seconds += std::max(0.0, leave - from);
      until = std::max(until, leave);
      spend(*operation, seconds);
    }
  }

  // Whether the operation stands for its call's time.
  bool count(const Operation& operation, const OperationTime& time, double seconds) const {
    const bool named = time.call != no_call, inside = summary.spans[rank].holds(time.enter_s);
    if (named) {
      CallTotal& total = summary.calls[trace.calls[time.call]];
      total.bytes += inside ? bytes_of(trace.schedule, operation) : 0;
      if (time.part > 0) return false;
      total.calls += inside;
      total.seconds += seconds;
    }
    return true;
  }

  void spend(const Operation& operation, double seconds) {
    const auto kind = static_cast<std::size_t>(kind_of(operation));
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
  if (trace.ranks[rank].threads > 0) {
    walk.threads(merged_operations(trace, rank));
  } else {
    each_operation(trace, rank, [&](const Operation& operation, const OperationTime& time) {
      if (!is_mark(operation)) walk.add(operation, time);
    });
  }
  for (const SilentCall& silent : silent_calls(trace, summary, rank)) {
    CallTotal& total = summary.calls[trace.calls[silent.call]];
    total.calls += silent.calls;
    total.seconds += silent.seconds;
    const CallKind kind = classify(trace.calls[silent.call]).kind;
    const TimeKind time = kind == CallKind::environment ? TimeKind::environment : TimeKind::other;
    if (!computes(kind)) summary.ranks[rank][static_cast<std::size_t>(time)] += silent.seconds;
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

std::vector<TimedOperation> merged_operations(const Trace& trace, std::size_t rank) {
  std::vector<TimedOperation> all;
  std::vector<bool> joins;  // by request: it is a thread's
  const auto add = [&](std::size_t number) {
    const schedule::Stream& stream = trace.schedule.streams[number];
    for (std::size_t i = 0; i < stream.size(); ++i)
      all.emplace_back(&stream[i], &trace.times[number][i]);
  };
  const schedule::Stream& own = trace.schedule.streams[rank];
  for (std::size_t i = 0; i < own.size(); ++i) {
    const Operation& o = own[i];
    if (o.request >= 0)
      joins.resize(std::max(joins.size(), static_cast<std::size_t>(o.request) + 1));
    if (o.kind == Kind::fork) {
      joins[static_cast<std::size_t>(o.request)] = true;
      add(static_cast<std::size_t>(o.payload));
    } else if (o.kind == Kind::wait && joins[static_cast<std::size_t>(o.request)]) {
      joins[static_cast<std::size_t>(o.request)] = false;
    } else {
      all.emplace_back(&o, &trace.times[rank][i]);
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const TimedOperation& a, const TimedOperation& b) {
    return a.second->enter_s < b.second->enter_s;
  });
  return all;
}

double WaitingByCall::total_s() const {
  return std::accumulate(by_rank.begin(), by_rank.end(), 0.0);
}

Summary summarise(const Trace& trace, const Marks& marks, std::int32_t most_blocks,
                  Listener* listener) {
  Summary summary;
  summary.marks = marks;
  summary.spans = spans_of(trace, marks);
  const std::size_t ranks = trace.ranks.size();
  for (std::size_t i = 0; i < trace.schedule.streams.size(); ++i) {
    HAKARU_EXPECTS(trace.times[i].size() == trace.schedule.streams[i].size());
  }
  summary.ranks.resize(ranks);
  summary.block = (trace.schedule.ranks + most_blocks - 1) / most_blocks;
  for (WaitingByCall* waiting : {&summary.late_senders, &summary.late_receivers})
    waiting->by_rank.resize(ranks);
  summary.collective_wait_of_rank.resize(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) walk(trace, summary, rank);
  match_messages(trace, summary, listener);
  match_collectives(trace, summary, listener);
  measure_efficiencies(trace, summary);
  find_critical_path(trace, summary);
  return summary;
}

}  // namespace hakaru::trace
