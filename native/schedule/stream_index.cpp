#include "native/schedule/stream_index.hpp"

#include <algorithm>
#include <bit>

namespace hakaru::schedule {
namespace {

// Streams of equal skeleton that are tried one by one; more would make irregular programs
// quadratic.
constexpr std::size_t most_tried = 16;

// The finaliser of MurmurHash3 (A. Appleby, public domain).
std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  std::uint64_t x = hash ^ (value + 0x9e3779b97f4a7c15 + (hash << 6));
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccd;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53;
  return x ^ (x >> 33);
}

bool same_but_peer(const Operation& a, const Operation& b) {
  return a.kind == b.kind && a.mode == b.mode && a.collective == b.collective &&
         a.phase == b.phase && a.tag == b.tag && a.communicator == b.communicator &&
         a.request == b.request && a.payload == b.payload && a.bytes == b.bytes &&
         a.grid == b.grid && a.persistent == b.persistent;
}

bool has_free_peer(const Operation& operation) {
  return has_peer(operation.kind) && (operation.relative_peer || operation.peer >= 0);
}

bool same(const Work& a, const Work& b) {
  return a.flops == b.flops && a.bytes == b.bytes &&
         a.bytes_write_allocate == b.bytes_write_allocate && a.seconds == b.seconds;
}

}  // namespace

std::int32_t distance(std::int32_t rank, std::int32_t peer, std::int32_t ranks) {
  const std::int32_t forward = peer >= rank ? peer - rank : peer - rank + ranks;
  return forward <= ranks / 2 ? forward : forward - ranks;
}

std::uint64_t StreamIndex::hash(const Stream& stream, Peers peers, std::int32_t rank,
                                std::int32_t ranks) {
  std::uint64_t result = stream.size();
  for (const Operation& o : stream) {
    std::int32_t peer = o.peer;
    if (has_free_peer(o))
      peer = peers == Peers::ignored ? 0
             : peers == Peers::fixed ? peer
                                     : distance(rank, peer, ranks);
    result =
        mix(result, static_cast<std::uint64_t>(o.kind) | static_cast<std::uint64_t>(o.mode) << 8 |
                        static_cast<std::uint64_t>(o.collective) << 16 |
                        static_cast<std::uint64_t>(o.phase) << 24 |
                        static_cast<std::uint64_t>(o.grid) << 40 |
                        static_cast<std::uint64_t>(o.persistent) << 41);
    result = mix(result, static_cast<std::uint32_t>(peer) |
                             static_cast<std::uint64_t>(static_cast<std::uint32_t>(o.tag)) << 32);
    result =
        mix(result, static_cast<std::uint32_t>(o.request) |
                        static_cast<std::uint64_t>(static_cast<std::uint32_t>(o.payload)) << 32);
    result = mix(result, o.bytes ^ static_cast<std::uint64_t>(o.communicator) << 40);
  }
  return result;
}

bool StreamIndex::joins(Schedule& schedule, std::uint32_t index, std::int32_t rank,
                        const Stream& mine) {
  Stream& stored = schedule.streams[index];
  if (stored.size() != mine.size()) return false;
  const std::int32_t owner = owner_[index], ranks = schedule.ranks;
  auto means_mine = [&](const Operation& theirs, const Operation& own) {
    if (!same_but_peer(theirs, own)) return false;
    if (!has_free_peer(theirs)) return theirs.peer == own.peer;
    if (peer_of(theirs, rank, ranks) == own.peer) return true;
    return owner >= 0 && distance(owner, theirs.peer, ranks) == distance(rank, own.peer, ranks);
  };
  if (!std::equal(stored.begin(), stored.end(), mine.begin(), means_mine)) return false;
  if (owner < 0) return true;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (!has_free_peer(stored[i]) || stored[i].peer == mine[i].peer) continue;
    stored[i].peer = distance(owner, stored[i].peer, ranks);
    stored[i].relative_peer = true;
  }
  owner_[index] = -1;
  return true;
}

std::uint32_t StreamIndex::place(Schedule& schedule, std::int32_t rank, Stream mine) {
  const std::int32_t ranks = schedule.ranks;
  owner_.resize(schedule.streams.size(), -1);
  if (last_ < schedule.streams.size() && owner_[last_] < 0 && joins(schedule, last_, rank, mine))
    return last_;
  auto& relative = by_relative_[hash(mine, Peers::relative, rank, ranks)];
  auto& fixed = by_fixed_[hash(mine, Peers::fixed, rank, ranks)];
  auto& skeleton = by_skeleton_[hash(mine, Peers::ignored, rank, ranks)];
  for (const auto* bucket : {&relative, &fixed, &skeleton}) {
    const std::size_t first = bucket->size() > most_tried ? bucket->size() - most_tried : 0;
    for (std::size_t i = first; i < bucket->size(); ++i)
      if (joins(schedule, (*bucket)[i], rank, mine)) return last_ = (*bucket)[i];
  }
  const auto index = static_cast<std::uint32_t>(schedule.streams.size());
  for (auto* bucket : {&relative, &fixed, &skeleton}) bucket->push_back(index);
  mine.shrink_to_fit();
  schedule.streams.push_back(std::move(mine));
  owner_.push_back(rank);
  return last_ = index;
}

std::int32_t StreamIndex::work(Schedule& schedule, const Work& work) {
  std::uint64_t key = 0;
  for (const double value : {work.flops, work.bytes, work.bytes_write_allocate, work.seconds})
    key = mix(key, std::bit_cast<std::uint64_t>(value));
  auto& bucket = works_[key];
  for (const std::uint32_t candidate : bucket)
    if (same(schedule.works[candidate], work)) return static_cast<std::int32_t>(candidate);
  bucket.push_back(static_cast<std::uint32_t>(schedule.works.size()));
  schedule.works.push_back(work);
  return static_cast<std::int32_t>(bucket.back());
}

std::int32_t StreamIndex::list(Schedule& schedule, const std::vector<std::int64_t>& list) {
  std::uint64_t key = list.size();
  for (const std::int64_t value : list) key = mix(key, static_cast<std::uint64_t>(value));
  auto& bucket = lists_[key];
  for (const std::uint32_t candidate : bucket)
    if (schedule.lists[candidate] == list) return static_cast<std::int32_t>(candidate);
  bucket.push_back(static_cast<std::uint32_t>(schedule.lists.size()));
  schedule.lists.push_back(list);
  return static_cast<std::int32_t>(bucket.back());
}

}  // namespace hakaru::schedule
