// One-sided operations and files of a rank.
#include "native/trace/write/rank_writer.hpp"

namespace hakaru::trace {
namespace {

using schedule::Kind;
using schedule::Mode;

constexpr OTF2_RmaSyncLevel whole = OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY;

// Accesses without request are completed by name of window and target.
std::uint64_t matching(OTF2_RmaWinRef window, std::uint32_t target) {
  return 1ull << 63U | static_cast<std::uint64_t>(window) << 32U | target;
}

}  // namespace

void RankWriter::access(const Operation& o) {
  const OTF2_RmaWinRef win = window(o);
  const std::uint32_t target = peer(o);
  std::uint64_t id = matching(win, target);
  if (o.request >= 0)
    open_[o.request] = {&o, id = requests_++};
  else
    accessed_[win].insert(target);
  OTF2_AttributeList_AddInt32(attributes_, reference(Attribute::received_flag), o.tag);
  if (o.payload >= 0) {
    const auto& list = schedule_.lists[static_cast<std::size_t>(o.payload)];
    OTF2_AttributeList_AddInt32(attributes_, reference(Attribute::sent_flag),
                                static_cast<std::int32_t>(list.at(0)));
    OTF2_AttributeList_AddUint64(attributes_, reference(Attribute::stride_items),
                                 static_cast<std::uint64_t>(list.at(1)));
  }
  OTF2_AttributeList* const extra = o.tag != 0 || o.payload >= 0 ? attributes_ : nullptr;
  if (o.kind == Kind::put)
    OTF2_EvtWriter_RmaPut(writer_, extra, enter_, win, target, o.bytes, id);
  else if (o.kind == Kind::get)
    OTF2_EvtWriter_RmaGet(writer_, extra, enter_, win, target, o.bytes, id);
  else
    OTF2_EvtWriter_RmaAtomic(writer_, nullptr, enter_, win, target, OTF2_RMA_ATOMIC_TYPE_ACCUMULATE,
                             o.bytes, 0, id);
}

void RankWriter::finish_accesses(const Operation& o) {
  const OTF2_RmaWinRef win = window(o);
  std::set<std::uint32_t>& targets = accessed_[win];
  for (auto place = targets.begin(); place != targets.end();) {
    if (o.peer >= 0 && *place != peer(o)) {
      ++place;
      continue;
    }
    OTF2_EvtWriter_RmaOpCompleteRemote(writer_, nullptr, leave_, win, matching(win, *place));
    place = targets.erase(place);
  }
}

void RankWriter::synchronise(const Operation& o) {
  const bool one = o.peer >= 0;
  switch (o.kind) {
    case Kind::fence:
      finish_accesses(o);
      OTF2_EvtWriter_RmaCollectiveEnd(writer_, nullptr, leave_, OTF2_COLLECTIVE_OP_BARRIER, whole,
                                      window(o), OTF2_UNDEFINED_UINT32, 0, 0);
      return;
    case Kind::post:
    case Kind::start: {
      const OTF2_GroupRef group =
          definitions_.group(schedule_.lists[static_cast<std::size_t>(o.payload)]);
      epochs_[{window(o), o.kind == Kind::post}] = group;
      OTF2_EvtWriter_RmaGroupSync(writer_, nullptr, leave_, OTF2_RMA_SYNC_LEVEL_PROCESS, window(o),
                                  group);
      return;
    }
    case Kind::complete:
      finish_accesses(o);
      [[fallthrough]];
    case Kind::wait_exposure:
      OTF2_EvtWriter_RmaGroupSync(writer_, nullptr, leave_, whole, window(o),
                                  epochs_[{window(o), o.kind == Kind::wait_exposure}]);
      return;
    case Kind::lock:
      OTF2_EvtWriter_RmaAcquireLock(writer_, nullptr, leave_, window(o),
                                    one ? peer(o) : OTF2_UNDEFINED_UINT32, 0, OTF2_LOCK_SHARED);
      return;
    case Kind::unlock:
      finish_accesses(o);
      OTF2_EvtWriter_RmaReleaseLock(writer_, nullptr, leave_, window(o),
                                    one ? peer(o) : OTF2_UNDEFINED_UINT32, 0);
      return;
    case Kind::flush:
      OTF2_EvtWriter_RmaSync(writer_, nullptr, leave_, window(o),
                             one ? peer(o) : OTF2_UNDEFINED_UINT32, OTF2_RMA_SYNC_TYPE_MEMORY);
      if (o.mode != Mode::local) finish_accesses(o);
      return;
    default:
      return;
  }
}

void RankWriter::file_done(const Operation& o) {
  const OTF2_IoHandleRef file = definitions_.file(o.communicator, rank_);
  if (o.kind == Kind::file_open)
    OTF2_EvtWriter_IoCreateHandle(writer_, nullptr, leave_, file, OTF2_IO_ACCESS_MODE_READ_WRITE,
                                  OTF2_IO_CREATION_FLAG_NONE, OTF2_IO_STATUS_FLAG_NONE);
  else if (o.kind == Kind::file_close)
    OTF2_EvtWriter_IoDestroyHandle(writer_, nullptr, leave_, file);
  else
    OTF2_EvtWriter_IoOperationComplete(writer_, nullptr, leave_, file, o.bytes, file_operations_);
}

}  // namespace hakaru::trace
