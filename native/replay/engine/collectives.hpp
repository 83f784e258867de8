// Collectives: who calls which together, by which algorithm or for which price it is done.
#pragma once

#include <fmt/core.h>

#include <cmath>

#include "native/base/require.hpp"
#include "native/replay/engine/collective_steps.hpp"
#include "native/replay/engine/interrupts.hpp"
#include "native/replay/engine/lockstep.hpp"
#include "native/replay/engine/open_requests.hpp"
#include "native/replay/engine/window_prices.hpp"

namespace hakaru::replay {

// What moving bytes of files takes: a rank's own at its rate, those of all at the total rate.
inline double moving_s(const FileSystem& system, double own_bytes, double all_bytes) {
  const auto price = [](double bytes, double rate) { return rate > 0 ? bytes / rate : 0.0; };
  return std::max(price(own_bytes, system.rank_bytes_per_s),
                  price(all_bytes, system.total_bytes_per_s));
}

template <class Timing>
class Collectives {
 public:
  Collectives(const Given<Timing>& given, Ranks<Timing>& ranks, Accounts<Timing>& accounts,
              Transport<Timing>& transport, OpenRequests<Timing>& open, Groups& groups,
              const WindowPrices& prices, Interrupts<Timing>& interrupts)
      : given_(given),
        ranks_(ranks),
        accounts_(accounts),
        transport_(transport),
        open_(open),
        groups_(groups),
        prices_(prices),
        interrupts_(interrupts),
        steps_(given, ranks, accounts, transport),
        lockstep_(given, ranks, accounts, transport) {}

  // The actor's operation is a collective; false when it is blocked in it.
  bool call(Actor& actor);
  // Begins what all ranks of the operation's communicator do together: a collective, or (of a fence
  // or a file) the meeting in it. True when there is nothing to do.
  bool enter(Actor& actor, schedule::Collective what, bool is_collective);
  // Goes on in what was entered; false when the actor is blocked.
  bool advance(Actor& actor);
  // Nothing can go on. Who waits for others to begin in lockstep begins without them, to tell whom
  // exactly it waits for.
  void give_up_lockstep();

 private:
  using Operation = schedule::Operation;
  struct Together {
    double price_s, wire_s;
  };

  void start_helper(Actor& actor);
  void note_call(Actor& actor, schedule::Collective what, bool is_collective);
  void meet(const Actor& actor, Instance& instance, bool is_collective);
  void check_call(const Actor& actor, const Instance& instance, bool is_collective) const;
  void choose(const Actor& actor, Instance& instance) const;
  bool sends_nothing(const Actor& actor) const;
  void copy_own_block(Actor& actor);
  bool come_together(Actor& actor, Instance& instance);
  void begin_in_lockstep(Actor& actor, Instance& instance);
  void release(Actor& actor, Stage stage);
  Together price_of(const Actor& actor, const Instance& instance) const;
  double fence_s(const Actor& actor, const Instance& instance) const;

  const Given<Timing>& given_;
  Ranks<Timing>& ranks_;
  Accounts<Timing>& accounts_;
  Transport<Timing>& transport_;
  OpenRequests<Timing>& open_;
  Groups& groups_;
  const WindowPrices& prices_;
  Interrupts<Timing>& interrupts_;
  CollectiveSteps<Timing> steps_;
  Lockstep<Timing> lockstep_;
};

template <class Timing>
bool Collectives<Timing>::call(Actor& self) {
  if (self.stage == Stage::begins || self.stage == Stage::paid) {
    const double library_s = given_.options.run_time_system.collective_s;
    if (self.stage == Stage::begins && !interrupts_.run_time_system(self, library_s)) return false;
    if (self.operation->request >= 0) {
      start_helper(self);
      return true;
    }
    if (enter(self, self.operation->collective, true)) return true;
    if (self.waiting == Waiting::blocked) return false;
  }
  return advance(self);
}

// The collective of a request runs on its own: as if the NIC or a thread of its own made it
// progress, without taking time from the rank's CPU, and with its own turns at the NIC. It begins
// when it is called.
template <class Timing>
void Collectives<Timing>::start_helper(Actor& self) {
  Actor& helper = ranks_.new_helper(self, open_.start(self, Request::Kind::collective));
  helper.operation = self.operation;
  if (enter(helper, self.operation->collective, true)) {
    helper.stage = Stage::together;
    helper.result_s = helper.clock;
  }
  if (helper.stage != Stage::together || helper.waiting != Waiting::blocked)
    ranks_.make_ready(helper.index);
}

template <class Timing>
void Collectives<Timing>::note_call(Actor& self, schedule::Collective what, bool is_collective) {
  const Operation& operation = *self.operation;
  self.group = groups_.group(operation.communicator, self.rank);
  self.step = 0;
  self.sends_done_s = 0;
  self.together_s = 0;
  self.collective_begin = self.clock;
  self.what = what;
  self.root = is_collective ? operation.peer : -1;
  self.bytes = is_collective ? operation.bytes : 0;
  self.lengths = is_collective && operation.payload != schedule::no_payload
                     ? &given_.schedule.lists[static_cast<std::size_t>(operation.payload)]
                     : nullptr;
}

// The first one of the group chooses how it is done; the others do the same.
template <class Timing>
void Collectives<Timing>::meet(const Actor& self, Instance& instance, bool is_collective) {
  if (instance.first_rank < 0) {
    instance.operation = self.operation;
    instance.first_rank = self.rank;
    choose(self, instance);
    if (!is_collective && self.operation->kind != schedule::Kind::fence) instance.together = true;
    if (is_collective && !instance.together && !self.helper && self.operation->request < 0 &&
        !groups_.has_lengths(self.operation->communicator, self.what))
      instance.lockstep = lockstep_.applies(call_of(self), *instance.algorithm);
  } else {
    check_call(self, instance, is_collective);
  }
  ++instance.arrived;
}

template <class Timing>
bool Collectives<Timing>::enter(Actor& self, schedule::Collective what, bool is_collective) {
  note_call(self, what, is_collective);
  if (self.group.size == 1 && is_collective) {
    copy_own_block(self);
    return true;
  }
  if (is_collective && sends_nothing(self)) return true;
  std::uint32_t number;
  Instance& instance = groups_.enter(self.group, self.rank, number);
  meet(self, instance, is_collective);
  const bool requested = is_collective && self.operation->request >= 0;
  self.channel = channel_of(self.operation->communicator,
                            requested ? Traffic::request_collective : Traffic::collective);
  self.tag = requested ? static_cast<std::int32_t>(number) : 0;
  self.steps = instance.algorithm == nullptr ? nullptr : instance.algorithm->steps;
  const bool neighbours = what == schedule::Collective::neighbour_exchange;
  const bool priced = neighbours && instance.price != nullptr && !instance.price->table.empty();
  self.price = priced ? instance.price : nullptr;
  if (neighbours) self.group.members = nullptr;
  if (is_collective && self.steps != nullptr) copy_own_block(self);
  self.stage = Stage::step_begins;
  if constexpr (Timing::ordered)
    if (self.steps != nullptr) steps_.post_early(self);
  const bool there = instance.together && come_together(self, instance);
  if (instance.lockstep) begin_in_lockstep(self, instance);
  if (instance.arrived == self.group.size) groups_.retire(self.group);
  return there;
}

// Libraries return from an all-to-all of empty blocks, and from a broadcast of none, at once (Open
// MPI, MPICH).
template <class Timing>
bool Collectives<Timing>::sends_nothing(const Actor& self) const {
  using schedule::Collective;
  return (self.what == Collective::alltoall || self.what == Collective::broadcast) &&
         self.bytes == 0 && !groups_.has_lengths(self.operation->communicator, self.what);
}

// The block that a rank has for itself goes from one buffer to the other (unless the call is in
// place, which a schedule does not tell).
template <class Timing>
void Collectives<Timing>::copy_own_block(Actor& self) {
  using schedule::Collective;
  const bool of_root = self.what == Collective::gather || self.what == Collective::scatter;
  const bool of_all = self.what == Collective::alltoall || self.what == Collective::allgather;
  if (of_all || (of_root && self.root == self.group.index))
    transport_.copy(self, call_of(self).block(self.group.index), SegmentKind::runtime);
}

template <class Timing>
void Collectives<Timing>::choose(const Actor& self, Instance& instance) const {
  if (self.operation->kind == schedule::Kind::fence && prices_.of_all(self) != nullptr) {
    instance.together = true;
    return;
  }
  const auto priced = given_.costs.collectives.find(schedule::name_of(self.what));
  if (priced != given_.costs.collectives.end()) {
    instance.price = &priced->second;
    if (!priced->second.table.empty() && self.what == schedule::Collective::neighbour_exchange) {
      instance.algorithm = find_algorithm(self.what, "linear");  // by whom each one waits for
      return;
    }
    if (!priced->second.table.empty()) {
      instance.together = true;
      return;
    }
    if (!priced->second.algorithm.empty()) {
      instance.algorithm = find_algorithm(self.what, priced->second.algorithm);
      instance.together = instance.algorithm->steps == nullptr;
      return;
    }
  }
  instance.algorithm = &decide(given_.costs.decision, call_of(self),
                               groups_.has_lengths(self.operation->communicator, self.what));
}

// What all pay when the last one has come.
template <class Timing>
typename Collectives<Timing>::Together Collectives<Timing>::price_of(
    const Actor& self, const Instance& instance) const {
  using schedule::Kind;
  const Kind kind = self.operation->kind;
  if (kind == Kind::file_read || kind == Kind::file_write)
    return {given_.costs.file_system
                ? moving_s(*given_.costs.file_system, instance.most_bytes, instance.bytes)
                : 0.0,
            0};
  if (kind != Kind::collective && kind != Kind::fence) return {0, 0};
  const double bytes = kind == Kind::fence ? 0.0 : static_cast<double>(self.operation->bytes);
  if (instance.price != nullptr)
    return {price_together(*instance.price, self.group.size, bytes),
            wire_together(*instance.price, self.group.size, bytes)};
  if (kind == Kind::fence) return {fence_s(self, instance), 0};
  return {0, 0};
}

// By how soon the last one has come after its last receive or fence; and who comes late finds what
// the others sent on its way, or there.
template <class Timing>
double Collectives<Timing>::fence_s(const Actor& self, const Instance& instance) const {
  const OneSided& prices = *prices_.of_all(self);
  const double of_two_s =
      prices.fence.at(transport_.crowd(instance.latest_rank, prices_.level_of_all(self)));
  const double hidden_s = std::max(of_two_s - prices.fence_late_s.value_or(of_two_s), 0.0);
  return of_two_s * std::ceil(std::log2(self.group.size)) -
         std::min(instance.latest_s - instance.before_latest_s, hidden_s);
}

// True when this one was the last, and the others have been told.
template <class Timing>
bool Collectives<Timing>::come_together(Actor& self, Instance& instance) {
  self.stage = Stage::together;
  const double bytes = static_cast<double>(
      self.operation->kind == schedule::Kind::fence ? 0 : self.operation->bytes);
  instance.bytes += bytes;
  instance.most_bytes = std::max(instance.most_bytes, bytes);
  const bool latest = instance.latest_rank < 0 || self.clock > instance.latest_s;
  instance.before_latest_s =
      latest ? instance.latest_s : std::max(instance.before_latest_s, self.clock);
  if (latest) {
    instance.latest_s = self.clock;
    instance.latest_rank = self.rank;
    if (Recorder* recorder = given_.recorder())
      instance.latest_stretches = recorder->stretches(self.rank);
  }
  if (instance.arrived < self.group.size) {
    instance.waiting.push_back(self.index);
    self.waiting = Waiting::blocked;
    return false;
  }
  const auto [price_s, wire_s] = price_of(self, instance);
  const Cause cause{instance.latest_rank, instance.latest_s, 0, wire_s, instance.latest_stretches};
  for (const std::uint32_t index : instance.waiting) {
    ranks_.actor(index).together_s = price_s;
    ranks_.complete({Waiter::Kind::actor, index}, instance.latest_s + wire_s, 0, cause);
  }
  self.together_s = price_s;
  ranks_.complete(waiter_of(self), instance.latest_s + wire_s, 0, cause);
  instance.waiting = {};
  return self.operation->kind != schedule::Kind::collective;
}

// The last one that comes makes the steps of all.
template <class Timing>
void Collectives<Timing>::begin_in_lockstep(Actor& self, Instance& instance) {
  self.stage = Stage::together;
  if (instance.arrived < self.group.size) {
    if (instance.waiting.empty())
      instance.waiting.reserve(static_cast<std::size_t>(self.group.size));
    instance.waiting.push_back(self.index);
    self.waiting = Waiting::blocked;
    return;
  }
  const Stage then = lockstep_.run(self) ? Stage::last_sends : Stage::step_begins;
  for (const std::uint32_t index : instance.waiting) release(ranks_.actor(index), then);
  self.stage = then;
  instance.waiting = {};
}

template <class Timing>
void Collectives<Timing>::release(Actor& actor, Stage stage) {
  actor.stage = stage;
  ranks_.wake(actor, actor.index);
}

template <class Timing>
void Collectives<Timing>::give_up_lockstep() {
  groups_.for_each_open([&](std::uint32_t, std::uint32_t, const Instance& instance) {
    if (!instance.lockstep) return;
    for (const std::uint32_t index : instance.waiting)
      release(ranks_.actor(index), Stage::step_begins);
  });
}

template <class Timing>
bool Collectives<Timing>::advance(Actor& self) {
  if (self.stage != Stage::together) return steps_.advance(self);
  accounts_.wait_until(self, self.result_s);
  accounts_.spend(self, self.together_s,
                  given_.costs.put_get ? SegmentKind::overhead : SegmentKind::runtime);
  if (self.operation->kind == schedule::Kind::fence) transport_.met(self.rank, self.clock);
  return true;
}

template <class Timing>
void Collectives<Timing>::check_call(const Actor& self, const Instance& instance,
                                     bool is_collective) const {
  using schedule::Collective;
  const Operation& own = *self.operation;
  const Operation& other = *instance.operation;
  const bool same_call =
      own.kind == other.kind && (!is_collective || own.collective == other.collective);
  const bool rooted = self.what == Collective::broadcast || self.what == Collective::reduce ||
                      self.what == Collective::gather || self.what == Collective::scatter;
  const bool same_root = !is_collective || !rooted || own.peer == other.peer;
  const bool lengths = groups_.has_lengths(own.communicator, self.what) ||
                       self.what == Collective::neighbour_exchange ||
                       self.what == Collective::barrier;
  const bool same_bytes = !is_collective || lengths || own.bytes == other.bytes;
  if (same_call && same_root && same_bytes) return;
  const char* what = !same_call   ? "different collectives"
                     : !same_root ? "different roots"
                                  : "different lengths";
  throw base::UserError(
      base::ExitCode::usage,
      base::explain(fmt::format("ranks {} and {} call {} at the same place of communicator '{}'",
                                instance.first_rank, self.rank, what,
                                given_.schedule.communicators[own.communicator].name),
                    fmt::format("rank {} calls {}, rank {} calls {}", instance.first_rank,
                                call_text(given_.schedule, other, instance.first_rank), self.rank,
                                call_text(given_.schedule, own, self.rank)),
                    "the program or its trace is inconsistent"));
}

}  // namespace hakaru::replay
