// The matching core of both engines. Every rank runs until it waits for something that has not
// happened; whoever makes it happen puts it back on the list of those that can run. There is no
// clock but each rank's own.
//
// Timing says when a message that left its sender arrives:
// - Immediate: at once, as nothing but the sender's NIC and the latency delays it
// (contention-free);
// - Ordered: in order of time, as messages share links. Ranks still run ahead: nothing that a rank
// does after it was woken at time t
//   happens before t, so that the earliest message under way is always the next one to look at.
//
// A message of s bytes, sent at t: the CPU is busy until t + o_send; the NIC takes it when it is
// done with the messages before, at i >= t + o_send, and is busy until i + G (s - 1) + g; the last
// byte arrives at i + G (s - 1) + L. The receive costs o_receive from max(arrival, when it is
// waited for). Rendezvous: the announcement reaches the receiver at t + o_send + L, the answer
// leaves when the receive is posted and takes L, and then the transfer begins. A blocking sender is
// held until its last byte has left. A transfer takes its turn at the NIC when it is started by the
// program; so a run is a system of maxima and sums in which the order of execution plays no part.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "native/replay/engine/actor.hpp"
#include "native/replay/engine/compute_price.hpp"
#include "native/replay/engine/groups.hpp"
#include "native/replay/engine/recorder.hpp"
#include "native/replay/engine/replay.hpp"
#include "native/replay/engine/requests.hpp"

namespace hakaru::replay {

// What every message passes: a call costs more than what it does.
#define HAKARU_HOT [[gnu::always_inline]] inline

enum class Traffic : std::uint32_t { message, collective, request_collective, post, complete };
inline std::uint32_t channel_of(std::uint32_t family, Traffic traffic) {
  return family << 3U | static_cast<std::uint32_t>(traffic);
}

// What comes next of a put or a get, in the time-ordered engine.
enum class Happening : std::uint32_t { launch, resume, depart, left, asked, landed, acknowledged };
inline constexpr std::uint32_t happening_shift = 29;

inline bool is_disturbed(const Network& network, const Options& options) {
  return options.progress == Progress::in_calls || network.disturbed();
}

struct Pace;  // engine_run_ahead.hpp
enum class Then : std::uint8_t;

// Of messages whose cost is in measured prices of calls.
inline const Level direct_level{};

// What moving bytes of files takes: a rank's own at its rate, those of all at the total rate.
inline double moving_s(const FileSystem& system, double own_bytes, double all_bytes) {
  const auto price = [](double bytes, double rate) { return rate > 0 ? bytes / rate : 0.0; };
  return std::max(price(own_bytes, system.rank_bytes_per_s),
                  price(all_bytes, system.total_bytes_per_s));
}

enum class Protocol { by_size, eager, rendezvous };

template <class Timing>
class Engine {
 public:
  Engine(const schedule::Schedule& schedule, const Network& network, const Costs& costs,
         const Options& options, Recorder* recorder);
  Result run();

 private:
  friend Timing;
  using Operation = schedule::Operation;

  // Disturbed or serialised messages: the rank's computing since it last waited, its last message
  // to another, and when its NIC is done with what it received.
  struct Recent {
    double computes_from = 0, computes_to = 0, sent_from = 0, sent_to = 0;
    double drained = 0;
  };

  // A plain run has none of these, and no test of them.
  bool recording() const { return !Timing::plain && recorder_ != nullptr; }
  bool disturbed() const { return !Timing::plain && disturbed_; }
  bool serialises() const {
    return !Timing::plain && !Timing::ordered && options_.receive_serialised;
  }

  // -- progress (engine_run.hpp)
  void notice(const Operation& operation);
  void run_all();
  void run_ready();
  void run(std::uint32_t actor);
  bool advance_operation(Actor& actor);
  // engine_run_ahead.hpp
  bool run_ahead(Actor& actor);
  HAKARU_HOT Then step_ahead(Actor& actor, Pace& pace, const Operation& operation);
  HAKARU_HOT Then compute_ahead(const Actor& actor, Pace& pace, const Operation& operation);
  HAKARU_HOT Then start_send_ahead(const Actor& actor, Pace& pace, const Operation& operation);
  HAKARU_HOT Then start_receive_ahead(Actor& actor, const Pace& pace, const Operation& operation);
  HAKARU_HOT Then wait_ahead(const Actor& actor, Pace& pace, const Operation& operation);
  HAKARU_HOT Then blocking_send_ahead(const Actor& actor, Pace& pace, const Operation& operation);
  HAKARU_HOT Then blocking_receive_ahead(Actor& actor, Pace& pace, const Operation& operation);
  HAKARU_HOT void send_ahead(const Actor& actor, Pace& pace, const Operation& operation,
                             std::int32_t to);
  HAKARU_HOT void finish_receive_ahead(const Actor& actor, Pace& pace, const Operation& posted,
                                       double arrival_s, std::uint64_t bytes);
  void end_operation(Actor& actor);
  Actor& actor(std::uint32_t index) {
    return index < ranks_ ? actors_[index] : helpers_[index - ranks_];
  }
  Waiter waiter_of(const Actor& actor) const { return {Waiter::Kind::actor, actor.index}; }
  void complete(Waiter waiter, double time_s, std::uint64_t bytes, const Cause& cause);
  void wake(Actor& actor, std::uint32_t index) {
    actor.waiting = Waiting::nothing;
    ready_.push_back(index);
    __builtin_prefetch(reinterpret_cast<const char*>(&actor) + 64);
    __builtin_prefetch(reinterpret_cast<const char*>(&actor) + 128);
    const auto rank = static_cast<std::size_t>(actor.rank);
    __builtin_prefetch(&accounts_[rank]);
    if (requests_.none_numbered()) return;
    __builtin_prefetch(&cursors_[rank]);
    const Request* first = &requests_[requests_.index(rank, 0)];
    __builtin_prefetch(first);
    __builtin_prefetch(first + 2);
  }
  Result result();

  // -- time of one rank
  void spend(Actor& actor, double seconds, SegmentKind kind) {
    if (!actor.helper) {
      part_of(accounts_[static_cast<std::size_t>(actor.rank)], kind) += seconds;
      if (recording() && seconds > 0) record(actor, seconds, kind);
    } else if (actor.thread != none) {
      part_of(threads_[actor.thread].own, kind) += seconds;
    }
    actor.clock += seconds;
  }
  void wait_until(Actor& actor, double time_s, const std::vector<Cause> Recorder::*causes,
                  std::uint32_t index) {
    if (time_s <= actor.clock) return;
    if (Timing::ordered && !controllers_.empty() && !actor.helper)
      time_s = idle_until(actor, time_s);
    if (!actor.helper) {
      if (disturbed()) {
        Recent& recent = recent_[static_cast<std::size_t>(actor.rank)];
        recent.computes_from = recent.computes_to = time_s;
      }
      accounts_[static_cast<std::size_t>(actor.rank)].waiting_s += time_s - actor.clock;
      if (recording()) record_wait(actor, time_s, causes, index);
    } else if (actor.thread != none) {
      threads_[actor.thread].own.waiting_s += time_s - actor.clock;
    }
    actor.clock = time_s;
  }
  void wait_until(Actor& actor, double time_s) {
    wait_until(actor, time_s, &Recorder::of_actor, actor.index);
  }
  void record(const Actor& actor, double seconds, SegmentKind kind);
  void record_wait(const Actor& actor, double time_s, const std::vector<Cause> Recorder::*causes,
                   std::uint32_t index);

  // -- messages (engine_messages.hpp)
  Path path(std::int32_t from, std::int32_t to) const {
    if (from == to) return {&self_level_, self_level_.latency_s};
    if (uniform_ != nullptr) return {uniform_, uniform_->latency_s};
    return network_.path(from, to);
  }
  // A message to oneself is a copy by the CPU.
  void copy(Actor& actor, std::uint64_t bytes, SegmentKind kind) {
    spend(actor, self_level_.of(bytes).copy_per_byte_s * static_cast<double>(bytes), kind);
  }
  // When a message whose first byte left at `start_s` and whose last at `drained_s` has arrived.
  static double arrival(double start_s, double drained_s, const Path& way, std::int32_t from,
                        std::int32_t to, std::uint64_t bytes) {
    if (from == to) return drained_s + way.latency_s;
    return std::max(drained_s + way.latency_s + way.level->of(bytes).later(bytes), start_s);
  }
  // Starts a message. True: the sender has nothing to wait for; else `waiter` is told when the last
  // byte has left.
  HAKARU_HOT bool send(Actor& actor, std::int32_t to, std::int32_t tag, std::uint32_t channel,
                       std::uint64_t bytes, Protocol protocol, Waiter waiter, SegmentKind kind);
  // A message that takes no time: what it costs is in measured prices.
  void deliver_direct(const Actor& actor, std::int32_t to, const Key& key, std::uint64_t bytes) {
    deliver_eager(actor, to, key, bytes, actor.clock, {&direct_level, 0.0},
                  direct_level.classes.front());
  }
  void send_rendezvous(const Actor& actor, std::int32_t to, const Key& key, std::uint64_t bytes,
                       double slot_s, Waiter waiter);
  HAKARU_HOT void deliver_eager(const Actor& actor, std::int32_t to, const Key& key,
                                std::uint64_t bytes, double slot_s, const Path& path,
                                const SizeClass& costs);
  // True: `actor.result_s` and `result_bytes` say when it arrived; else `waiter` is told.
  HAKARU_HOT bool receive(Actor& owner, const Key& key, double posted_s, Waiter waiter);
  // The posted receive that a message of this key to `rank` belongs to; takes it away. Not
  // somebody: there is none, and `found` is where the message is to stand.
  HAKARU_HOT Waiter take_receive(Actor& rank, const Key& key, Found& found, double& posted_s);
  void answer(std::uint32_t flight, double posted_s, Waiter receiver);
  void arrived(std::uint32_t flight, double drained_s, double arrival_s);
  Cause cause_of(const Flight& flight, bool of_receiver) const;
  HAKARU_HOT void finish_receive(Actor& actor, std::int32_t from, double arrival_s,
                                 std::uint64_t bytes, SegmentKind kind);
  // When a message that was to arrive at `arrival_s` does so on a disturbed level.
  double disturbed_arrival(const Actor& actor, std::int32_t from, double arrival_s,
                           std::uint64_t bytes) const;
  double serialised(Actor& actor, std::int32_t from, double arrival_s, std::uint64_t bytes);
  [[noreturn]] void truncated(const Actor& actor, const Operation& posted, std::int32_t from,
                              std::uint64_t bytes) const;

  // -- operations (engine_operations.hpp)
  bool compute(Actor& actor);
  bool blocking_send(Actor& actor);
  bool blocking_receive(Actor& actor);
  bool start_send(Actor& actor);
  bool start_receive(Actor& actor);
  bool probe(Actor& actor);
  bool wait(Actor& actor);
  void finish_request(Actor& actor, std::uint32_t record);
  std::uint32_t new_request(Actor& actor, Request::Kind kind);
  bool file(Actor& actor);
  std::int32_t peer(const Actor& actor) const { return peer(actor, *actor.operation); }
  std::int32_t peer(const Actor& actor, const Operation& operation) const {
    return schedule::peer_of(operation, actor.rank, static_cast<std::int32_t>(ranks_));
  }

  // -- collectives (engine_collectives.hpp)
  bool collective(Actor& actor);
  // True when there is nothing to do.
  bool enter(Actor& actor, schedule::Collective what, bool is_collective);
  void check_call(const Actor& actor, const Instance& instance, bool is_collective) const;
  void choose(const Actor& actor, Instance& instance);
  bool come_together(Actor& actor, Instance& instance);
  void start_helper(Actor& actor);
  void copy_own_block(Actor& actor);
  Actor& new_helper(const Actor& actor, std::uint32_t record);
  void prefetch_partner(const Actor& actor, const Call& call) const;
  bool collective_steps(Actor& actor);
  HAKARU_HOT bool begin_step(Actor& actor, const Exchange& exchange);
  HAKARU_HOT void send_step(Actor& actor, const Exchange& exchange);
  HAKARU_HOT void end_receive(Actor& actor, const Exchange& exchange);
  HAKARU_HOT bool sends_are_over(Actor& actor);
  bool end_steps(Actor& actor);
  struct Together {
    double price_s, wire_s;
  };
  Together price_of(const Actor& actor, const Instance& instance);
  double price_of_neighbours(const Actor& actor) const;
  void reduce(Actor& actor, std::uint64_t bytes) {
    if (bytes > 0)
      spend(actor, costs_.reduction_s_per_byte * static_cast<double>(bytes), SegmentKind::runtime);
  }
  Call call_of(const Actor& actor) const {
    return {actor.what, actor.group.index, actor.group.size,
            actor.root, actor.bytes,       actor.lengths};
  }

  // -- threads (engine_threads.hpp)
  bool fork(Actor& actor);
  void run_thread(Actor& thread);
  void join(Actor& actor, const Request& request);
  // A thread may wait for what another one of its rank has yet to start.
  bool await_start(Actor& actor, std::uint32_t record);
  void started(const Actor& actor, std::uint32_t record);

  // In the time-ordered engine receives that an algorithm posts early must be there early, as
  // messages are looked at in order of time.
  void post_early(Actor& actor);
  bool received_early(Actor& actor);
  void take_early(Actor& actor);
  std::unordered_map<std::uint32_t, std::deque<std::uint32_t>>
      early_;  // requests of an actor, in the order of its steps

  // -- one-sided (engine_one_sided.hpp)
  // Measured prices of the operation's window between two ranks; nullptr: it costs what messages
  // do.
  const OneSided* prices(const Operation& operation, std::int32_t from, std::int32_t to) const {
    const bool created = schedule_.communicators[operation.communicator].created_windows;
    return path(from, to).level->one_sided(created);
  }
  // The same for calls that concern no rank, or several: to the farthest member.
  const OneSided* prices(const Actor& actor);
  bool access_by_price(Actor& actor, const OneSided& prices, std::int32_t peer);
  bool put(Actor& actor);
  bool get(Actor& actor);
  void fly(Actor& actor, Flight::What what, double start_s, std::int32_t from, std::int32_t to);
  void remote_done(Flight& flight, double drained_s, double arrival_s);
  std::uint32_t access(Actor& actor, std::int32_t peer);
  // True when all accesses to `peer` (all when negative) through the operation's window are
  // complete.
  bool quiet(Actor& actor, std::int32_t peer, bool local);
  bool fence(Actor& actor);
  bool notify(Actor& actor, const std::vector<std::int64_t>& partners, Traffic traffic);
  bool await(Actor& actor, const std::vector<std::int64_t>& partners, Traffic traffic);
  bool synchronise(Actor& actor);
  bool flag_wait(Actor& actor);
  std::int32_t sent_flag(const Operation& operation) const {
    return operation.payload == schedule::no_payload
               ? 0
               : static_cast<std::int32_t>(
                     schedule_.lists[static_cast<std::size_t>(operation.payload)][0]);
  }
  void raise_flag(std::int32_t rank, std::int32_t flag, double time_s, const Cause& cause);

  std::uint32_t pieces_of(const Operation& operation) const {
    if (options_.strides || operation.payload == schedule::no_payload) return 1;
    return static_cast<std::uint32_t>(
        std::max<std::int64_t>(1, schedule_.lists[static_cast<std::size_t>(operation.payload)][1]));
  }

  // -- PUT and GET by message controller or interrupts (engine_put_get.hpp)
  bool transfer(Actor& actor);
  double command(Actor& actor, double begin_s, double set_up_s);
  void happen(Happening what, std::uint32_t flight, double now_s);
  void left(Flight& flight, double now_s);
  void serve(std::uint32_t flight, double now_s);
  void landed(std::uint32_t flight, double now_s);
  void finish_access(const Flight& flight, double remote_s);
  double interrupt(std::int32_t rank, double now_s, double seconds);
  double idle_until(const Actor& actor, double time_s);
  bool pause(Actor& actor);
  void resume(std::uint32_t rank, double now_s);
  // CPU time at the beginning of an operation; false: the rank goes on in stage 1 when it is over.
  bool library(Actor& actor, double seconds, SegmentKind kind = SegmentKind::overhead);
  bool run_time_system(Actor& actor, double seconds) {
    if (seconds == 0) return true;
    return library(actor, seconds * options_.compute_factor, SegmentKind::runtime);
  }

  // -- what went wrong (engine_diagnosis.hpp)
  [[noreturn]] void misused(const Actor& actor, const char* doing, const char* why) const;
  void require_finished();
  void require_nothing_left();
  std::string blocked_on(const Actor& actor, std::int32_t& waits_for) const;

  const schedule::Schedule& schedule_;
  const Network& network_;
  const Costs& costs_;
  const Options& options_;
  const Level* uniform_;
  const Level& self_level_;
  Recorder* recorder_;
  std::uint32_t ranks_;

  std::vector<Actor, LargePages<Actor>> actors_;
  std::vector<RankResult, LargePages<RankResult>> accounts_;
  std::vector<schedule::Cursor, LargePages<schedule::Cursor>> cursors_;
  std::vector<Recent> recent_;  // of a run that is not plain
  std::deque<Actor> helpers_;
  std::vector<std::uint32_t> free_helpers_;
  std::vector<std::uint32_t> ready_;
  Matching matching_;
  Requests requests_;
  Pool<Flight> flights_;
  Pool<Access> accesses_;
  std::vector<std::uint32_t> access_of_rank_;
  std::unordered_map<std::uint64_t, std::uint32_t> access_waiters_;
  struct Epoch {
    const std::vector<std::int64_t>* posted = nullptr;
    const std::vector<std::int64_t>* started = nullptr;
  };
  std::map<std::pair<std::int32_t, std::uint32_t>, Epoch> epochs_;
  struct Flag {
    std::vector<double> raised_s;  // and not asked for by a wait before
    std::uint64_t wanted = 0;
    std::uint32_t waiter = none;
  };
  // A thread's own time, and its rank's when it was forked.
  struct Thread {
    const schedule::Stream* stream = nullptr;
    schedule::Cursor cursor;
    RankResult before, own;
  };
  bool has_threads_ = false;
  bool runs_ahead_ = false;  // engine_run_ahead.hpp
  std::deque<Thread> threads_;
  std::vector<std::uint32_t> free_threads_;
  std::unordered_map<std::uint32_t, std::uint32_t> start_waiters_;  // actor by record

  bool has_flags_ = false;
  bool acknowledges_ = false;
  std::vector<Controller> controllers_;  // of a network with put_get
  bool disturbed_ = false;               // a level is, or messages move in calls only
  std::map<std::pair<std::int32_t, std::int32_t>, Flag> flags_;
  ComputePrice price_;
  Groups groups_;
  std::vector<double> phase_s_;
  std::size_t phase_columns_ = 0;
  std::uint32_t finished_ = 0;
  bool far_apart_ = false;  // the ranks' state is larger than the cache
  Timing timing_;
};

std::string call_text(const schedule::Schedule& schedule, const schedule::Operation& operation,
                      std::int32_t rank);

}  // namespace hakaru::replay
