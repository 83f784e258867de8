// Finds equal streams, works and lists by their content, so that each is stored once.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "native/schedule/schedule.hpp"

namespace hakaru::schedule {

class StreamIndex {
 public:
  // Index of the stream that does what `mine` does on `rank` (peers of `mine` are world ranks),
  // which may be a new one.
  //
  // A stream that one rank has stored is `open`: whether a peer is a fixed rank or a distance is
  // not decided. The next rank with the same operations decides it for each of them (equal rank:
  // fixed, equal distance modulo ranks: relative), after which the stream is closed and serves
  // every rank for which it says the right peers.
  std::uint32_t place(Schedule& schedule, std::int32_t rank, Stream mine);

  std::int32_t work(Schedule& schedule, const Work& work);
  std::int32_t list(Schedule& schedule, const std::vector<std::int64_t>& list);

 private:
  using Buckets = std::unordered_map<std::uint64_t, std::vector<std::uint32_t>>;
  enum class Peers { ignored, fixed, relative };

  static std::uint64_t hash(const Stream& stream, Peers peers, std::int32_t rank,
                            std::int32_t ranks);
  bool joins(Schedule& schedule, std::uint32_t stream, std::int32_t rank, const Stream& mine);

  Buckets by_skeleton_, by_fixed_, by_relative_, works_, lists_;
  std::vector<std::int32_t> owner_;  // rank that stored the stream while it is open, else -1
  std::uint32_t last_ = 0;  // placed last: tried first, as ranks mostly do what the one before does
};

// The distance from `rank` to `peer` modulo `ranks` with the smallest magnitude.
std::int32_t distance(std::int32_t rank, std::int32_t peer, std::int32_t ranks);

}  // namespace hakaru::schedule
