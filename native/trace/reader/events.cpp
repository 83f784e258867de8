#include "native/trace/reader/events.hpp"

#include <fmt/format.h>

#include <charconv>
#include <memory>

#include "native/base/require.hpp"
#include "native/trace/own_names.hpp"

namespace hakaru::trace {
namespace {

using schedule::Kind;

template <typename Work>
OTF2_CallbackCode with_builder(void* data, Work&& work) {
  auto& context = *static_cast<EventContext*>(data);
  try {
    work(*context.builder, *context.definitions);
    return OTF2_CALLBACK_SUCCESS;
  } catch (...) {
    context.failure = std::current_exception();
    return OTF2_CALLBACK_INTERRUPT;
  }
}

std::vector<std::int64_t> numbers_in(const std::string& text) {
  std::vector<std::int64_t> numbers;
  const char* position = text.data();
  const char* const end = position + text.size();
  while (position < end) {
    std::int64_t number = 0;
    const auto [next, problem] = std::from_chars(position, end, number);
    base::require(problem == std::errc(), "a list of lengths in the trace is damaged",
                  "\"" + text + "\"", "trace the program again");
    numbers.push_back(number);
    position = next;
    while (position < end && *position == ' ') ++position;
  }
  return numbers;
}

void take(Attributes& found, Attribute attribute, const OTF2_AttributeValue& value,
          const std::string* text) {
  const auto numbers = [&] {
    return text == nullptr ? std::vector<std::int64_t>{} : numbers_in(*text);
  };
  switch (attribute) {
    case Attribute::sent_to:
      found.sent_to = numbers();
      break;
    case Attribute::received_from:
      found.received_from = numbers();
      break;
    case Attribute::neighbours_out:
      found.neighbours = true, found.neighbours_out = numbers();
      break;
    case Attribute::neighbours_in:
      found.neighbours = true, found.neighbours_in = numbers();
      break;
    case Attribute::send_mode:
      found.mode = value.uint8;
      break;
    case Attribute::probe_source:
      found.has_probe = true, found.probe_source = value.uint32;
      break;
    case Attribute::probe_tag:
      found.probe_tag = value.int32;
      break;
    case Attribute::probe_communicator:
      found.probe_communicator = value.uint32;
      break;
    case Attribute::probe_bytes:
      found.probe_bytes = value.uint64;
      break;
    case Attribute::received_flag:
      found.received_flag = value.int32;
      break;
    case Attribute::sent_flag:
      found.sent_flag = value.int32;
      break;
    case Attribute::stride_items:
      found.stride_items = value.uint64;
      break;
    case Attribute::flag_raises:
      found.flag_raises = value.uint64;
      break;
    case Attribute::spawn_start_up:
      found.spawn = true, found.spawn_start_up_ns = value.uint64;
      break;
    case Attribute::piece_bytes:
      found.piece_bytes = value.uint32;
      break;
    case Attribute::grid:
      found.grid = value.uint8 != 0;
      break;
    case Attribute::delayed_ns:
      found.delayed_ns = value.uint64;
      break;
    case Attribute::sensed_ns:
      found.sensed_ns = value.uint64;
      break;
    case Attribute::cold_ns:
      found.cold_ns = value.uint64;
      break;
    case Attribute::persistent:
      found.persistent = value.uint8 != 0;
      break;
  }
}

Attributes attributes_of(const Definitions& definitions, const OTF2_AttributeList* list) {
  Attributes found;
  const std::uint32_t count = list ? OTF2_AttributeList_GetNumberOfElements(list) : 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    OTF2_AttributeRef reference{};
    OTF2_Type type{};
    OTF2_AttributeValue value{};
    if (OTF2_AttributeList_GetAttributeByIndex(list, i, &reference, &type, &value) != OTF2_SUCCESS)
      continue;
    const std::string* name = definitions.attributes.find(reference);
    const AttributeName* ours = name == nullptr ? nullptr : attribute_named(*name);
    if (ours == nullptr) continue;
    take(found, ours->attribute, value,
         type == OTF2_TYPE_STRING ? definitions.strings.find(value.stringRef) : nullptr);
  }
  return found;
}

const Attributes none;

bool has_attributes(const OTF2_AttributeList* list) {
  return list && OTF2_AttributeList_GetNumberOfElements(list) > 0;
}

// Of the data of a message; 0: no gaps.
std::uint32_t pieces(const Definitions& definitions, const OTF2_AttributeList* list) {
  return has_attributes(list) ? attributes_of(definitions, list).piece_bytes : 0;
}

using Location_ = OTF2_LocationRef;
using Time = OTF2_TimeStamp;
using List = OTF2_AttributeList*;

OTF2_CallbackCode on_enter(Location_, Time time, std::uint64_t, void* data, List list,
                           OTF2_RegionRef region) {
  return with_builder(data, [&](RankBuilder& b, Definitions& d) {
    if (has_attributes(list)) return b.enter(time, region, attributes_of(d, list));
    b.enter(time, region, none);
  });
}
OTF2_CallbackCode on_leave(Location_, Time time, std::uint64_t, void* data, List list,
                           OTF2_RegionRef region) {
  return with_builder(data, [&](RankBuilder& b, Definitions& d) {
    if (has_attributes(list)) return b.leave(time, region, attributes_of(d, list));
    b.leave(time, region, none);
  });
}
OTF2_CallbackCode on_send(Location_, Time time, std::uint64_t, void* data, List list,
                          std::uint32_t receiver, OTF2_CommRef communicator, std::uint32_t tag,
                          std::uint64_t bytes) {
  return with_builder(data, [&](RankBuilder& b, Definitions& d) {
    b.send(time, receiver, communicator, tag, bytes, pieces(d, list));
  });
}
OTF2_CallbackCode on_receive(Location_, Time time, std::uint64_t, void* data, List list,
                             std::uint32_t sender, OTF2_CommRef communicator, std::uint32_t tag,
                             std::uint64_t bytes) {
  return with_builder(data, [&](RankBuilder& b, Definitions& d) {
    b.receive(time, sender, communicator, tag, bytes, pieces(d, list));
  });
}
OTF2_CallbackCode on_isend(Location_, Time time, std::uint64_t, void* data, List list,
                           std::uint32_t receiver, OTF2_CommRef communicator, std::uint32_t tag,
                           std::uint64_t bytes, std::uint64_t request) {
  return with_builder(data, [&](RankBuilder& b, Definitions& d) {
    if (has_attributes(list))
      return b.isend(time, receiver, communicator, tag, bytes, request, attributes_of(d, list));
    b.isend(time, receiver, communicator, tag, bytes, request, none);
  });
}
OTF2_CallbackCode on_isend_end(Location_, Time time, std::uint64_t, void* data, List,
                               std::uint64_t request) {
  return with_builder(data, [&](RankBuilder& b, Definitions&) { b.isend_end(time, request); });
}
OTF2_CallbackCode on_ireceive_begin(Location_, Time time, std::uint64_t, void* data, List,
                                    std::uint64_t request) {
  return with_builder(data, [&](RankBuilder& b, Definitions&) { b.ireceive_begin(time, request); });
}
OTF2_CallbackCode on_ireceive_end(Location_, Time time, std::uint64_t, void* data, List list,
                                  std::uint32_t sender, OTF2_CommRef communicator,
                                  std::uint32_t tag, std::uint64_t bytes, std::uint64_t request) {
  return with_builder(data, [&](RankBuilder& b, Definitions& d) {
    b.ireceive_end(time, sender, communicator, tag, bytes, request, pieces(d, list));
  });
}
OTF2_CallbackCode on_test(Location_, Time time, std::uint64_t, void* data, List,
                          std::uint64_t request) {
  return with_builder(data, [&](RankBuilder& b, Definitions&) { b.tested(time, request); });
}
OTF2_CallbackCode on_cancelled(Location_, Time time, std::uint64_t, void* data, List,
                               std::uint64_t request) {
  return with_builder(data, [&](RankBuilder& b, Definitions&) { b.cancelled(time, request); });
}
OTF2_CallbackCode on_begin(Location_, Time time, std::uint64_t, void* data, List) {
  return with_builder(data, [&](RankBuilder& b, Definitions&) { b.other(time); });
}
OTF2_CallbackCode on_collective(Location_, Time time, std::uint64_t, void* data, List list,
                                OTF2_CollectiveOp operation, OTF2_CommRef communicator,
                                std::uint32_t root, std::uint64_t sent, std::uint64_t received) {
  return with_builder(data, [&](RankBuilder& b, Definitions& d) {
    b.collective(time, {operation, communicator, root, sent, received},
                 has_attributes(list) ? attributes_of(d, list) : none);
  });
}
OTF2_CallbackCode on_icollective_begin(Location_, Time time, std::uint64_t, void* data, List,
                                       std::uint64_t request) {
  return with_builder(data,
                      [&](RankBuilder& b, Definitions&) { b.icollective_begin(time, request); });
}
OTF2_CallbackCode on_icollective_end(Location_, Time time, std::uint64_t, void* data, List list,
                                     OTF2_CollectiveOp operation, OTF2_CommRef communicator,
                                     std::uint32_t root, std::uint64_t sent, std::uint64_t received,
                                     std::uint64_t request) {
  return with_builder(data, [&](RankBuilder& b, Definitions& d) {
    b.icollective_end(time, {operation, communicator, root, sent, received}, request,
                      has_attributes(list) ? attributes_of(d, list) : none);
  });
}
OTF2_CallbackCode on_reference(Location_, Time time, std::uint64_t, void* data, List,
                               std::uint32_t) {
  return with_builder(data, [&](RankBuilder& b, Definitions&) { b.other(time); });
}
OTF2_CallbackCode on_window_made(Location_, Time time, std::uint64_t, void* data, List,
                                 OTF2_RmaWinRef window) {
  return with_builder(data, [&](RankBuilder& b, Definitions&) { b.window_made(time, window); });
}
OTF2_CallbackCode on_window_freed(Location_, Time time, std::uint64_t, void* data, List,
                                  OTF2_RmaWinRef window) {
  return with_builder(data, [&](RankBuilder& b, Definitions&) { b.window_freed(time, window); });
}
OTF2_CallbackCode on_window_collective(Location_, Time time, std::uint64_t, void* data, List,
                                       OTF2_CollectiveOp operation, OTF2_RmaSyncLevel,
                                       OTF2_RmaWinRef window, std::uint32_t root,
                                       std::uint64_t sent, std::uint64_t received) {
  return with_builder(data, [&](RankBuilder& b, Definitions&) {
    b.window_collective(time, {operation, window, root, sent, received});
  });
}
OTF2_CallbackCode on_group_sync(Location_, Time time, std::uint64_t, void* data, List,
                                OTF2_RmaSyncLevel, OTF2_RmaWinRef window, OTF2_GroupRef group) {
  return with_builder(data,
                      [&](RankBuilder& b, Definitions&) { b.group_sync(time, window, group); });
}
OTF2_CallbackCode on_lock(Location_, Time time, std::uint64_t, void* data, List,
                          OTF2_RmaWinRef window, std::uint32_t remote, std::uint64_t,
                          OTF2_LockType) {
  return with_builder(data, [&](RankBuilder& b, Definitions&) { b.lock(time, window, remote); });
}
OTF2_CallbackCode on_unlock(Location_, Time time, std::uint64_t, void* data, List,
                            OTF2_RmaWinRef window, std::uint32_t remote, std::uint64_t) {
  return with_builder(data, [&](RankBuilder& b, Definitions&) { b.unlock(time, window, remote); });
}
OTF2_CallbackCode on_window_sync(Location_, Time time, std::uint64_t, void* data, List,
                                 OTF2_RmaWinRef window, std::uint32_t remote, OTF2_RmaSyncType) {
  return with_builder(data,
                      [&](RankBuilder& b, Definitions&) { b.window_sync(time, window, remote); });
}
OTF2_CallbackCode on_put(Location_, Time time, std::uint64_t, void* data, List list,
                         OTF2_RmaWinRef window, std::uint32_t remote, std::uint64_t bytes,
                         std::uint64_t matching) {
  return with_builder(data, [&](RankBuilder& b, Definitions& d) {
    b.remote_access(time, Kind::put, window, remote, bytes, matching,
                    has_attributes(list) ? attributes_of(d, list) : none);
  });
}
OTF2_CallbackCode on_get(Location_, Time time, std::uint64_t, void* data, List list,
                         OTF2_RmaWinRef window, std::uint32_t remote, std::uint64_t bytes,
                         std::uint64_t matching) {
  return with_builder(data, [&](RankBuilder& b, Definitions& d) {
    b.remote_access(time, Kind::get, window, remote, bytes, matching,
                    has_attributes(list) ? attributes_of(d, list) : none);
  });
}
OTF2_CallbackCode on_atomic(Location_, Time time, std::uint64_t, void* data, List,
                            OTF2_RmaWinRef window, std::uint32_t remote, OTF2_RmaAtomicType,
                            std::uint64_t sent, std::uint64_t received, std::uint64_t matching) {
  return with_builder(data, [&](RankBuilder& b, Definitions&) {
    b.remote_access(time, Kind::accumulate, window, remote, std::max(sent, received), matching,
                    none);
  });
}
OTF2_CallbackCode on_wait_change(Location_, Time time, std::uint64_t, void* data, List list,
                                 OTF2_RmaWinRef) {
  return with_builder(data, [&](RankBuilder& b, Definitions& d) {
    if (!has_attributes(list)) return b.other(time);
    b.flag_wait(time, attributes_of(d, list));
  });
}
OTF2_CallbackCode on_access_end(Location_, Time time, std::uint64_t, void* data, List,
                                OTF2_RmaWinRef window, std::uint64_t matching) {
  return with_builder(
      data, [&](RankBuilder& b, Definitions&) { b.remote_access_end(time, window, matching); });
}
OTF2_CallbackCode on_file_opened(Location_, Time time, std::uint64_t, void* data, List,
                                 OTF2_IoHandleRef file, OTF2_IoAccessMode, OTF2_IoCreationFlag,
                                 OTF2_IoStatusFlag) {
  return with_builder(data, [&](RankBuilder& b, Definitions&) { b.file_opened(time, file); });
}
OTF2_CallbackCode on_file_closed(Location_, Time time, std::uint64_t, void* data, List,
                                 OTF2_IoHandleRef file) {
  return with_builder(data, [&](RankBuilder& b, Definitions&) { b.file_closed(time, file); });
}
OTF2_CallbackCode on_file_begin(Location_, Time time, std::uint64_t, void* data, List,
                                OTF2_IoHandleRef file, OTF2_IoOperationMode mode,
                                OTF2_IoOperationFlag flags, std::uint64_t bytes,
                                std::uint64_t matching) {
  return with_builder(data, [&](RankBuilder& b, Definitions&) {
    b.file_begin(time, file, mode, (flags & OTF2_IO_OPERATION_FLAG_COLLECTIVE) != 0, bytes,
                 matching);
  });
}
OTF2_CallbackCode on_file_end(Location_, Time time, std::uint64_t, void* data, List,
                              OTF2_IoHandleRef file, std::uint64_t bytes, std::uint64_t matching) {
  return with_builder(
      data, [&](RankBuilder& b, Definitions&) { b.file_end(time, file, bytes, matching); });
}
OTF2_CallbackCode on_recording(Location_, Time time, std::uint64_t, void* data, List,
                               OTF2_MeasurementMode mode) {
  return with_builder(
      data, [&](RankBuilder& b, Definitions&) { b.recording(time, mode == OTF2_MEASUREMENT_ON); });
}
OTF2_CallbackCode on_flush(Location_, Time time, std::uint64_t, void* data, List, Time end) {
  return with_builder(data, [&](RankBuilder& b, Definitions&) { b.flush(time, end); });
}
OTF2_CallbackCode on_program_begin(Location_, Time time, std::uint64_t, void* data, List,
                                   OTF2_StringRef name, std::uint32_t, const OTF2_StringRef*) {
  return with_builder(data, [&](RankBuilder& b, Definitions& d) {
    b.other(time);
    const std::string* text = d.strings.find(name);
    if (text != nullptr) d.program = *text;
  });
}
OTF2_CallbackCode on_program_end(Location_, Time time, std::uint64_t, void* data, List,
                                 std::int64_t) {
  return with_builder(data, [&](RankBuilder& b, Definitions&) { b.program_end(time); });
}

OTF2_CallbackCode thread_enter(Location_, Time time, std::uint64_t position, void* data, List,
                               OTF2_RegionRef reference) {
  auto& context = *static_cast<EventContext*>(data);
  const Region* region = context.definitions->regions.find(reference);
  if (region != nullptr) context.scan->enter(time, position, *region);
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode thread_leave(Location_, Time time, std::uint64_t position, void* data, List,
                               OTF2_RegionRef reference) {
  auto& context = *static_cast<EventContext*>(data);
  const Region* region = context.definitions->regions.find(reference);
  if (region != nullptr) context.scan->leave(time, position, *region);
  return OTF2_CALLBACK_SUCCESS;
}

}  // namespace

OTF2_EvtReaderCallbacks* thread_callbacks() {
  OTF2_EvtReaderCallbacks* callbacks = OTF2_EvtReaderCallbacks_New();
  OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, thread_enter);
  OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, thread_leave);
  return callbacks;
}

OTF2_EvtReaderCallbacks* rank_callbacks() {
  OTF2_EvtReaderCallbacks* c = OTF2_EvtReaderCallbacks_New();
  OTF2_EvtReaderCallbacks_SetEnterCallback(c, on_enter);
  OTF2_EvtReaderCallbacks_SetLeaveCallback(c, on_leave);
  OTF2_EvtReaderCallbacks_SetMpiSendCallback(c, on_send);
  OTF2_EvtReaderCallbacks_SetMpiRecvCallback(c, on_receive);
  OTF2_EvtReaderCallbacks_SetMpiIsendCallback(c, on_isend);
  OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(c, on_isend_end);
  OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(c, on_ireceive_begin);
  OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(c, on_ireceive_end);
  OTF2_EvtReaderCallbacks_SetMpiRequestTestCallback(c, on_test);
  OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(c, on_cancelled);
  OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(c, on_begin);
  OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(c, on_collective);
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(c, on_icollective_begin);
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(c, on_icollective_end);
  OTF2_EvtReaderCallbacks_SetCommCreateCallback(c, on_reference);
  OTF2_EvtReaderCallbacks_SetCommDestroyCallback(c, on_reference);
  OTF2_EvtReaderCallbacks_SetRmaWinCreateCallback(c, on_window_made);
  OTF2_EvtReaderCallbacks_SetRmaWinDestroyCallback(c, on_window_freed);
  OTF2_EvtReaderCallbacks_SetRmaCollectiveBeginCallback(c, on_begin);
  OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback(c, on_window_collective);
  OTF2_EvtReaderCallbacks_SetRmaGroupSyncCallback(c, on_group_sync);
  OTF2_EvtReaderCallbacks_SetRmaRequestLockCallback(c, on_lock);
  OTF2_EvtReaderCallbacks_SetRmaAcquireLockCallback(c, on_lock);
  OTF2_EvtReaderCallbacks_SetRmaReleaseLockCallback(c, on_unlock);
  OTF2_EvtReaderCallbacks_SetRmaSyncCallback(c, on_window_sync);
  OTF2_EvtReaderCallbacks_SetRmaPutCallback(c, on_put);
  OTF2_EvtReaderCallbacks_SetRmaGetCallback(c, on_get);
  OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(c, on_atomic);
  OTF2_EvtReaderCallbacks_SetRmaWaitChangeCallback(c, on_wait_change);
  OTF2_EvtReaderCallbacks_SetRmaOpCompleteBlockingCallback(c, on_access_end);
  OTF2_EvtReaderCallbacks_SetRmaOpCompleteRemoteCallback(c, on_access_end);
  OTF2_EvtReaderCallbacks_SetIoCreateHandleCallback(c, on_file_opened);
  OTF2_EvtReaderCallbacks_SetIoDestroyHandleCallback(c, on_file_closed);
  OTF2_EvtReaderCallbacks_SetIoOperationBeginCallback(c, on_file_begin);
  OTF2_EvtReaderCallbacks_SetIoOperationCompleteCallback(c, on_file_end);
  OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(c, on_recording);
  OTF2_EvtReaderCallbacks_SetBufferFlushCallback(c, on_flush);
  OTF2_EvtReaderCallbacks_SetProgramBeginCallback(c, on_program_begin);
  OTF2_EvtReaderCallbacks_SetProgramEndCallback(c, on_program_end);
  return c;
}

void read_location(OTF2_Reader* reader, const Location& location,
                   const OTF2_EvtReaderCallbacks* callbacks, EventContext& context) {
  const std::string who = location.rank >= 0 ? fmt::format("rank {}", location.rank)
                                             : fmt::format("location {}", location.reference);
  const char* const remedy = "copy the archive again, or trace the program again";
  OTF2_EvtReader* events = OTF2_Reader_GetEvtReader(reader, location.reference);
  base::require(events != nullptr, "the events of " + who + " cannot be opened",
                "their file is missing or damaged", remedy);
  OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, &context);
  std::uint64_t read = 0;
  const OTF2_ErrorCode code = OTF2_Reader_ReadAllLocalEvents(reader, events, &read);
  if (context.failure) std::rethrow_exception(context.failure);
  base::require(code == OTF2_SUCCESS, "the events of " + who + " cannot be read",
                fmt::format("{} after {} of {} events", OTF2_Error_GetDescription(code), read,
                            location.events),
                remedy);
  base::require(read == location.events, "the events of " + who + " are incomplete",
                fmt::format("{} of {} are there", read, location.events), remedy);
  OTF2_Reader_CloseEvtReader(reader, events);
}

PieceReader::PieceReader(OTF2_Reader* reader, const Location& location)
    : reader_(reader),
      events_(OTF2_Reader_GetEvtReader(reader, location.reference)),
      location_(location.reference) {
  base::require(events_ != nullptr, "the events of a thread cannot be opened",
                fmt::format("location {}", location_),
                "copy the archive again, or trace the program again");
}

PieceReader::~PieceReader() { OTF2_Reader_CloseEvtReader(reader_, events_); }

void PieceReader::read_to(std::uint64_t position, const OTF2_EvtReaderCallbacks* callbacks,
                          EventContext& context) {
  if (position <= position_) return;
  static const std::unique_ptr<OTF2_EvtReaderCallbacks, void (*)(OTF2_EvtReaderCallbacks*)> nothing(
      OTF2_EvtReaderCallbacks_New(),
      [](OTF2_EvtReaderCallbacks* c) { OTF2_EvtReaderCallbacks_Delete(c); });
  OTF2_Reader_RegisterEvtCallbacks(reader_, events_, callbacks ? callbacks : nothing.get(),
                                   &context);
  std::uint64_t read = 0;
  const OTF2_ErrorCode code =
      OTF2_Reader_ReadLocalEvents(reader_, events_, position - position_, &read);
  if (context.failure) std::rethrow_exception(context.failure);
  base::require(code == OTF2_SUCCESS && read == position - position_,
                "the events of a thread cannot be read",
                fmt::format("{} after {} events of location {}", OTF2_Error_GetDescription(code),
                            position_ + read, location_),
                "copy the archive again, or trace the program again");
  position_ = position;
}

}  // namespace hakaru::trace
