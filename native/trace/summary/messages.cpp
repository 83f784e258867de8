// Sends and receives put together. The trace holds the actual source and tag of every receive, and
// messages of one sender, tag and communicator do not overtake each other (MPI standard, 3.5): the
// k-th send meets the k-th posted receive.
#include <algorithm>
#include <tuple>

#include "native/trace/summary/summary.hpp"

namespace hakaru::trace {
namespace {

using schedule::Kind;
using schedule::Operation;

// One end of a message. The rank is blocked in [blocked_from, blocked_until): the call itself, or
// the wait for its request.
struct End {
  std::int32_t sender = 0;
  std::uint32_t communicator = 0;
  std::int32_t tag = 0;
  double posted = 0, blocked_from = 0, blocked_until = 0;  // s
  std::uint32_t call = no_call;                            // that blocked
  std::uint32_t posting_call = no_call;
  const OperationTime* blocked = nullptr;  // of the operation that blocked
  std::uint64_t bytes = 0;

  auto key() const { return std::tuple(sender, communicator, tag); }
};

class Ends {
 public:
  Ends(const Trace& trace, Summary& summary, Listener* listener)
      : trace_(trace),
        summary_(summary),
        listener_(listener),
        sends_(trace.ranks.size()),
        receives_(trace.ranks.size()) {}

  void collect(std::size_t rank) {
    std::vector<std::pair<std::vector<End>*, std::size_t>> open;  // by request
    each_operation(trace_, rank, [&](const Operation& o, const OperationTime& time) {
      const bool inside = summary_.spans[rank].holds(time.enter_s);
      switch (o.kind) {
        case Kind::send:
        case Kind::isend:
          add(sends_[static_cast<std::size_t>(o.peer)], static_cast<std::int32_t>(rank), o, time,
              open);
          break;
        case Kind::receive:
        case Kind::ireceive:
          add(receives_[rank], o.peer, o, time, open);
          break;
        case Kind::wait:
          if (static_cast<std::size_t>(o.request) < open.size() &&
              open[static_cast<std::size_t>(o.request)].first != nullptr) {
            auto& [list, index] = open[static_cast<std::size_t>(o.request)];
            block((*list)[index], time);
            list = nullptr;
          }
          break;
        case Kind::put:
        case Kind::accumulate:
          count(static_cast<std::int32_t>(rank), o.peer, o.bytes, inside);
          break;
        case Kind::get:
          count(o.peer, static_cast<std::int32_t>(rank), o.bytes, inside);
          break;
        default:
          break;
      }
      if (o.kind == Kind::send || o.kind == Kind::isend)
        count(static_cast<std::int32_t>(rank), o.peer, o.bytes, inside);
    });
  }

  void match(std::size_t receiver) {
    std::vector<End> sends = std::move(sends_[receiver]), receives = std::move(receives_[receiver]);
    const auto before = [](const End& a, const End& b) { return a.key() < b.key(); };
    std::stable_sort(sends.begin(), sends.end(), before);
    std::stable_sort(receives.begin(), receives.end(), before);
    std::size_t s = 0, r = 0;
    while (s < sends.size() && r < receives.size()) {
      if (before(sends[s], receives[r])) {
        ++summary_.unmatched_sends, ++s;
      } else if (before(receives[r], sends[s])) {
        ++summary_.unmatched_receives, ++r;
      } else {
        meet(sends[s++], receives[r++], receiver);
      }
    }
    summary_.unmatched_sends += sends.size() - s;
    summary_.unmatched_receives += receives.size() - r;
  }

 private:
  void add(std::vector<End>& list, std::int32_t sender, const Operation& o,
           const OperationTime& time,
           std::vector<std::pair<std::vector<End>*, std::size_t>>& open) {
    End end{sender,       o.communicator, o.tag,     time.enter_s,
            time.enter_s, time.enter_s,   time.call, time.call};
    end.bytes = o.bytes;
    if (o.request < 0) {
      block(end, time);
    } else {
      const auto request = static_cast<std::size_t>(o.request);
      if (request >= open.size()) open.resize(request + 1, {nullptr, 0});
      open[request] = {&list, list.size()};
    }
    list.push_back(end);
  }

  static void block(End& end, const OperationTime& time) {
    end.blocked = &time;
    end.blocked_from = time.enter_s;
    end.blocked_until = time.leave_s;
    end.call = time.call;
  }

  void count(std::int32_t from, std::int32_t to, std::uint64_t bytes, bool inside) {
    if (!inside) return;
    Traffic& traffic = summary_.matrix[{from / summary_.block, to / summary_.block}];
    ++traffic.messages;
    traffic.bytes += bytes;
  }

  std::string name(std::uint32_t call) const { return call == no_call ? "" : trace_.calls[call]; }

  void note(WaitingByCall& waiting, std::uint32_t late, const Wait& wait) const {
    const auto rank = static_cast<std::size_t>(wait.rank);
    if (wait.seconds <= 0 || !summary_.spans[rank].holds(wait.begin_s)) return;
    Waiting& total = waiting.by_calls[{name(late), name(wait.call)}];
    ++total.count;
    total.seconds += wait.seconds;
    waiting.by_rank[rank] += wait.seconds;
    if (listener_ != nullptr) listener_->wait(wait);
  }

  void meet(const End& send, const End& receive, std::size_t at) {
    const auto receiver = static_cast<std::int32_t>(at);
    if (listener_ != nullptr)
      listener_->message(
          {send.sender, receiver, send.tag, send.bytes, send.posted, receive.blocked_until});
    note(summary_.late_senders, send.posting_call,
         {receiver, send.sender, receive.blocked_from,
          std::min(send.posted, receive.blocked_until) - receive.blocked_from, receive.call,
          WaitKind::late_sender});
    if (receive.call != no_call) summary_.causes[receive.blocked].later(send.sender, send.posted);
    // An eager send returns without the receive: only one that was still blocked when the receive
    // was posted waited for it.
    if (send.blocked_until > receive.posted) {
      note(summary_.late_receivers, receive.posting_call,
           {send.sender, receiver, send.blocked_from, receive.posted - send.blocked_from, send.call,
            WaitKind::late_receiver});
      if (send.call != no_call) summary_.causes[send.blocked].later(receiver, receive.posted);
    }
  }

  const Trace& trace_;
  Summary& summary_;
  Listener* const listener_;
  std::vector<std::vector<End>> sends_, receives_;  // by receiver
};

}  // namespace

void match_messages(const Trace& trace, Summary& summary, Listener* listener) {
  Ends ends(trace, summary, listener);
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) ends.collect(rank);
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) ends.match(rank);
}

}  // namespace hakaru::trace
