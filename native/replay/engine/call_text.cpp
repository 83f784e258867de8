#include <fmt/core.h>

#include "native/replay/engine/collectives/algorithm.hpp"
#include "native/schedule/schedule.hpp"

namespace hakaru::replay {

namespace {

using schedule::Kind;
using schedule::Operation;

std::string name(const Operation& operation) {
  switch (operation.kind) {
    case Kind::compute:
      return "compute";
    case Kind::send:
      return "send";
    case Kind::receive:
      return "receive";
    case Kind::isend:
      return "isend";
    case Kind::ireceive:
      return "ireceive";
    case Kind::probe:
      return "probe";
    case Kind::wait:
      return "wait";
    case Kind::collective:
      return (operation.request >= 0 ? "non-blocking " : "") +
             std::string(collective_name(operation.collective));
    case Kind::put:
      return "put";
    case Kind::get:
      return "get";
    case Kind::accumulate:
      return "accumulate";
    case Kind::fence:
      return "fence";
    case Kind::post:
      return "post";
    case Kind::start:
      return "start";
    case Kind::complete:
      return "complete";
    case Kind::wait_exposure:
      return "wait of an exposure epoch";
    case Kind::lock:
      return "lock";
    case Kind::unlock:
      return "unlock";
    case Kind::flush:
      return "flush";
    case Kind::flag_wait:
      return "flag wait";
    case Kind::file_read:
      return "file read";
    case Kind::file_write:
      return "file write";
    case Kind::file_open:
      return "file open";
    case Kind::file_close:
      return "file close";
    case Kind::phase_begin:
    case Kind::phase_end:
      return "phase mark";
    case Kind::loop_begin:
    case Kind::loop_end:
      return "loop mark";
  }
  return "unknown operation";
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

}  // namespace hakaru::replay
