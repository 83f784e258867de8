// Measured prices of one-sided calls (docs/explanation/replay.md, "One-sided by measured prices").
#pragma once

#include "native/replay/engine/groups.hpp"
#include "native/replay/engine/paths.hpp"

namespace hakaru::replay {

class WindowPrices {
 public:
  template <class Timing>
  WindowPrices(const Given<Timing>& given, Groups& groups)
      : schedule_(given.schedule), paths_(given.network), groups_(groups) {}

  // Of the operation's window between two ranks; nullptr: it costs what messages do.
  const OneSided* between(const schedule::Operation& operation, std::int32_t from,
                          std::int32_t to) const {
    const bool created = schedule_.communicators[operation.communicator].created_windows;
    return paths_.between(from, to).level->one_sided(created);
  }
  // The same for calls that concern no rank, or several: to the farthest member.
  const OneSided* of_all(const Actor& actor) const {
    return between(*actor.operation, actor.rank, farthest(actor));
  }
  const Level& level_of_all(const Actor& actor) const {
    return *paths_.between(actor.rank, farthest(actor)).level;
  }

 private:
  std::int32_t farthest(const Actor& actor) const {
    const Group group = groups_.group(actor.operation->communicator, actor.rank);
    return group.world(group.index == 0 ? group.size - 1 : 0);
  }

  const schedule::Schedule& schedule_;
  const Paths paths_;
  Groups& groups_;
};

}  // namespace hakaru::replay
