#include "native/trace/export/lanes.hpp"

#include <algorithm>
#include <map>

namespace hakaru::trace {
namespace {

using schedule::Kind;
using schedule::Operation;

class Collector : public Listener {
 public:
  void message(const Message& message) override { messages.push_back(message); }
  void wait(const Wait&) override {}
  std::vector<Message> messages;
};

bool has_bytes(Kind kind) {
  switch (kind) {
    case Kind::send:
    case Kind::receive:
    case Kind::isend:
    case Kind::ireceive:
    case Kind::put:
    case Kind::get:
    case Kind::accumulate:
    case Kind::file_read:
    case Kind::file_write:
    case Kind::collective:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::vector<Lane> lanes_of(const Trace& trace, std::size_t rank) {
  std::vector<Lane> lanes{{rank, 0}};
  std::vector<bool> busy{true};
  std::map<std::int32_t, std::size_t> joined_by;  // request -> thread
  for (const Operation& o : trace.schedule.streams[rank]) {
    if (o.kind == Kind::fork) {
      const auto thread =
          static_cast<std::size_t>(std::find(busy.begin(), busy.end(), false) - busy.begin());
      if (thread == busy.size()) busy.push_back(false);
      busy[thread] = true;
      joined_by[o.request] = thread;
      lanes.push_back({static_cast<std::size_t>(o.payload), thread});
    } else if (o.kind == Kind::wait && joined_by.count(o.request) > 0) {
      busy[joined_by[o.request]] = false;
      joined_by.erase(o.request);
    }
  }
  return lanes;
}

void each_piece_of_lane(const Trace& trace, std::size_t rank, const Lane& lane,
                        const PieceWork& work) {
  static const std::vector<OperationTime> none;
  each_piece_of_stream(trace, lane.stream, lane.thread == 0 ? trace.ranks[rank].silent_at : none,
                       work);
}

std::vector<PhaseSpan> phases_of(const Trace& trace, const Lane& lane) {
  const schedule::Stream& stream = trace.schedule.streams[lane.stream];
  const std::vector<OperationTime>& times = trace.times[lane.stream];
  std::vector<PhaseSpan> found;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < stream.size(); ++i) {
    if (stream[i].kind == Kind::phase_begin) {
      open.push_back(found.size());
      found.push_back({times[i].enter_s, times[i].enter_s, stream[i].phase});
    } else if (stream[i].kind == Kind::phase_end && !open.empty()) {
      found[open.back()].end_s = times[i].enter_s;
      open.pop_back();
    }
  }
  for (const std::size_t left : open)
    if (!times.empty()) found[left].end_s = times.back().leave_s;
  return found;
}

Transfer transfer_of(const Piece& piece) {
  Transfer found;
  for (std::size_t i = 0; i < piece.operations; ++i) {
    const Operation& o = piece.operation[i];
    if (!has_bytes(o.kind)) continue;
    const bool message = o.kind != Kind::collective && schedule::has_peer(o.kind);
    if (message && found.peer < 0) found.peer = o.peer, found.tag = o.tag;
    if (o.kind == Kind::collective && o.payload >= 0) continue;
    found.bytes += o.bytes;
  }
  return found;
}

std::string name_of(const Trace& trace, const Piece& piece) {
  return piece.call == computing ? "computing" : trace.calls[piece.call];
}

std::vector<Message> messages_of(const Trace& trace) {
  Collector collector;
  summarise(trace, {}, 64, &collector);
  return std::move(collector.messages);
}

}  // namespace hakaru::trace
