#include "native/trace/write/rank_writer.hpp"

#include <algorithm>
#include <cmath>

#include "native/base/require.hpp"
#include "native/trace/write/call_names.hpp"
#include "native/trace/write/collectives.hpp"

namespace hakaru::trace {
namespace {

using schedule::Kind;
using schedule::Mode;

std::string joined(const std::vector<std::int64_t>& values) {
  std::string text;
  for (const std::int64_t value : values) {
    if (!text.empty()) text += ' ';
    text += std::to_string(value);
  }
  return text;
}

}  // namespace

RankWriter::RankWriter(const schedule::Schedule& schedule, WrittenDefinitions& definitions,
                       std::int32_t rank, double ticks_per_second)
    : schedule_(schedule),
      definitions_(definitions),
      rank_(rank),
      ticks_per_second_(ticks_per_second),
      attributes_(OTF2_AttributeList_New()) {}

RankWriter::~RankWriter() { OTF2_AttributeList_Delete(attributes_); }

std::uint64_t RankWriter::tick(double seconds) {
  const auto time = static_cast<std::uint64_t>(std::llround(seconds * ticks_per_second_));
  last_ = std::max(last_, time);
  return time;
}

std::uint32_t RankWriter::peer(const Operation& o) const {
  const std::int32_t world = schedule::peer_of(o, rank_, schedule_.ranks);
  return definitions_.inside(o.communicator, world);
}

OTF2_CommRef RankWriter::communicator(const Operation& o) const {
  return definitions_.place(o.communicator, rank_).communicator;
}

OTF2_RmaWinRef RankWriter::window(const Operation& o) {
  return definitions_.window(o.communicator, rank_);
}

void RankWriter::begin(OTF2_EvtWriter* own, OTF2_StringRef program) {
  OTF2_EvtWriter_ProgramBegin(own, nullptr, 0, program, 0, nullptr);
}

void RankWriter::finish(OTF2_EvtWriter* own, double end_s) {
  const std::uint64_t time = tick(end_s);
  enter_phase(marked_.empty() ? schedule::no_phase : marked_.back(), time, own);
  for (; !marked_.empty(); marked_.pop_back())
    OTF2_EvtWriter_Leave(own, nullptr, time, definitions_.phase(marked_.back()));
  OTF2_EvtWriter_ProgramEnd(own, nullptr, time, 0);
}

// Marks of phases are regions that nest. An operation may name a phase that no mark began: it is a
// region inside them.
void RankWriter::enter_phase(std::uint16_t phase, std::uint64_t time, OTF2_EvtWriter* writer) {
  if (phase >= schedule_.phases.size()) phase = schedule::no_phase;
  if (phase == phase_) return;
  const std::uint16_t marked = marked_.empty() ? schedule::no_phase : marked_.back();
  if (phase_ != marked) OTF2_EvtWriter_Leave(writer, nullptr, time, definitions_.phase(phase_));
  if (phase != marked && phase != schedule::no_phase)
    OTF2_EvtWriter_Enter(writer, nullptr, time, definitions_.phase(phase));
  phase_ = phase == schedule::no_phase ? marked : phase;
}

void RankWriter::mark(const Operation& o, std::uint64_t time, OTF2_EvtWriter* writer) {
  enter_phase(marked_.empty() ? schedule::no_phase : marked_.back(), time, writer);
  if (o.kind == Kind::phase_begin) {
    OTF2_EvtWriter_Enter(writer, nullptr, time, definitions_.phase(o.phase));
    marked_.push_back(o.phase);
  } else if (!marked_.empty()) {
    OTF2_EvtWriter_Leave(writer, nullptr, time, definitions_.phase(marked_.back()));
    marked_.pop_back();
  }
  phase_ = marked_.empty() ? schedule::no_phase : marked_.back();
}

void RankWriter::write(const DoneOperation& done, OTF2_EvtWriter* writer) {
  const Operation& o = *done.operation;
  writer_ = writer;
  enter_ = tick(done.begin_s), leave_ = std::max(enter_, tick(done.end_s));
  const bool marks = o.kind == Kind::phase_end || o.kind == Kind::phase_begin;
  if (done.thread == 0 && marks) mark(o, enter_, writer);
  if (done.thread == 0 && !marks) enter_phase(o.phase, enter_, writer);
  const std::string name = call_name(o);
  if (o.kind == Kind::fork) open_[o.request] = {&o, 0};
  if (name.empty()) return;
  const auto waits_for = o.kind == Kind::wait ? open_.find(o.request) : open_.end();
  if (waits_for != open_.end() && waits_for->second.operation->kind == Kind::fork)
    return void(open_.erase(waits_for));
  const OTF2_RegionRef region = definitions_.call(name);
  OTF2_EvtWriter_Enter(writer, nullptr, enter_, region);
  at_enter(o);
  OTF2_AttributeList_RemoveAllAttributes(attributes_);
  at_leave(o);
  const OTF2_ErrorCode code = OTF2_EvtWriter_Leave(writer, attributes_, leave_, region);
  base::require_environment(code == OTF2_SUCCESS, "the archive cannot be written",
                            OTF2_Error_GetDescription(code),
                            "see that the disk has room and can be written");
}

void RankWriter::at_enter(const Operation& o) {
  OTF2_AttributeList_RemoveAllAttributes(attributes_);
  switch (o.kind) {
    case Kind::send:
      OTF2_EvtWriter_MpiSend(writer_, in_pieces(o), enter_, peer(o), communicator(o),
                             static_cast<std::uint32_t>(o.tag), o.bytes);
      return;
    case Kind::isend:
    case Kind::ireceive:
      return start(o);
    case Kind::collective:
      if (o.request >= 0) return start(o);
      return void(OTF2_EvtWriter_MpiCollectiveBegin(writer_, nullptr, enter_));
    case Kind::put:
    case Kind::get:
    case Kind::accumulate:
      return access(o);
    case Kind::fence:
      return void(OTF2_EvtWriter_RmaCollectiveBegin(writer_, nullptr, enter_));
    case Kind::lock:
      OTF2_EvtWriter_RmaRequestLock(writer_, nullptr, enter_, window(o),
                                    o.peer < 0 ? OTF2_UNDEFINED_UINT32 : peer(o), 0,
                                    OTF2_LOCK_SHARED);
      return;
    case Kind::flag_wait:
      OTF2_AttributeList_AddInt32(attributes_, reference(Attribute::received_flag), o.tag);
      OTF2_AttributeList_AddUint64(attributes_, reference(Attribute::flag_raises), o.bytes);
      OTF2_EvtWriter_RmaWaitChange(writer_, attributes_, enter_, window(o));
      return;
    case Kind::file_read:
    case Kind::file_write:
      OTF2_EvtWriter_IoOperationBegin(
          writer_, nullptr, enter_, definitions_.file(o.communicator, rank_),
          o.kind == Kind::file_read ? OTF2_IO_OPERATION_MODE_READ : OTF2_IO_OPERATION_MODE_WRITE,
          o.mode == Mode::collective ? OTF2_IO_OPERATION_FLAG_COLLECTIVE
                                     : OTF2_IO_OPERATION_FLAG_NONE,
          o.bytes, ++file_operations_);
      return;
    default:
      return;
  }
}

// Null: its data have no gaps.
OTF2_AttributeList* RankWriter::in_pieces(const Operation& message) {
  OTF2_AttributeList_RemoveAllAttributes(attributes_);
  if (!has_gaps(message)) return nullptr;
  OTF2_AttributeList_AddUint32(attributes_, reference(Attribute::piece_bytes),
                               static_cast<std::uint32_t>(message.payload));
  return attributes_;
}

void RankWriter::start(const Operation& o) {
  const std::uint64_t number = requests_++;
  open_[o.request] = {&o, number};
  if (o.kind == Kind::isend) {
    in_pieces(o);
    if (o.persistent) OTF2_AttributeList_AddUint8(attributes_, reference(Attribute::persistent), 1);
    OTF2_EvtWriter_MpiIsend(writer_, attributes_, enter_, peer(o), communicator(o),
                            static_cast<std::uint32_t>(o.tag), o.bytes, number);
  } else if (o.kind == Kind::ireceive) {
    OTF2_EvtWriter_MpiIrecvRequest(writer_, nullptr, enter_, number);
  } else {
    OTF2_EvtWriter_NonBlockingCollectiveRequest(writer_, nullptr, enter_, number);
  }
}

void RankWriter::at_leave(const Operation& o) {
  switch (o.kind) {
    case Kind::receive:
      OTF2_EvtWriter_MpiRecv(writer_, in_pieces(o), leave_, peer(o), communicator(o),
                             static_cast<std::uint32_t>(o.tag), o.bytes);
      return;
    case Kind::probe:
      OTF2_AttributeList_AddUint32(attributes_, reference(Attribute::probe_source), peer(o));
      OTF2_AttributeList_AddInt32(attributes_, reference(Attribute::probe_tag), o.tag);
      OTF2_AttributeList_AddUint32(attributes_, reference(Attribute::probe_communicator),
                                   communicator(o));
      OTF2_AttributeList_AddUint64(attributes_, reference(Attribute::probe_bytes), o.bytes);
      return;
    case Kind::wait:
      return complete(o);
    case Kind::collective:
      if (o.request < 0) collective_end(o, nullptr);
      return;
    case Kind::file_read:
    case Kind::file_write:
    case Kind::file_open:
    case Kind::file_close:
      return file_done(o);
    default:
      return synchronise(o);
  }
}

void RankWriter::complete(const Operation& o) {
  const auto found = open_.find(o.request);
  if (found == open_.end()) return;
  const auto [began, number] = found->second;
  open_.erase(found);
  switch (began->kind) {
    case Kind::isend:
      OTF2_EvtWriter_MpiIsendComplete(writer_, nullptr, leave_, number);
      return;
    case Kind::ireceive:
      OTF2_EvtWriter_MpiIrecv(writer_, in_pieces(*began), leave_, peer(*began),
                              communicator(*began), static_cast<std::uint32_t>(began->tag),
                              began->bytes, number);
      return;
    case Kind::collective:
      return collective_end(*began, &number);
    default:
      OTF2_EvtWriter_RmaOpCompleteBlocking(writer_, nullptr, leave_, window(*began), number);
  }
}

void RankWriter::add(Attribute extra, const std::vector<std::int64_t>& values) {
  OTF2_AttributeList_AddStringRef(attributes_, reference(extra),
                                  definitions_.string(joined(values)));
}

void RankWriter::add_lists(const Operation& o) {
  using schedule::Collective;
  if (o.payload < 0) return;
  if (o.collective == Collective::neighbour_exchange) return add_neighbours(o);
  const bool receives = o.collective == Collective::gather || o.collective == Collective::allgather;
  add(receives ? Attribute::received_from : Attribute::sent_to,
      schedule_.lists[static_cast<std::size_t>(o.payload)]);
}

// Pairs of the schedule have ranks of the world.
void RankWriter::add_neighbours(const Operation& o) {
  std::vector<std::int64_t> list = schedule_.lists[static_cast<std::size_t>(o.payload)];
  for (std::size_t i = 0; i + 1 < list.size(); i += 2)
    list[i] = definitions_.inside(o.communicator, static_cast<std::int32_t>(list[i]));
  const auto middle =
      list.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(2 * o.bytes, list.size()));
  add(Attribute::neighbours_out, {list.begin(), middle});
  add(Attribute::neighbours_in, {middle, list.end()});
  if (o.grid) OTF2_AttributeList_AddUint8(attributes_, reference(Attribute::grid), 1);
}

void RankWriter::collective_end(const Operation& o, const std::uint64_t* request) {
  const Place in = definitions_.place(o.communicator, rank_);
  const CountedCollective c = count_collective(o, in);
  add_lists(o);
  if (request == nullptr)
    OTF2_EvtWriter_MpiCollectiveEnd(writer_, attributes_, leave_, c.operation, in.communicator,
                                    c.root, c.sent, c.received);
  else
    OTF2_EvtWriter_NonBlockingCollectiveComplete(writer_, attributes_, leave_, c.operation,
                                                 in.communicator, c.root, c.sent, c.received,
                                                 *request);
  OTF2_AttributeList_RemoveAllAttributes(attributes_);
}

}  // namespace hakaru::trace
