#include "native/trace/reader/making.hpp"

#include <algorithm>
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

}  // namespace

void add_making(Trace& trace) {
  const auto ranks = static_cast<std::int32_t>(trace.ranks.size());
  std::map<Key, std::vector<double>> least_s;
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    each(trace, rank, [&](const Key& key, std::size_t number, const Making& one) {
      std::vector<double>& all = least_s[key];
      if (number == all.size()) all.push_back(one.seconds);
      all[number] = std::min(all[number], one.seconds);
    });
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    each(trace, rank, [&](const Key& key, std::size_t number, const Making& one) {
      trace.schedule
          .streams[static_cast<std::size_t>(rank)][static_cast<std::size_t>(one.computing)]
          .seconds += least_s[key][number];
    });
}

}  // namespace hakaru::trace
