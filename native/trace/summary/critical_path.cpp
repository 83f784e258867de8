// The longest chain of dependences of the run as it was: backwards from the last end, through a
// rank's own work, and at each wait to the rank that it waited for.
#include <algorithm>

#include "native/trace/summary/summary.hpp"

namespace hakaru::trace {
namespace {

using schedule::Kind;
using schedule::Operation;

class Walk {
 public:
  Walk(const Trace& trace, Summary& summary)
      : trace_(trace), summary_(summary), path_(summary.critical_path) {
    for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
      operations_.emplace_back();
      each_operation(trace, rank, [&](const Operation& o, const OperationTime& time) {
        operations_.back().emplace_back(&o, &time);
      });
      unvisited_.push_back(operations_.back().size());
    }
  }

  void back_from(std::size_t rank, double time) {
    rank_ = rank;
    time_ = time;
    while (time_ > begin(rank_)) step();
  }

 private:
  double begin(std::size_t rank) const {
    return std::max(trace_.ranks[rank].initialised_s, summary_.spans[rank].from_s);
  }

  void step() {
    const std::vector<TimedOperation>& all = operations_[rank_];
    std::size_t& bound = unvisited_[rank_];
    while (bound > 0 && all[bound - 1].second->enter_s >= time_) --bound;
    if (bound == 0) return outside(begin(rank_));
    const std::size_t last = bound - 1;
    std::size_t first = last;  // of the operations of one call
    while (first > 0 && all[first].second->part > 0) --first;
    const OperationTime& time = *all[first].second;
    if (time.leave_s < time_) outside(std::max(time.leave_s, begin(rank_)));
    const Cause cause = latest_cause(first, last);
    bound = first;
    if (cause.rank >= 0) {
      add(first, time_ - cause.time_s);
      ++path_.messages;
      rank_ = static_cast<std::size_t>(cause.rank);
      time_ = cause.time_s;
      return;
    }
    const double until = std::max(time.enter_s, begin(rank_));
    if (until < time_) add(first, time_ - until);
    time_ = std::min(time_, until);
  }

  // What ended the wait of a call, when that lies inside the call.
  Cause latest_cause(std::size_t first, std::size_t last) const {
    Cause found;
    for (std::size_t i = first; i <= last; ++i) {
      const auto known = summary_.causes.find(operations_[rank_][i].second);
      if (known == summary_.causes.end()) continue;
      const Cause& one = known->second;
      const bool inside = one.time_s > known->first->enter_s && one.time_s < time_;
      if (inside && (found.rank < 0 || one.time_s > found.time_s)) found = one;
    }
    return found;
  }

  void outside(double until) {
    path_.kinds[static_cast<std::size_t>(TimeKind::other)] += std::max(0.0, time_ - until);
    note(time_ - until);
    time_ = std::min(time_, until);
  }

  // Of a burst only its own seconds are computing: calls that became no operation lie inside.
  void add(std::size_t index, double length) {
    const Operation& o = *operations_[rank_][index].first;
    const OperationTime& time = *operations_[rank_][index].second;
    note(length);
    const double own = o.kind == Kind::compute ? std::min(o.seconds, length) : length;
    path_.kinds[static_cast<std::size_t>(kind_of(o))] += own;
    path_.kinds[static_cast<std::size_t>(TimeKind::other)] += length - own;
    if (time.call != no_call) path_.calls[trace_.calls[time.call]] += length;
    if (o.phase != schedule::no_phase) path_.phases[trace_.schedule.phases[o.phase].name] += length;
  }

  // The last `length` before time_ are this rank's.
  void note(double length) {
    if (length <= 0) return;
    const double begin = time_ - length;
    std::vector<PathPiece>& pieces = path_.pieces;
    if (!pieces.empty() && pieces.back().rank == static_cast<std::int32_t>(rank_) &&
        pieces.back().begin_s == time_) {
      pieces.back().begin_s = begin;
    } else {
      pieces.push_back({static_cast<std::int32_t>(rank_), begin, time_});
    }
  }

  const Trace& trace_;
  Summary& summary_;
  CriticalPath& path_;
  std::vector<std::vector<TimedOperation>> operations_;  // by rank
  std::vector<std::size_t> unvisited_;  // operations of each rank, so that none is visited twice
  std::size_t rank_ = 0;
  double time_ = 0;
};

// When a rank's last operation was over: MPI_Finalize is no part of the run.
double end_of(const Trace& trace, const Span& span, std::size_t rank) {
  double end = trace.ranks[rank].begin_s;
  const OperationTime* last = nullptr;
  const Operation* last_done = nullptr;
  each_operation(trace, rank, [&](const Operation& o, const OperationTime& time) {
    if (o.kind != Kind::compute) end = std::max(end, time.leave_s);
    last = &time, last_done = &o;
  });
  if (last != nullptr && last_done->kind == Kind::compute)
    end = std::max(end,
                   std::max(last->enter_s, trace.ranks[rank].initialised_s) + last_done->seconds);
  return std::min(end, span.to_s);
}

}  // namespace

void find_critical_path(const Trace& trace, Summary& summary) {
  std::size_t last = 0;
  double end = -1;
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    const double own = end_of(trace, summary.spans[rank], rank);
    if (own > end) end = own, last = rank;
  }
  if (!trace.ranks.empty()) Walk(trace, summary).back_from(last, end);
}

}  // namespace hakaru::trace
