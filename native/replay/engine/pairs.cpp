#include "native/replay/engine/pairs.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace hakaru::replay {
namespace {

using schedule::Kind;
using schedule::Operation;
using schedule::Schedule;
using schedule::Stream;

constexpr std::uint64_t least_rounds = 8;  // of some loop
constexpr std::size_t most_messages = 64;  // of a stream: each is compared with all others
constexpr int most_passes = 64;            // over all pairs, to find those that fall with others

struct Place {
  std::uint32_t stream, operation;
  bool operator==(const Place&) const = default;
};
constexpr Place nowhere{UINT32_MAX, UINT32_MAX};

bool is_send(const Operation& one) { return one.kind == Kind::send || one.kind == Kind::isend; }
bool is_receive(const Operation& one) {
  return one.kind == Kind::receive || one.kind == Kind::ireceive;
}
bool starts(const Operation& one) {
  return one.request != schedule::no_request && one.kind != Kind::wait;
}
bool same_traffic(const Operation& a, const Operation& b) {
  return a.tag == b.tag && a.communicator == b.communicator;
}

struct Messages {
  std::vector<std::uint32_t> sends, receives;  // operations
};

class Search {
 public:
  Search(const Schedule& schedule, const Paths& paths) : schedule_(schedule), paths_(paths) {}

  bool pays() const {
    bool rounds = false;
    for (const Stream& stream : schedule_.streams)
      for (const Operation& one : stream) {
        if (one.kind == Kind::probe) return false;
        rounds |= one.kind == Kind::loop_begin && one.bytes >= least_rounds;
      }
    return rounds;
  }

  void collect() {
    messages_.resize(schedule_.streams.size());
    ranks_.assign(schedule_.streams.size(), 0);
    for (const std::uint32_t stream : schedule_.stream_of_rank) ++ranks_[stream];
    for (std::size_t s = 0; s < messages_.size(); ++s) {
      const Stream& stream = schedule_.streams[s];
      numbers_.emplace_back(stream.size(), Pairs::unpaired);
      good_.emplace_back(stream.size(), false);
      taken_.emplace_back(stream.size(), 0);
      for (std::uint32_t i = 0; i < stream.size(); ++i) {
        if (is_send(stream[i])) messages_[s].sends.push_back(i);
        if (is_receive(stream[i])) messages_[s].receives.push_back(i);
      }
      last_.emplace_back(stream.size(), nowhere);
      if (messages_[s].sends.size() + messages_[s].receives.size() > most_messages)
        messages_[s] = {};
    }
  }

  void pair_all() {
    for (std::size_t s = 0; s < messages_.size(); ++s) mark_candidates(s);
    for (std::int32_t rank = 0; rank < schedule_.ranks; ++rank) pair(rank);
    for (std::size_t s = 0; s < messages_.size(); ++s)
      for (const std::uint32_t i : messages_[s].sends)
        good_[s][i] = good_[s][i] && taken_[s][i] == ranks_[s];
    drop_half_pairs();
  }

  std::vector<std::vector<std::int32_t>> numbers() && {
    for (std::size_t s = 0; s < numbers_.size(); ++s)
      for (std::size_t i = 0; i < numbers_[s].size(); ++i)
        if (!good_[s][i]) numbers_[s][i] = Pairs::unpaired;
    return std::move(numbers_);
  }

 private:
  std::uint32_t stream_of(std::int32_t rank) const {
    return schedule_.stream_of_rank[static_cast<std::size_t>(rank)];
  }
  std::int32_t peer(const Operation& one, std::int32_t rank) const {
    return schedule::peer_of(one, rank, schedule_.ranks);
  }

  // What could be paired by itself. A receive's number is that of its request, which nothing else
  // uses.
  void mark_candidates(std::size_t s) {
    const Stream& stream = schedule_.streams[s];
    std::map<std::int32_t, int> started;
    for (const Operation& one : stream)
      if (starts(one)) ++started[one.request];
    for (const std::uint32_t i : messages_[s].sends)
      good_[s][i] = stream[i].mode == schedule::Mode::standard && !schedule::has_gaps(stream[i]);
    for (const std::uint32_t i : messages_[s].receives)
      if (stream[i].kind == Kind::ireceive && started[stream[i].request] == 1) {
        good_[s][i] = !schedule::has_gaps(stream[i]);
        numbers_[s][i] = stream[i].request;
      }
  }

  void pair(std::int32_t rank) {
    const std::uint32_t s = stream_of(rank);
    for (const std::uint32_t i : messages_[s].receives)
      if (good_[s][i] && !pair(rank, {s, i})) good_[s][i] = false;
  }

  // The receive of this rank with the one send that it belongs to, if both are the only ones.
  bool pair(std::int32_t rank, const Place& receive) {
    const Operation& posted = schedule_.streams[receive.stream][receive.operation];
    const std::int32_t from = peer(posted, rank);
    if (from == rank || receives_of(rank, from, posted) != 1) return false;
    const std::uint32_t s = stream_of(from);
    std::int64_t found = -1;
    for (const std::uint32_t i : messages_[s].sends) {
      const Operation& sent = schedule_.streams[s][i];
      if (!same_traffic(sent, posted) || peer(sent, from) != rank) continue;
      if (found >= 0) return false;
      found = i;
    }
    if (found < 0) return false;
    const Place send{s, static_cast<std::uint32_t>(found)};
    const Operation& sent = schedule_.streams[s][send.operation];
    std::int32_t& number = numbers_[s][send.operation];
    if (number == Pairs::unpaired) number = posted.request;
    if (number != posted.request) return false;
    if (sent.bytes > paths_.level(from, rank).eager_limit_bytes) return false;
    ++taken_[s][send.operation];
    remember(send, receive);
    return true;
  }

  std::size_t receives_of(std::int32_t rank, std::int32_t from, const Operation& like) const {
    const std::uint32_t s = stream_of(rank);
    return static_cast<std::size_t>(std::count_if(
        messages_[s].receives.begin(), messages_[s].receives.end(), [&](std::uint32_t i) {
          const Operation& one = schedule_.streams[s][i];
          return same_traffic(one, like) && peer(one, rank) == from;
        }));
  }

  // Ranks that do the same come one after the other.
  void remember(const Place& send, const Place& receive) {
    Place& last = last_[receive.stream][receive.operation];
    if (last == send) return;
    last = send;
    edges_.emplace_back(send, receive);
  }

  // Neither side of a pair may be looked for when the other one is not.
  void drop_half_pairs() {
    bool changed = true;
    for (int pass = 0; changed; ++pass) {
      changed = false;
      if (pass == most_passes) return drop_all();
      for (const auto& [send, receive] : edges_) {
        const bool sends = good_[send.stream][send.operation];
        const bool receives = good_[receive.stream][receive.operation];
        if (sends == receives) continue;
        good_[send.stream][send.operation] = good_[receive.stream][receive.operation] = false;
        changed = true;
      }
    }
  }

  void drop_all() {
    for (std::vector<bool>& stream : good_) stream.assign(stream.size(), false);
  }

  const Schedule& schedule_;
  const Paths& paths_;
  std::vector<Messages> messages_;    // of each stream
  std::vector<std::uint32_t> ranks_;  // that share a stream
  std::vector<std::vector<std::int32_t>> numbers_;
  std::vector<std::vector<bool>> good_;
  std::vector<std::vector<std::uint32_t>> taken_;  // ranks whose messages of a send are received
  std::vector<std::vector<Place>> last_;           // the send that was met last, of each receive
  std::vector<std::pair<Place, Place>> edges_;
};

}  // namespace

Pairs::Pairs(const Schedule& schedule, const Paths& paths) {
  Search search(schedule, paths);
  if (!search.pays()) return;
  search.collect();
  search.pair_all();
  numbers_ = std::move(search).numbers();
}

}  // namespace hakaru::replay
