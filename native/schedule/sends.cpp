#include "native/schedule/sends.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "native/base/require.hpp"

namespace hakaru::schedule {
namespace {

// A message's memory: the partner, and what tells messages to it apart.
using Memory = std::tuple<bool, std::int32_t, std::int32_t, std::uint32_t>;

Memory memory_of(const Operation& send) {
  return {send.relative_peer, send.peer, send.tag, send.communicator};
}

bool holds(const Operation& operation) {
  return operation.kind == Kind::send && operation.mode != Mode::buffered;
}

// Blocking sends of a stream and the seconds that it computes, loops unfolded.
struct Total {
  double sends = 0, computing_s = 0;

  explicit Total(const Stream& stream) {
    std::vector<double> times = {1.0};
    for (const Operation& operation : stream) {
      if (operation.kind == Kind::loop_begin)
        times.push_back(times.back() * static_cast<double>(operation.bytes));
      if (operation.kind == Kind::loop_end) times.pop_back();
      if (holds(operation)) sends += times.back();
      if (operation.kind == Kind::compute && operation.payload == no_payload)
        computing_s += times.back() * operation.seconds;
    }
  }
};

class Rewriter {
 public:
  Rewriter(const Stream& from, Waits waits, Started how, std::int32_t first_request)
      : from_(from), waits_(waits), how_(how), first_request_(first_request) {
    const Total total(from);
    pause_s_ = total.sends > 0 ? pause_share * total.computing_s / total.sends : 0.0;
    for (const Operation& operation : from)
      if (holds(operation))
        requests_.try_emplace(memory_of(operation), static_cast<std::int32_t>(requests_.size()));
    open_.resize(requests_.size());
    base::require(static_cast<std::int64_t>(requests_.size()) + first_request <= most_requests,
                  "the sends of a rank cannot be made non-blocking",
                  "it sends with more tags and to more ranks than it can have requests",
                  "replay one phase of it");
  }

  Stream rewritten() {
    walk(0, from_.size());
    wait_for_all(no_phase);
    return std::move(made_);
  }

 private:
  void walk(std::size_t first, std::size_t last) {
    for (std::size_t at = first; at < last; ++at) {
      const Operation& operation = from_[at];
      if (operation.kind == Kind::loop_begin) {
        loop(at);
        at = static_cast<std::size_t>(operation.payload);
      } else {
        one(operation);
      }
    }
  }

  // A loop that leaves other sends open than it found is done once before it is a loop: what its
  // second round leaves open is what it finds.
  void loop(std::size_t begin) {
    const auto end = static_cast<std::size_t>(from_[begin].payload);
    std::uint64_t times = from_[begin].bytes;
    while (times > 0) {
      const std::vector<bool> found = open_;
      const std::size_t mark = made_.size();
      made_.push_back(from_[begin]);
      walk(begin + 1, end);
      if (open_ == found) {
        made_[mark].bytes = times;
        close(mark, from_[end]);
        return;
      }
      drop(mark);
      --times;
    }
  }

  void close(std::size_t mark, Operation closing) {
    closing.payload = static_cast<std::int32_t>(mark);
    made_[mark].payload = static_cast<std::int32_t>(made_.size());
    made_.push_back(closing);
  }

  // Takes the begin of a loop away, and moves the loops inside of it.
  void drop(std::size_t mark) {
    made_.erase(made_.begin() + static_cast<std::ptrdiff_t>(mark));
    for (std::size_t at = mark; at < made_.size(); ++at)
      if (made_[at].kind >= Kind::loop_begin) --made_[at].payload;
  }

  void one(const Operation& operation) {
    if (waits_ == Waits::exchange && computes(operation)) wait_for_all(operation.phase);
    if (!holds(operation)) return made_.push_back(operation);
    const auto memory = static_cast<std::size_t>(requests_.at(memory_of(operation)));
    wait_for(memory, operation.phase);
    Operation started = operation;
    started.kind = Kind::isend;
    started.persistent = how_ == Started::persistent;
    started.request = first_request_ + static_cast<std::int32_t>(memory);
    made_.push_back(started);
    open_[memory] = true;
  }

  bool computes(const Operation& operation) const {
    if (operation.kind != Kind::compute) return false;
    return operation.payload != no_payload || operation.seconds > pause_s_;
  }

  void wait_for(std::size_t memory, std::uint16_t phase) {
    if (!open_[memory]) return;
    Operation waiting;
    waiting.kind = Kind::wait;
    waiting.request = first_request_ + static_cast<std::int32_t>(memory);
    waiting.phase = phase;
    made_.push_back(waiting);
    open_[memory] = false;
  }

  void wait_for_all(std::uint16_t phase) {
    for (std::size_t memory = 0; memory < open_.size(); ++memory) wait_for(memory, phase);
  }

  const Stream& from_;
  Waits waits_;
  Started how_;
  std::int32_t first_request_;
  double pause_s_ = 0;
  std::map<Memory, std::int32_t> requests_;
  std::vector<bool> open_;  // by memory: a send from it was started
  Stream made_;
};

// Requests of a rank are shared by its threads, so all numbers that any stream uses are left alone.
std::int32_t first_free_request(const Schedule& schedule) {
  std::int32_t last = no_request;
  for (const Stream& stream : schedule.streams)
    for (const Operation& operation : stream) last = std::max(last, operation.request);
  return last + 1;
}

}  // namespace

NonblockingSends nonblocking_sends(const Schedule& schedule, Waits waits, Started how) {
  NonblockingSends made{schedule, 0};
  made.schedule.index.reset();
  const std::int32_t first_request = first_free_request(schedule);
  std::vector<std::uint64_t> ranks(schedule.streams.size());
  for (const std::uint32_t stream : schedule.stream_of_rank) ++ranks[stream];
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] == 0) continue;  // of a thread
    const Stream& stream = schedule.streams[i];
    made.sends += ranks[i] * static_cast<std::uint64_t>(Total(stream).sends);
    made.schedule.streams[i] = Rewriter(stream, waits, how, first_request).rewritten();
  }
  validate(made.schedule);
  return made;
}

}  // namespace hakaru::schedule
