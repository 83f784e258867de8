// Files: a read or write takes operation_s + bytes / rate. Collective ones begin when all have
// come, and end together after the longer of: the most of one rank at a rank's rate, all at the
// total rate. Others share the total rate among the ranks of the communicator.
#pragma once

#include <fmt/core.h>

#include "native/base/require.hpp"
#include "native/replay/engine/collectives.hpp"

namespace hakaru::replay {

template <class Timing>
class Files {
 public:
  Files(const Given<Timing>& given, Accounts<Timing>& accounts, Groups& groups,
        Collectives<Timing>& collectives)
      : given_(given), accounts_(accounts), groups_(groups), collectives_(collectives) {}

  // False when the actor is blocked in its call.
  bool call(Actor& actor);

 private:
  FileSystem system(const Actor& actor) const;
  static double moved_bytes(const schedule::Operation& file) {
    using schedule::Kind;
    const bool moves = file.kind == Kind::file_read || file.kind == Kind::file_write;
    return static_cast<double>(moves ? file.bytes : 0);
  }

  const Given<Timing>& given_;
  Accounts<Timing>& accounts_;
  Groups& groups_;
  Collectives<Timing>& collectives_;
};

template <class Timing>
FileSystem Files<Timing>::system(const Actor& self) const {
  if (!given_.costs.file_system.has_value() && !given_.options.free)
    throw base::UserError(
        base::ExitCode::usage,
        base::explain(fmt::format("rank {} uses a file", self.rank),
                      "the network document has no \"file_system\"",
                      "give {\"operation_s\", \"rank_bytes_per_s\", \"total_bytes_per_s\"}"));
  return given_.costs.file_system.value_or(FileSystem{});
}

template <class Timing>
bool Files<Timing>::call(Actor& self) {
  const schedule::Operation& operation = *self.operation;
  const FileSystem costs = system(self);
  if (operation.mode != schedule::Mode::collective) {
    const double ranks = groups_.group(operation.communicator, self.rank).size;
    const double bytes = moved_bytes(operation);
    accounts_.spend(self, costs.operation_s + moving_s(costs, bytes, bytes * ranks),
                    SegmentKind::file);
    return true;
  }
  if (self.stage == Stage::begins &&
      !collectives_.enter(self, schedule::Collective::barrier, false))
    return false;
  accounts_.wait_until(self, self.result_s);
  accounts_.spend(self, costs.operation_s + self.together_s, SegmentKind::file);
  return true;
}

}  // namespace hakaru::replay
