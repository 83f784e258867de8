#include "native/trace/reader/making.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace hakaru::trace {
namespace {

// A communicator, by its family and the group of it.
using Key = std::pair<std::uint32_t, std::int32_t>;

std::int32_t group_of(const schedule::CommunicatorFamily& family, std::int32_t rank) {
  if (family.self) return rank;
  for (std::size_t group = 0; group < family.groups.size(); ++group) {
    const std::vector<std::int32_t>& members = family.groups[group];
    if (std::find(members.begin(), members.end(), rank) != members.end())
      return static_cast<std::int32_t>(group);
  }
  return 0;
}

// Calls visit(key, how many came before on this communicator, making).
template <typename Visit>
void each(const Trace& trace, std::int32_t rank, Visit&& visit) {
  const auto index = static_cast<std::size_t>(rank);
  const schedule::Stream& stream = trace.schedule.streams[index];
  std::map<std::uint32_t, Key> keys;
  std::map<Key, std::size_t> before;
  for (const Making& one : trace.ranks[index].making) {
    const std::uint32_t family = stream[static_cast<std::size_t>(one.computing) + 1].communicator;
    const auto [place, fresh] = keys.try_emplace(family);
    if (fresh) place->second = {family, group_of(trace.schedule.communicators[family], rank)};
    visit(place->second, before[place->second]++, one);
  }
}

// What all know of one call.
struct Shared {
  double least_s = std::numeric_limits<double>::infinity();  // that anyone was in it
  double last_begin_s = -std::numeric_limits<double>::infinity();

  void join(const Making& one) {
    least_s = std::min(least_s, one.end_s - one.begin_s);
    last_begin_s = std::max(last_begin_s, one.begin_s);
  }

  // That a rank stayed in it after all could have left.
  double longer_s(const Making& one) const {
    return std::max(0.0, one.end_s - last_begin_s - least_s);
  }
};

// The computing that follows the barrier before any other call; null where there is none.
schedule::Operation* computing_after(schedule::Stream& stream, std::size_t barrier) {
  for (std::size_t i = barrier + 1; i < stream.size(); ++i) {
    const schedule::Kind kind = stream[i].kind;
    if (kind == schedule::Kind::compute) return &stream[i];
    if (kind != schedule::Kind::phase_begin && kind != schedule::Kind::phase_end) break;
  }
  return nullptr;
}

}  // namespace

void add_making(Trace& trace) {
  const auto ranks = static_cast<std::int32_t>(trace.ranks.size());
  std::map<Key, std::vector<Shared>> calls;
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    each(trace, rank, [&](const Key& key, std::size_t number, const Making& one) {
      std::vector<Shared>& all = calls[key];
      if (number == all.size()) all.emplace_back();
      all[number].join(one);
    });
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    each(trace, rank, [&](const Key& key, std::size_t number, const Making& one) {
      schedule::Stream& stream = trace.schedule.streams[static_cast<std::size_t>(rank)];
      const auto before = static_cast<std::size_t>(one.computing);
      const Shared& call = calls[key][number];
      stream[before].seconds += call.least_s;
      if (schedule::Operation* after = computing_after(stream, before + 1))
        after->seconds += call.longer_s(one);
    });
}

}  // namespace hakaru::trace
