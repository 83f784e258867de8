#include "native/replay/engine/groups.hpp"

#include <fmt/core.h>

#include "native/base/require.hpp"

namespace hakaru::replay {

Groups::Groups(const schedule::Schedule& schedule)
    : schedule_(schedule),
      families_(schedule.communicators.size()),
      lengths_(schedule.communicators.size(), 0) {
  for (const schedule::Stream& stream : schedule.streams)
    for (const schedule::Operation& operation : stream)
      if (operation.kind == schedule::Kind::collective && operation.payload != schedule::no_payload)
        lengths_[operation.communicator] |= 1U << static_cast<unsigned>(operation.collective);
}

void Groups::prepare(std::uint32_t number) {
  Family& family = families_[number];
  const schedule::CommunicatorFamily& given = schedule_.communicators[number];
  family.prepared = true;
  const auto ranks = static_cast<std::size_t>(schedule_.ranks);
  family.calls.assign(ranks, 0);
  if (given.self) {
    family.open.resize(ranks);
    return;
  }
  family.open.resize(given.groups.empty() ? 1 : given.groups.size());
  if (given.groups.empty()) return;
  family.group_of.assign(ranks, none);
  family.index_of.assign(ranks, -1);
  for (std::size_t g = 0; g < given.groups.size(); ++g) {
    for (std::size_t i = 0; i < given.groups[g].size(); ++i) {
      const auto rank = static_cast<std::size_t>(given.groups[g][i]);
      family.group_of[rank] = static_cast<std::uint32_t>(g);
      family.index_of[rank] = static_cast<std::int32_t>(i);
    }
  }
}

Group Groups::group(std::uint32_t number, std::int32_t rank) {
  Family& family = families_[number];
  if (!family.prepared) prepare(number);
  const schedule::CommunicatorFamily& given = schedule_.communicators[number];
  const auto r = static_cast<std::size_t>(rank);
  if (given.self) return {nullptr, 0, 1, number, static_cast<std::uint32_t>(r)};
  if (given.groups.empty()) return {nullptr, rank, schedule_.ranks, number, 0};
  const std::uint32_t g = family.group_of[r];
  if (g == none)
    base::require(false, fmt::format("rank {} calls on communicator '{}'", rank, given.name),
                  "it does not belong to it", "the schedule is inconsistent");
  const std::vector<std::int32_t>& members = given.groups[g];
  return {members.data(), family.index_of[r], static_cast<std::int32_t>(members.size()), number, g};
}

Instance& Groups::enter(const Group& group, std::int32_t rank, std::uint32_t& number) {
  Family& family = families_[group.family];
  number = family.calls[static_cast<std::size_t>(rank)]++;
  return instance(group, number);
}

Instance& Groups::instance(const Group& group, std::uint32_t number) {
  Open& open = families_[group.family].open[group.number];
  const std::uint32_t at = number - open.first;
  if (at >= open.instances.size()) open.instances.resize(at + 1);
  return open.instances[at];
}

void Groups::retire(const Group& group) {
  Open& open = families_[group.family].open[group.number];
  std::uint32_t& retired = open.retired;
  while (retired < open.instances.size() && open.instances[retired].arrived == group.size)
    ++retired;
  if (retired < 16 && retired < open.instances.size()) return;
  open.instances.erase(open.instances.begin(), open.instances.begin() + retired);
  open.first += retired;
  retired = 0;
}

std::int32_t Groups::size(std::uint32_t family, std::uint32_t number) const {
  const schedule::CommunicatorFamily& given = schedule_.communicators[family];
  if (given.self) return 1;
  return given.groups.empty() ? schedule_.ranks
                              : static_cast<std::int32_t>(given.groups[number].size());
}

}  // namespace hakaru::replay
