// The replay of a schedule: parts, each in the header of its name, and the loop in which every rank
// runs until it waits for something that has not happened; whoever makes it happen puts it back on
// the list of those that can run. There is no clock but each rank's own.
//
//   Ranks          the ranks and what runs beside them, their requests, whose turn it is
//   Accounts       where their time goes; Disturbance: what it does to messages; Phases
//   Transport      messages, and which receive they belong to (Matching)
//   PointToPoint   the program's own messages and waits; RunAhead: the commonest of them, faster
//                  (Pairs: which of them belong together beforehand)
//   Threads        several of a rank (OpenRequests: what they have started)
//   Collectives    who calls which together (Groups), by CollectiveSteps, by the steps of all at
//                  once (Lockstep), or together for a price
//   Windows        one-sided operations (Accesses, Flags, WindowPrices)
//   Transfers      those by message controller or interrupts (Interrupts)
//   Files          reading and writing
//   Diagnosis      what went wrong
//
// Timing says when a message that left its sender arrives:
// - Immediate: at once, as nothing but the sender's NIC and the latency delays it
// (contention-free);
// - Ordered: in order of time, as messages share links. Ranks still run ahead: nothing that a rank
// does after it was woken at time t
//   happens before t, so that the earliest message under way is always the next one to look at.
#pragma once

#include "native/base/require.hpp"
#include "native/replay/engine/diagnosis.hpp"
#include "native/replay/engine/files.hpp"
#include "native/replay/engine/point_to_point.hpp"
#include "native/replay/engine/run_ahead.hpp"
#include "native/replay/engine/transfers.hpp"

namespace hakaru::replay {

template <class Timing>
class Engine {
 public:
  Engine(const schedule::Schedule& schedule, const Network& network, const Costs& costs,
         const Options& options, Recorder* recorder);
  Result run();

  // For Timing: a flight's last byte left at drained_s and arrived at arrival_s; what comes next of
  // a put or a get, or of a rank that paused.
  const Flight& flight(std::uint32_t index) { return transport_.flights()[index]; }
  void arrived(std::uint32_t flight, double drained_s, double arrival_s);
  void happen(Happening what, std::uint32_t index, double now_s);

 private:
  void run_all();
  void run_ready();
  void run(std::uint32_t actor);
  void run_rank(Actor& actor);
  void run_helper(Actor& actor);
  void run_thread(Actor& actor);
  bool next_operation(Actor& actor);
  bool do_operation(Actor& actor);
  bool advance_operation(Actor& actor);
  void end_operation(Actor& actor);
  void tell_operation(const Actor& actor, std::uint32_t thread);
  bool compute(Actor& actor);
  Result result();

  const Given<Timing> given_;
  Timing timing_;
  std::vector<Controller> controllers_;  // of a network with put_get
  Disturbance<Timing> disturbance_;
  Accounts<Timing> accounts_;
  Ranks<Timing> ranks_;
  Phases phases_;
  ComputePrice price_;
  Groups groups_;
  WindowPrices window_prices_;
  Transport<Timing> transport_;
  OpenRequests<Timing> open_;
  Threads<Timing> threads_;
  PointToPoint<Timing> point_to_point_;
  RunAhead<Timing> run_ahead_;
  Interrupts<Timing> interrupts_;
  Collectives<Timing> collectives_;
  Accesses<Timing> accesses_;
  Flags<Timing> flags_;
  Windows<Timing> windows_;
  Transfers<Timing> transfers_;
  Files<Timing> files_;
  std::uint32_t finished_ = 0;  // ranks at their ends
};

template <class Timing>
Engine<Timing>::Engine(const schedule::Schedule& schedule, const Network& network,
                       const Costs& costs, const Options& options, Recorder* recorder)
    : given_(schedule, network, costs, options, recorder),
      timing_(*this, network, costs, options),
      controllers_(costs.put_get ? given_.ranks() : 0),
      disturbance_(given_),
      accounts_(given_, disturbance_, controllers_),
      ranks_(given_, accounts_),
      phases_(schedule),
      price_(schedule, options),
      groups_(schedule),
      window_prices_(given_, groups_),
      transport_(given_, ranks_, accounts_, disturbance_, timing_),
      open_(given_, ranks_, accounts_),
      threads_(given_, ranks_, accounts_, open_),
      point_to_point_(given_, ranks_, accounts_, disturbance_, transport_, open_, threads_),
      run_ahead_(given_, ranks_, accounts_, transport_, price_, phases_),
      interrupts_(given_, ranks_, accounts_, controllers_, timing_),
      collectives_(given_, ranks_, accounts_, transport_, open_, groups_, window_prices_,
                   interrupts_),
      accesses_(given_, ranks_, accounts_),
      flags_(given_, ranks_, accounts_, interrupts_),
      windows_(given_, ranks_, accounts_, transport_, open_, accesses_, flags_, window_prices_,
               collectives_, timing_),
      transfers_(given_, ranks_, accounts_, transport_, open_, accesses_, flags_, interrupts_,
                 controllers_, timing_),
      files_(given_, accounts_, groups_, collectives_) {
  base::require(!given_.uses(schedule::Kind::fork) || !costs.put_get,
                "the network's put_get knows no threads",
                "several threads of a rank call MPI at once in this schedule",
                "choose a network without put_get");
}

template <class Timing>
Result Engine<Timing>::run() {
  run_all();
  if (finished_ < ranks_.count()) {
    collectives_.give_up_lockstep();
    run_ready();
  }
  const Diagnosis<Timing> diagnosis(given_, ranks_, transport_, groups_, windows_);
  if (finished_ < ranks_.count()) diagnosis.explain_blocked();
  diagnosis.require_nothing_left();
  return result();
}

template <class Timing>
void Engine<Timing>::run_all() {
  for (std::uint32_t rank = 0; rank < ranks_.count(); ++rank) {
    run(rank);
    run_ready();
  }
  while (timing_.next_event()) run_ready();
}

template <class Timing>
void Engine<Timing>::run_ready() {
  for (std::uint32_t index; ranks_.take_ready(index);) run(index);
}

template <class Timing>
void Engine<Timing>::run(std::uint32_t index) {
  Actor& self = ranks_.actor(index);
  if (!self.helper) return run_rank(self);
  if (self.thread != none) return run_thread(self);
  run_helper(self);
}

template <class Timing>
void Engine<Timing>::run_helper(Actor& self) {
  if (!collectives_.advance(self)) return;
  self.waiting = Waiting::finished;
  if (Recorder* recorder = given_.recorder()) Recorder::at(recorder->of_actor, self.index) = {};
  ranks_.release(self);
  ranks_.complete({Waiter::Kind::request, self.request}, self.clock, 0, {});
}

template <class Timing>
void Engine<Timing>::run_thread(Actor& self) {
  for (;;) {
    if (self.operation == nullptr) {
      self.operation = threads_.next(self);
      self.operation_begin = self.clock;
    }
    if (self.operation == nullptr) return threads_.end(self);
    if (!advance_operation(self)) return;
    tell_operation(self, self.thread + 1);
    self.operation = nullptr;
    self.stage = Stage::begins;
  }
}

template <class Timing>
void Engine<Timing>::run_rank(Actor& self) {
  for (;;) {
    if constexpr (Timing::plain)
      if (run_ahead_.applies() && !inside_steps(self.stage) && !run_ahead_.run(self)) return;
    if (self.operation == nullptr && !next_operation(self)) return;
    if (!do_operation(self)) return;
    end_operation(self);
  }
}

// False: the rank is at its end.
template <class Timing>
bool Engine<Timing>::next_operation(Actor& self) {
  self.operation = ranks_.cursor(self.index).next(given_.schedule.stream(self.rank));
  if (phases_.any() || given_.recorder() != nullptr) self.operation_begin = self.clock;
  if (self.operation != nullptr) return true;
  self.waiting = Waiting::finished;
  ++finished_;
  return false;
}

// False: the rank is blocked in it, or pauses at its end.
template <class Timing>
bool Engine<Timing>::do_operation(Actor& self) {
  if constexpr (!Timing::ordered || Timing::plain)
    return inside_steps(self.stage) ? collectives_.advance(self) : advance_operation(self);
  if (self.done) {
    self.done = false;
    return true;
  }
  if (!advance_operation(self)) return false;
  self.done = interrupts_.any() && interrupts_.pause(self);
  return !self.done;
}

template <class Timing>
bool Engine<Timing>::advance_operation(Actor& self) {
  using schedule::Kind;
  switch (self.operation->kind) {
    case Kind::compute:
      return compute(self);
    case Kind::send:
      return point_to_point_.send(self);
    case Kind::receive:
      return point_to_point_.receive(self);
    case Kind::isend:
      return point_to_point_.start_send(self);
    case Kind::ireceive:
      return point_to_point_.start_receive(self);
    case Kind::probe:
      return point_to_point_.probe(self);
    case Kind::wait:
      return point_to_point_.wait(self);
    case Kind::collective:
      return collectives_.call(self);
    case Kind::put:
    case Kind::accumulate:
      return given_.costs.put_get ? transfers_.call(self) : windows_.put(self);
    case Kind::get:
      return given_.costs.put_get ? transfers_.call(self) : windows_.get(self);
    case Kind::fence:
      return windows_.fence(self);
    case Kind::post:
    case Kind::start:
    case Kind::complete:
    case Kind::wait_exposure:
    case Kind::lock:
    case Kind::unlock:
    case Kind::flush:
      return windows_.synchronise(self);
    case Kind::flag_wait:
      return flags_.wait(self);
    case Kind::file_read:
    case Kind::file_write:
    case Kind::file_open:
    case Kind::file_close:
      return files_.call(self);
    case Kind::fork:
      threads_.fork(self);
      return true;
    case Kind::phase_begin:
    case Kind::phase_end:
    case Kind::loop_begin:
    case Kind::loop_end:
      return true;
  }
  throw base::UserError(base::ExitCode::usage, "the schedule has an operation of no known kind");
}

template <class Timing>
void Engine<Timing>::end_operation(Actor& self) {
  if (double* phase_s = phases_.of_rank(self.index))
    phase_s[phases_.column(self.operation->phase)] += self.clock - self.operation_begin;
  tell_operation(self, 0);
  self.operation = nullptr;
  self.stage = Stage::begins;
}

template <class Timing>
void Engine<Timing>::tell_operation(const Actor& self, std::uint32_t thread) {
  if (Recorder* recorder = given_.recorder())
    recorder->operation({self.operation, self.operation_begin, self.clock, self.rank, thread});
}

template <class Timing>
bool Engine<Timing>::compute(Actor& self) {
  const double begin_s = self.clock;
  double seconds = price_.seconds(*self.operation, self.rank, begin_s);
  if (given_.disturbed()) seconds += disturbance_.refilling_s(self.rank, begin_s, seconds);
  accounts_.spend(self, seconds, SegmentKind::compute);
  if (given_.disturbed()) disturbance_.computed(self.rank, begin_s, self.clock, *self.operation);
  return true;
}

template <class Timing>
void Engine<Timing>::arrived(std::uint32_t index, double drained_s, double arrival_s) {
  if (flight(index).what == Flight::What::message)
    transport_.arrived(index, drained_s, arrival_s);
  else
    windows_.arrived(index, drained_s, arrival_s);
}

template <class Timing>
void Engine<Timing>::happen(Happening what, std::uint32_t index, double now_s) {
  if (what != Happening::resume) return transfers_.happen(what, index, now_s);
  if (interrupts_.may_resume(ranks_.actor(index), now_s)) run(index);
}

template <class Timing>
Result Engine<Timing>::result() {
  Result result;
  std::int32_t last = 0;
  for (std::int32_t rank = 0; rank < given_.schedule.ranks; ++rank) {
    RankResult& account = accounts_.of(rank);
    account.finish_s = ranks_.of(rank).clock;
    result.messages += account.messages;
    result.bytes += account.bytes;
    if (account.finish_s > result.makespan_s) last = rank;
    result.makespan_s = std::max(result.makespan_s, account.finish_s);
  }
  phases_.tell(result);
  result.ranks = accounts_.take_ranks();
  result.engine = Timing::name;
  Recorder* const recorder = given_.recorder();
  if (recorder != nullptr && given_.options.critical_path) {
    result.has_critical_path = true;
    result.critical_path = recorder->critical_path(last, result.makespan_s);
  }
  return result;
}

}  // namespace hakaru::replay
