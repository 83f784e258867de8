#include <array>

#include "native/schedule/schedule.hpp"

namespace hakaru::schedule {
namespace {

constexpr std::array kind_names{
    "compute", "send",       "receive",   "isend",         "ireceive",   "probe",
    "wait",    "collective", "put",       "get",           "accumulate", "fence",
    "post",    "start",      "complete",  "wait_exposure", "lock",       "unlock",
    "flush",   "flag_wait",  "file_read", "file_write",    "file_open",  "file_close",
    "fork",    "begin",      "end",       "repeat",        "repeat_end"};
static_assert(kind_names.size() == kinds);

constexpr std::array collective_names{"barrier",   "broadcast",      "reduce",
                                      "allreduce", "gather",         "scatter",
                                      "allgather", "alltoall",       "reduce_scatter",
                                      "scan",      "exclusive_scan", "neighbour_exchange"};
static_assert(collective_names.size() == collectives);

constexpr std::array mode_names{"standard", "buffered", "synchronous",
                                "ready",    "local",    "collective"};
static_assert(mode_names.size() == modes);

}  // namespace

const char* name_of(Kind kind) { return kind_names.at(static_cast<std::size_t>(kind)); }

const char* name_of(Collective collective) {
  return collective_names.at(static_cast<std::size_t>(collective));
}

const char* name_of(Mode mode) { return mode_names.at(static_cast<std::size_t>(mode)); }

bool has_peer(Kind kind) {
  switch (kind) {
    case Kind::send:
    case Kind::receive:
    case Kind::isend:
    case Kind::ireceive:
    case Kind::probe:
    case Kind::put:
    case Kind::get:
    case Kind::accumulate:
    case Kind::lock:
    case Kind::unlock:
    case Kind::flush:
      return true;
    default:
      return false;
  }
}

bool has_root(Collective collective) {
  return collective == Collective::broadcast || collective == Collective::reduce ||
         collective == Collective::gather || collective == Collective::scatter;
}

}  // namespace hakaru::schedule
