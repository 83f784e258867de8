// State of what runs: a rank, or a non-blocking collective or thread of one, which runs beside it.
#pragma once

#include <cstdint>

#include "native/replay/engine/collectives/algorithm.hpp"
#include "native/replay/engine/matching.hpp"
#include "native/schedule/schedule.hpp"

namespace hakaru::replay {

// Who is told when something completes.
class Waiter {
 public:
  enum class Kind : std::uint32_t { actor, request, counter, access, nobody };
  Waiter() = default;
  Waiter(Kind kind, std::uint32_t index) : bits_(static_cast<std::uint32_t>(kind) << 29U | index) {}
  static Waiter from_bits(std::uint64_t bits) {
    Waiter waiter;
    waiter.bits_ = static_cast<std::uint32_t>(bits);
    return waiter;
  }
  std::uint32_t bits() const { return bits_; }
  Kind kind() const { return static_cast<Kind>(bits_ >> 29U); }
  std::uint32_t index() const { return bits_ & 0x1fffffffU; }
  bool is_somebody() const { return kind() != Kind::nobody; }

 private:
  std::uint32_t bits_ = static_cast<std::uint32_t>(Kind::nobody) << 29U;
};

// A communicator as one rank sees it. members == nullptr: ranks of the communicator are world
// ranks.
struct Group {
  const std::int32_t* members = nullptr;
  std::int32_t index = 0;
  std::int32_t size = 1;
  std::uint32_t family = 0;
  std::uint32_t number = 0;
  std::int32_t world(std::int32_t rank) const { return members == nullptr ? rank : members[rank]; }
};

struct CollectivePrice;  // options.hpp

enum class Waiting : std::uint8_t { nothing, expecting, blocked, sends, paused, finished };

// Where in its operation an actor goes on.
enum class Stage : std::uint8_t {
  begins,
  paid,     // the CPU time before the operation is over
  waits,    // what it has begun is to be completed
  asks,     // of one partner after another: the next one's message is asked for
  expects,  // and is awaited
  // Inside a collective:
  step_begins,
  step_received,  // or nothing is received in it
  step_ends,      // when its send may not go on
  last_sends,     // those that went on are waited for
  together,       // all wait for each other, and pay a price
};
inline bool inside_steps(Stage stage) {
  return stage >= Stage::step_begins && stage <= Stage::last_sends;
}

inline constexpr std::uint32_t nothing_awaited = UINT32_MAX;

// The first two cache lines are what a partner touches: the first when it is awaited.
struct alignas(64) Actor {
  double result_s = 0;  // when what it waited for happened
  union {
    std::uint64_t result_bytes = 0;  // of the message received
    double left_s;                   // when the last byte of the message sent had left
  };
  // What a rank that is blocked in a receive waits for, unless it stands in its inbox: a partner
  // that sends it need not search.
  Key awaited{-1, 0, nothing_awaited};
  std::int32_t rank = 0;
  std::uint32_t step = 0;  // of a collective or a list
  Stage stage = Stage::begins;
  Waiting waiting = Waiting::nothing;
  bool helper = false;
  bool done = false;  // paused: its operation is over
  double clock = 0;
  double nic_free = 0;
  const schedule::Operation* operation = nullptr;

  Inbox inbox;
  std::uint32_t index = 0;  // among actors
  std::uint32_t pending_sends = 0;
  double posted_s = 0;  // when it posted what it awaits

  // A cache line of what ends a step of a collective, and two of what begins one.
  const CollectivePrice* price = nullptr;  // of an exchange over a graph
  double sends_done_s = 0;                 // of those that it has waited for or will
  std::uint64_t reduce_bytes = 0;          // when the step's message has come
  std::int32_t partner = -1;               // whose message that is; -1: none comes
  bool holds_send = false;                 // the step ends when its send is over
  bool posted_early = false;               // its receive is one of Collectives::early_
  schedule::Collective what = schedule::Collective::barrier;
  Group group;
  std::uint64_t bytes = 0;  // of the collective's call

  Steps steps = nullptr;
  std::int32_t root = -1;
  std::int32_t tag = 0;  // of the collective's messages
  std::uint32_t channel = 0;
  std::uint32_t request = none;                        // helper: record of its request
  const std::vector<std::int64_t>* lengths = nullptr;  // of the collective's call
  double together_s = 0;                               // the price that all pay together
  double operation_begin = 0;
  double collective_begin = 0;
  std::uint32_t thread = none;  // helper that runs a stream: among threads
};

static_assert(sizeof(Actor) == 256);

// A message whose fate is not known when it is sent: by rendezvous, or on a network with shared
// links.
struct Flight {
  enum class State : std::uint8_t { announced, moving, arrived };
  enum class What : std::uint8_t { message, put, get };
  double ready_s = 0;  // rendezvous: when the sender announced it
  double slot_s = 0;   // its turn at the sender's NIC
  double start_s = 0;
  double arrival_s = 0;
  double posted_s = 0;
  double cold_s = 0;  // of a rendezvous: what its data take longer to move
  std::uint64_t bytes = 0;
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::int32_t flag = 0;  // raised where the data arrive
  bool reduces = false;   // at the target: an accumulate
  State state = State::announced;
  What what = What::message;
  bool rendezvous = false;
  bool attended = false;  // its data go at once, its sender waits for the receive
  bool direct = false;    // takes no time: its cost is in measured prices
  std::uint32_t next = none;
  std::uint32_t stretches = UINT32_MAX;  // see Cause
  std::int32_t sent_flag = 0;            // raised where the data leave
  std::uint32_t pieces = 1;              // messages that a strided transfer is
  Waiter sender;
  Waiter receiver;
  Waiter prober;
  Waiter access;
};

// Puts and gets of one rank to one target through one window that are not yet known to be complete.
struct Access {
  std::uint32_t next = none;
  std::int32_t peer = 0;
  std::uint32_t family = 0;
  std::uint32_t outstanding = 0;
  double remote_s = 0;
  double local_s = 0;
  double free_s = 0;  // by measured prices: the turn of the next one
};

}  // namespace hakaru::replay
