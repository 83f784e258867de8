#include "native/trace/timeline/pieces.hpp"

#include <algorithm>
#include <map>

#include "native/trace/reader/call.hpp"

namespace hakaru::trace {
namespace {

using schedule::Kind;
using schedule::Operation;

bool is_mark(const Operation& o) {
  return o.kind == Kind::phase_begin || o.kind == Kind::phase_end || o.kind == Kind::fork;
}

// A rank's silent calls that take time from its computing, in their order.
class Silent {
 public:
  Silent(const Trace& trace, const std::vector<OperationTime>& all) : trace_(trace) {
    std::map<std::uint32_t, bool> computes_of;
    for (const OperationTime& time : all) {
      const auto [known, fresh] = computes_of.try_emplace(time.call);
      if (fresh) known->second = computes(classify(trace.calls[time.call]).kind);
      if (!known->second) times_.push_back(time);
    }
    std::stable_sort(
        times_.begin(), times_.end(),
        [](const OperationTime& a, const OperationTime& b) { return a.enter_s < b.enter_s; });
  }

  // Those that begin before `until`.
  void tell(double until, std::uint16_t phase, const PieceWork& work) {
    for (; next_ < times_.size() && times_[next_].enter_s < until; ++next_)
      work(piece(times_[next_], phase));
  }

  // A burst of computing with those that lie inside it.
  void burst(const OperationTime& span, std::uint16_t phase, const Operation* own,
             const PieceWork& work) {
    double from = span.enter_s;
    const auto compute = [&](double until) {
      if (until > from) work({from, until, computing, phase, TimeKind::compute, own});
    };
    for (; next_ < times_.size() && times_[next_].enter_s < span.leave_s; ++next_) {
      const OperationTime& time = times_[next_];
      compute(time.enter_s);
      work(piece(time, phase));
      from = std::max(from, time.leave_s);
    }
    compute(span.leave_s);
  }

 private:
  Piece piece(const OperationTime& time, std::uint16_t phase) const {
    const bool ends = classify(trace_.calls[time.call]).kind == CallKind::environment;
    return {time.enter_s, time.leave_s, time.call, phase,
            ends ? TimeKind::environment : TimeKind::other};
  }

  const Trace& trace_;
  std::vector<OperationTime> times_;
  std::size_t next_ = 0;
};

Piece of_call(const TimedOperation& one) {
  return {one.second->enter_s, one.second->leave_s, one.second->call,
          one.first->phase,    kind_of(*one.first), one.first};
}

void tell_in_order(const Trace& trace, const std::vector<TimedOperation>& operations,
                   const std::vector<OperationTime>& silent_at, const PieceWork& work) {
  Silent silent(trace, silent_at);
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const auto& [operation, time] = operations[i];
    if (is_mark(*operation) || time->part > 0) continue;
    silent.tell(time->enter_s, operation->phase, work);
    if (operation->kind == Kind::compute) {
      if (time->call == no_call) silent.burst(*time, operation->phase, operation, work);
      continue;
    }
    Piece piece = of_call(operations[i]);
    std::size_t end = i + 1;
    while (end < operations.size() && operations[end].second->part > 0) ++end;
    piece.operations = end - i;
    work(piece);
  }
  silent.tell(1e300, schedule::no_phase, work);
}

std::vector<TimedOperation> stream_of(const Trace& trace, std::size_t number) {
  std::vector<TimedOperation> operations;
  const schedule::Stream& stream = trace.schedule.streams[number];
  for (std::size_t i = 0; i < stream.size(); ++i)
    operations.emplace_back(&stream[i], &trace.times[number][i]);
  return operations;
}

// As RankWalk::threads of the summary counts, with the moments.
void tell_threads(const Trace& trace, std::size_t rank, const PieceWork& work) {
  const std::vector<TimedOperation> operations = merged_operations(trace, rank);
  std::vector<Piece> pieces;
  std::vector<std::pair<double, double>> bursts;  // disjoint, in order
  for (const auto& [operation, time] : operations) {
    if (operation->kind != Kind::compute) continue;
    const double begin =
        bursts.empty() ? time->enter_s : std::max(time->enter_s, bursts.back().second);
    if (time->leave_s <= begin) continue;
    bursts.emplace_back(begin, time->leave_s);
    const double silent = time->leave_s - time->enter_s - operation->seconds;
    const double end = std::max(begin, time->leave_s - std::max(0.0, silent));
    pieces.push_back({begin, end, computing, operation->phase, TimeKind::compute, operation});
  }
  double until = -1e300;
  std::size_t burst = 0;
  for (const TimedOperation& one : operations) {
    const auto& [operation, time] = one;
    if (operation->kind == Kind::compute || is_mark(*operation) || time->part > 0) continue;
    double from = std::max(time->enter_s, until);
    const auto add = [&](double to) {
      Piece piece = of_call(one);
      piece.begin_s = from, piece.end_s = to;
      if (to > from) pieces.push_back(piece);
    };
    for (; burst < bursts.size() && bursts[burst].first < time->leave_s; ++burst) {
      add(bursts[burst].first);
      from = std::max(from, bursts[burst].second);
      if (bursts[burst].second > time->leave_s) break;
    }
    add(time->leave_s);
    until = std::max(until, time->leave_s);
  }
  Silent(trace, trace.ranks[rank].silent_at)
      .tell(1e300, schedule::no_phase, [&](const Piece& piece) { pieces.push_back(piece); });
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Piece& a, const Piece& b) { return a.begin_s < b.begin_s; });
  for (const Piece& piece : pieces) work(piece);
}

}  // namespace

void each_piece_of_stream(const Trace& trace, std::size_t number,
                          const std::vector<OperationTime>& silent, const PieceWork& work) {
  tell_in_order(trace, stream_of(trace, number), silent, work);
}

void each_piece(const Trace& trace, std::size_t rank, const PieceWork& work) {
  if (trace.ranks[rank].threads > 0) return tell_threads(trace, rank, work);
  each_piece_of_stream(trace, rank, trace.ranks[rank].silent_at, work);
}

}  // namespace hakaru::trace
