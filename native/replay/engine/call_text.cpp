#include "native/replay/engine/call_text.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "native/base/require.hpp"

namespace hakaru::replay {

namespace {

using schedule::Kind;
using schedule::Operation;

std::string name(const Operation& operation) {
  if (operation.kind == Kind::collective)
    return (operation.request >= 0 ? "non-blocking " : "") +
           std::string(schedule::name_of(operation.collective));
  if (operation.kind == Kind::wait_exposure) return "wait of an exposure epoch";
  std::string text = schedule::name_of(operation.kind);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

}  // namespace

std::string call_text(const schedule::Schedule& schedule, const Operation& operation,
                      std::int32_t rank) {
  const std::string& communicator = schedule.communicators[operation.communicator].name;
  const std::string what = name(operation);
  const auto with = [&] { return schedule::peer_of(operation, rank, schedule.ranks); };
  switch (operation.kind) {
    case Kind::send:
    case Kind::isend:
      return fmt::format("{} to rank {}, tag {}, {} bytes, communicator '{}'", what, with(),
                         operation.tag, operation.bytes, communicator);
    case Kind::receive:
    case Kind::ireceive:
    case Kind::probe:
      return fmt::format("{} from rank {}, tag {}, {} bytes, communicator '{}'", what, with(),
                         operation.tag, operation.bytes, communicator);
    case Kind::wait:
      return fmt::format("wait of request {}", operation.request);
    case Kind::fork:
      return fmt::format("thread of request {}", operation.request);
    case Kind::collective:
      if (operation.peer >= 0)
        return fmt::format("{} of {} bytes with root {}, communicator '{}'", what, operation.bytes,
                           operation.peer, communicator);
      return fmt::format("{} of {} bytes, communicator '{}'", what, operation.bytes, communicator);
    case Kind::flag_wait:
      return fmt::format("flag wait for {} increments of flag {}", operation.bytes, operation.tag);
    default:
      return fmt::format("{}, communicator '{}'", what, communicator);
  }
}

void misused(const schedule::Schedule& schedule, const Actor& self, const char* doing,
             const char* why) {
  throw base::UserError(base::ExitCode::usage,
                        base::explain(fmt::format("rank {} {} ({})", self.rank, doing,
                                                  call_text(schedule, *self.operation, self.rank)),
                                      why, "the schedule is inconsistent"));
}

void truncated(const schedule::Schedule& schedule, const Actor& self, const Operation& posted,
               std::int32_t from, std::uint64_t bytes) {
  throw base::UserError(
      base::ExitCode::usage,
      base::explain(
          fmt::format("rank {} receives {} bytes into {}", self.rank, bytes, posted.bytes),
          fmt::format("from rank {}, tag {}, communicator '{}'", from, posted.tag,
                      schedule.communicators[posted.communicator].name),
          "the schedule is inconsistent"));
}

}  // namespace hakaru::replay
