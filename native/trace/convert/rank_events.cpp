#include "native/trace/convert/rank_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "native/base/require.hpp"
#include "native/schedule/operation.hpp"

namespace hakaru::trace {
namespace {

constexpr std::int32_t most_threads = 4096;

}  // namespace

RankEvents::RankEvents(const World& world, const RawFile& file, ArchiveWriter& archive)
    : world_(world),
      file_(file),
      archive_(archive),
      numbers_(numbers_of(world, file)),
      clock_(world.clocks[static_cast<std::size_t>(numbers_.rank)]),
      attributes_(OTF2_AttributeList_New()) {}

RankEvents::~RankEvents() { OTF2_AttributeList_Delete(attributes_); }

std::uint64_t RankEvents::tick(std::uint64_t ticks) {
  thread_->last = std::max(thread_->last, clock_.at(ticks));
  archive_.saw(thread_->last);
  return thread_->last;
}

bool RankEvents::outside(std::uint32_t local) const {
  const auto found = numbers_.communicators.find(local);
  return found != numbers_.communicators.end() &&
         world_.communicators[found->second].kind == HAKARU_COMMUNICATOR_OUTSIDE;
}

std::uint32_t RankEvents::communicator(std::uint32_t local) const {
  const auto found = numbers_.communicators.find(local);
  if (found == numbers_.communicators.end())
    file_.damaged(fmt::format("communicator {} is not defined", local));
  return found->second;
}

std::uint32_t RankEvents::window(std::uint32_t local) const {
  const auto found = numbers_.windows.find(local);
  if (found == numbers_.windows.end())
    file_.damaged(fmt::format("window {} is not defined", local));
  return found->second;
}

std::uint32_t RankEvents::file(std::uint32_t local) const {
  const auto found = numbers_.files.find(local);
  if (found == numbers_.files.end()) file_.damaged(fmt::format("file {} is not defined", local));
  return found->second;
}

void RankEvents::write() {
  thread_ = &threads_[0];
  thread_->writer = archive_.open(numbers_.rank, 0);
  file_.each([&](const RawRecord& r) {
    if (!r.meta()) {
      record(r);
      return flush();
    }
    if (r.kind() == HAKARU_META_FLUSH) return flushed(r);
    if (r.kind() != HAKARU_META_THREAD) return;
    if (r.words < 2) file_.damaged("a thread without number");
    const auto number =
        static_cast<std::int32_t>(reinterpret_cast<const std::uint32_t*>(r.data)[2]);
    if (number < 0 || number > most_threads) file_.damaged(fmt::format("thread {}", number));
    thread_ = &threads_[number];
    if (thread_->writer == nullptr) thread_->writer = archive_.open(numbers_.rank, number);
  });
  finish();
}

void RankEvents::flushed(const RawRecord& record) {
  if (record.words != sizeof(hakaru_raw_flush) / 8) file_.damaged("a flush without its times");
  const auto& flush = record.as<hakaru_raw_flush>();
  if (flush.end < flush.begin) file_.damaged("a flush ends before it begins");
  flush_begin_ = flush.begin;
  flush_end_ = flush.end;
}

void RankEvents::flush() {
  if (flush_end_ == 0) return;
  const std::uint64_t begin = tick(flush_begin_), end = std::max(begin, clock_.at(flush_end_));
  flush_end_ = 0;
  require_written(OTF2_EvtWriter_BufferFlush(thread_->writer, nullptr, begin, end),
                  "writing events");
}

std::uint32_t RankEvents::words_of(const RawRecord& record, std::uint32_t at) const {
  const auto& item = *reinterpret_cast<const hakaru_raw_item*>(record.data + at);
  switch (HAKARU_ITEM_KIND(item.what)) {
    case HAKARU_ITEM_LONG:
    case HAKARU_ITEM_DELAYED:
    case HAKARU_ITEM_SENSED:
      return 2;
    case HAKARU_ITEM_SEND:
    case HAKARU_ITEM_RECV:
    case HAKARU_ITEM_ISEND:
    case HAKARU_ITEM_IRECV:
    case HAKARU_ITEM_RECV_DONE:
    case HAKARU_ITEM_PROBED:
      return sizeof(hakaru_raw_message) / 8;
    case HAKARU_ITEM_COLLECTIVE:
      return sizeof(hakaru_raw_collective) / 8;
    case HAKARU_ITEM_SENT_TO:
    case HAKARU_ITEM_RECEIVED_FROM:
    case HAKARU_ITEM_GROUP: {
      const std::uint64_t width = HAKARU_ITEM_FLAGS(item.what) & HAKARU_COUNTS_WIDE ? 8 : 4;
      return static_cast<std::uint32_t>(
          std::min<std::uint64_t>(1 + (item.request * width + 7) / 8, 1u << 20));
    }
    case HAKARU_ITEM_RMA:
      return sizeof(hakaru_raw_rma) / 8;
    case HAKARU_ITEM_RMA_SYNC:
      return sizeof(hakaru_raw_rma_sync) / 8;
    case HAKARU_ITEM_REMOTE:
      return sizeof(hakaru_raw_remote) / 8;
    case HAKARU_ITEM_FILE:
    case HAKARU_ITEM_FILE_DONE:
      return sizeof(hakaru_raw_file) / 8;
    default:
      return 1;
  }
}

void RankEvents::items_of(const RawRecord& record) {
  items_.clear();
  for (std::uint32_t at = 2; at < record.words;) {
    const std::uint32_t words = words_of(record, at);
    if (words > record.words - at) file_.damaged("an item is longer than its record");
    items_.push_back({reinterpret_cast<const hakaru_raw_item*>(record.data + at), words});
    at += words;
  }
}

std::vector<std::int64_t> RankEvents::counts_of(const Item& item) const {
  const auto& head = as<hakaru_raw_counts>(item);
  std::vector<std::int64_t> counts;
  const bool wide = HAKARU_ITEM_FLAGS(head.what) & HAKARU_COUNTS_WIDE;
  const auto* const data = reinterpret_cast<const char*>(&head + 1);
  for (std::uint32_t i = 0; i < head.count; ++i) {
    std::int64_t value = 0;
    std::int32_t narrow = 0;
    if (wide) {
      std::memcpy(&value, data + 8ull * i, 8);
    } else {
      std::memcpy(&narrow, data + 4ull * i, 4);
      value = narrow;
    }
    counts.push_back(value);
  }
  return counts;
}

void RankEvents::record(const RawRecord& record) {
  items_of(record);
  if (mark(record)) return;
  call_ = record.call();
  const auto& head = record.as<hakaru_raw_record>();
  std::uint64_t exit = head.enter + head.duration;
  if (head.duration == HAKARU_RAW_LONG && !items_.empty() &&
      HAKARU_ITEM_KIND(items_[0].what->what) == HAKARU_ITEM_LONG) {
    exit = items_[0].what == nullptr ? exit
                                     : *reinterpret_cast<const std::uint64_t*>(items_[0].what + 1);
    if (exit < head.enter) file_.damaged("a call ends before it begins");
  }
  handle_ = std::any_of(items_.begin(), items_.end(), [](const Item& item) {
    const std::uint32_t kind = HAKARU_ITEM_KIND(item.what->what);
    return kind == HAKARU_ITEM_WINDOW_MADE || kind == HAKARU_ITEM_WINDOW_FREED ||
           kind == HAKARU_ITEM_FILE_OPENED || kind == HAKARU_ITEM_FILE_CLOSED;
  });
  joins_worlds_ = is_spawn();
  const OTF2_RegionRef region = numbers_.regions[call_];
  enter_ = tick(head.enter);
  OTF2_EvtWriter_Enter(thread_->writer, before_call(), enter_, region);
  for (std::size_t i = 0; i < items_.size(); ++i) at_enter(items_[i], i);
  leave_ = tick(exit);
  OTF2_AttributeList_RemoveAllAttributes(attributes_);
  for (std::size_t i = 0; i < items_.size(); ++i) at_leave(items_[i], i);
  require_written(OTF2_EvtWriter_Leave(thread_->writer, attributes_, leave_, region),
                  "writing events");
}

// What the tracer saw before the call, or told of it then. Null: nothing.
OTF2_AttributeList* RankEvents::before_call() {
  OTF2_AttributeList_RemoveAllAttributes(attributes_);
  for (const Item& item : items_) {
    const std::uint32_t kind = HAKARU_ITEM_KIND(item.what->what);
    if (kind != HAKARU_ITEM_DELAYED && kind != HAKARU_ITEM_SENSED) continue;
    const std::uint64_t told = *reinterpret_cast<const std::uint64_t*>(item.what + 1);
    if (kind == HAKARU_ITEM_DELAYED)
      OTF2_AttributeList_AddUint64(attributes_, reference(Attribute::delayed_ns), told);
    else
      sensed(told);
  }
  return OTF2_AttributeList_GetNumberOfElements(attributes_) > 0 ? attributes_ : nullptr;
}

void RankEvents::sensed(std::uint64_t ticks) {
  const auto ns = [this](std::uint64_t some) {
    return static_cast<std::uint64_t>(
        std::llround(static_cast<double>(some) * nanoseconds_per_tick()));
  };
  const std::uint64_t warm = std::min(file_.header().warm_ticks, ticks);
  OTF2_AttributeList_AddUint64(attributes_, reference(Attribute::sensed_ns), ns(ticks));
  OTF2_AttributeList_AddUint64(attributes_, reference(Attribute::cold_ns), ns(ticks - warm));
}

// MPI_Comm_spawn, or MPI_Init of a spawned world, when both worlds are in the archive.
bool RankEvents::is_spawn() const {
  const std::string name = text_of(file_.calls()[call_].name);
  if (!name.starts_with("MPI_Comm_spawn") && !name.starts_with("MPI_Init")) return false;
  return std::any_of(items_.begin(), items_.end(), [&](const Item& item) {
    return HAKARU_ITEM_KIND(item.what->what) == HAKARU_ITEM_COMMUNICATOR_MADE &&
           !outside(HAKARU_ITEM_OBJECT(item.what->what));
  });
}

// Both worlds meet; the spawned one starts for as long as it took from the last call to the end of
// its own MPI_Init. Those who spawn come first in the archive.
void RankEvents::spawned(std::uint32_t made) {
  std::uint64_t& called_ns = archive_.spawn_called_ns(made);
  const bool child = numbers_.rank >= world_.parts.at(0).ranks &&
                     text_of(file_.calls()[call_].name).starts_with("MPI_Init");
  if (!child) called_ns = std::max(called_ns, enter_);
  const std::uint64_t start_up_ns = child && leave_ > called_ns ? leave_ - called_ns : 0;
  OTF2_AttributeList_RemoveAllAttributes(attributes_);
  OTF2_AttributeList_AddUint64(attributes_, reference(Attribute::spawn_start_up), start_up_ns);
  OTF2_EvtWriter_MpiCollectiveBegin(thread_->writer, nullptr, leave_);
  OTF2_EvtWriter_MpiCollectiveEnd(thread_->writer, attributes_, leave_,
                                  OTF2_COLLECTIVE_OP_CREATE_HANDLE, made, OTF2_UNDEFINED_UINT32, 0,
                                  0);
  OTF2_AttributeList_RemoveAllAttributes(attributes_);
}

// What is said of the message whose item this is: the pieces that its data lie in; null: nothing.
OTF2_AttributeList* RankEvents::in_pieces(std::size_t index) {
  if (index + 1 >= items_.size() ||
      HAKARU_ITEM_KIND(items_[index + 1].what->what) != HAKARU_ITEM_PIECES)
    return nullptr;
  const std::uint32_t bytes = items_[index + 1].what->request;
  if (bytes == 0 || bytes > INT32_MAX) file_.damaged("pieces of no length");
  OTF2_AttributeList_RemoveAllAttributes(attributes_);
  OTF2_AttributeList_AddUint32(attributes_, reference(Attribute::piece_bytes), bytes);
  return attributes_;
}

void RankEvents::at_enter(const Item& item, std::size_t index) {
  const std::uint32_t what = item.what->what, local = HAKARU_ITEM_OBJECT(what),
                      flags = HAKARU_ITEM_FLAGS(what);
  OTF2_EvtWriter* const w = thread_->writer;
  switch (HAKARU_ITEM_KIND(what)) {
    case HAKARU_ITEM_SEND: {
      const auto& m = as<hakaru_raw_message>(item);
      if (m.peer < 0) return;
      if (outside(local)) return void(++uncovered_["messages to another world"]);
      OTF2_EvtWriter_MpiSend(w, in_pieces(index), enter_, static_cast<std::uint32_t>(m.peer),
                             communicator(local), static_cast<std::uint32_t>(m.tag), m.bytes);
      return;
    }
    case HAKARU_ITEM_ISEND: {
      const auto& m = as<hakaru_raw_message>(item);
      if (m.peer < 0) return;
      if (outside(local)) return void(++uncovered_["messages to another world"]);
      // Score-P's events do not tell the mode; of blocking and non-blocking calls the name does.
      using schedule::Mode;
      static constexpr Mode modes[] = {Mode::standard, Mode::synchronous, Mode::buffered,
                                       Mode::ready};  // as the wrappers number them
      if (in_pieces(index) == nullptr) OTF2_AttributeList_RemoveAllAttributes(attributes_);
      if (flags & HAKARU_REQUEST_PERSISTENT) {
        OTF2_AttributeList_AddUint8(attributes_, reference(Attribute::persistent), 1);
        if ((flags & 3u) != 0)
          OTF2_AttributeList_AddUint8(attributes_, reference(Attribute::send_mode),
                                      static_cast<std::uint8_t>(modes[flags & 3u]));
      }
      OTF2_EvtWriter_MpiIsend(w, attributes_, enter_, static_cast<std::uint32_t>(m.peer),
                              communicator(local), static_cast<std::uint32_t>(m.tag), m.bytes,
                              m.item.request);
      open_requests_.insert(m.item.request);
      return;
    }
    case HAKARU_ITEM_IRECV: {
      const auto& m = as<hakaru_raw_message>(item);
      if (m.peer == HAKARU_RAW_NO_PEER) return;
      if (outside(local)) return void(++uncovered_["messages from another world"]);
      OTF2_EvtWriter_MpiIrecvRequest(w, nullptr, enter_, m.item.request);
      open_requests_.insert(m.item.request);
      return;
    }
    case HAKARU_ITEM_COLLECTIVE:
      return collective_begin(item, index);
    case HAKARU_ITEM_RMA: {
      const auto& r = as<hakaru_raw_rma>(item);
      if (r.target < 0) return;
      const std::uint32_t win = window(local);
      const bool request = r.item.request != 0;
      const std::uint64_t id = request ? r.item.request
                                       : (1ull << 63 | static_cast<std::uint64_t>(win) << 32 |
                                          static_cast<std::uint32_t>(r.target));
      if (request)
        window_of_request_[r.item.request] = win;
      else
        accessed_[win].insert(static_cast<std::uint32_t>(r.target));
      const auto target = static_cast<std::uint32_t>(r.target);
      if (r.operation == HAKARU_RMA_PUT) {
        OTF2_EvtWriter_RmaPut(w, nullptr, enter_, win, target, r.bytes_put, id);
      } else if (r.operation == HAKARU_RMA_GET) {
        OTF2_EvtWriter_RmaGet(w, nullptr, enter_, win, target, r.bytes_got, id);
      } else {
        static constexpr OTF2_RmaAtomicType types[] = {
            OTF2_RMA_ATOMIC_TYPE_ACCUMULATE, OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE,
            OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ADD, OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP};
        if (r.operation < HAKARU_RMA_ACCUMULATE || r.operation > HAKARU_RMA_COMPARE_AND_SWAP)
          file_.damaged("an unknown one-sided operation");
        OTF2_EvtWriter_RmaAtomic(w, nullptr, enter_, win, target,
                                 types[r.operation - HAKARU_RMA_ACCUMULATE], r.bytes_put,
                                 r.bytes_got, id);
      }
      return;
    }
    case HAKARU_ITEM_RMA_SYNC:
      return window_sync_enter(item);
    case HAKARU_ITEM_REMOTE:
      return remote(item);
    case HAKARU_ITEM_FILE:
      return file_enter(item);
    default:
      return;
  }
}

// Flags and strides are of our own: OTF2 has no place for them.
void RankEvents::remote(const Item& item) {
  const auto& r = as<hakaru_raw_remote>(item);
  const std::uint32_t win = window(HAKARU_ITEM_OBJECT(r.item.what));
  const auto target = static_cast<std::uint32_t>(r.target);
  OTF2_EvtWriter* const w = thread_->writer;
  OTF2_AttributeList_RemoveAllAttributes(attributes_);
  OTF2_AttributeList_AddInt32(attributes_, reference(Attribute::received_flag), r.received_flag);
  if (r.item.request == HAKARU_RAW_REMOTE_FLAG_WAIT) {
    OTF2_AttributeList_AddUint64(attributes_, reference(Attribute::flag_raises), r.bytes);
    OTF2_EvtWriter_RmaWaitChange(w, attributes_, enter_, win);
    return;
  }
  if (r.target < 0) return;
  OTF2_AttributeList_AddInt32(attributes_, reference(Attribute::sent_flag), r.sent_flag);
  OTF2_AttributeList_AddUint64(attributes_, reference(Attribute::stride_items), r.items);
  accessed_[win].insert(target);
  const std::uint64_t id = 1ull << 63 | static_cast<std::uint64_t>(win) << 32 | target;
  if (r.item.request == HAKARU_RAW_REMOTE_PUT)
    OTF2_EvtWriter_RmaPut(w, attributes_, enter_, win, target, r.bytes, id);
  else if (r.item.request == HAKARU_RAW_REMOTE_GET)
    OTF2_EvtWriter_RmaGet(w, attributes_, enter_, win, target, r.bytes, id);
  else
    file_.damaged("an unknown operation of PUT and GET");
}

void RankEvents::at_leave(const Item& item, std::size_t index) {
  const std::uint32_t what = item.what->what, local = HAKARU_ITEM_OBJECT(what),
                      request = item.what->request;
  OTF2_EvtWriter* const w = thread_->writer;
  switch (HAKARU_ITEM_KIND(what)) {
    case HAKARU_ITEM_RECV: {
      const auto& m = as<hakaru_raw_message>(item);
      if (m.peer < 0) return;
      if (outside(local)) return void(++uncovered_["messages from another world"]);
      OTF2_EvtWriter_MpiRecv(w, in_pieces(index), leave_, static_cast<std::uint32_t>(m.peer),
                             communicator(local), static_cast<std::uint32_t>(m.tag), m.bytes);
      return;
    }
    case HAKARU_ITEM_RECV_DONE: {
      const auto& m = as<hakaru_raw_message>(item);
      if (open_requests_.erase(request) == 0) return;
      if (m.peer < 0) {
        if (m.peer == HAKARU_RAW_ANY) ++uncovered_["receives whose source MPI did not tell"];
        return void(OTF2_EvtWriter_MpiRequestCancelled(w, nullptr, leave_, request));
      }
      OTF2_EvtWriter_MpiIrecv(w, in_pieces(index), leave_, static_cast<std::uint32_t>(m.peer),
                              communicator(local), static_cast<std::uint32_t>(m.tag), m.bytes,
                              request);
      return;
    }
    case HAKARU_ITEM_PROBED:
      return probed(item);
    case HAKARU_ITEM_SEND_DONE:
      if (open_requests_.erase(request) > 0)
        OTF2_EvtWriter_MpiIsendComplete(w, nullptr, leave_, request);
      return;
    case HAKARU_ITEM_NOT_DONE:
      if (open_requests_.count(request) > 0)
        OTF2_EvtWriter_MpiRequestTest(w, nullptr, leave_, request);
      return;
    case HAKARU_ITEM_FREED:
      freed_requests_ += open_requests_.erase(request);
      return;
    case HAKARU_ITEM_CANCELLED:
      if (open_requests_.erase(request) > 0)
        OTF2_EvtWriter_MpiRequestCancelled(w, nullptr, leave_, request);
      return;
    case HAKARU_ITEM_COLLECTIVE_DONE: {
      const auto found = collectives_.find(request);
      if (found == collectives_.end()) return;
      write_collective(found->second, &request);
      collectives_.erase(found);
      return;
    }
    case HAKARU_ITEM_RMA_DONE: {
      const auto found = window_of_request_.find(request);
      if (found == window_of_request_.end()) return;
      OTF2_EvtWriter_RmaOpCompleteBlocking(w, nullptr, leave_, found->second, request);
      window_of_request_.erase(found);
      return;
    }
    case HAKARU_ITEM_COLLECTIVE: {
      const auto& c = as<hakaru_raw_collective>(item);
      if (joins_worlds_) return;  // told by what it makes
      if (c.item.request == 0 && !handle_ && tellable(item))
        write_collective(collective_of(item, index), nullptr);
      return;
    }
    case HAKARU_ITEM_COMMUNICATOR_MADE:
      if (joins_worlds_) spawned(communicator(local));
      if (!outside(local)) OTF2_EvtWriter_CommCreate(w, nullptr, leave_, communicator(local));
      return;
    case HAKARU_ITEM_COMMUNICATOR_FREED:
      if (!outside(local)) OTF2_EvtWriter_CommDestroy(w, nullptr, leave_, communicator(local));
      return;
    case HAKARU_ITEM_WINDOW_MADE:
      OTF2_EvtWriter_RmaWinCreate(w, nullptr, leave_, window(local));
      OTF2_EvtWriter_RmaCollectiveEnd(w, nullptr, leave_, OTF2_COLLECTIVE_OP_CREATE_HANDLE,
                                      OTF2_RMA_SYNC_LEVEL_PROCESS, window(local),
                                      OTF2_UNDEFINED_UINT32, 0, 0);
      return;
    case HAKARU_ITEM_WINDOW_FREED:
      OTF2_EvtWriter_RmaWinDestroy(w, nullptr, leave_, window(local));
      OTF2_EvtWriter_RmaCollectiveEnd(w, nullptr, leave_, OTF2_COLLECTIVE_OP_DESTROY_HANDLE,
                                      OTF2_RMA_SYNC_LEVEL_PROCESS, window(local),
                                      OTF2_UNDEFINED_UINT32, 0, 0);
      return;
    case HAKARU_ITEM_RMA_SYNC:
      return window_sync_leave(item, index);
    case HAKARU_ITEM_FILE_OPENED:
      OTF2_EvtWriter_IoCreateHandle(w, nullptr, leave_, file(local), OTF2_IO_ACCESS_MODE_READ_WRITE,
                                    OTF2_IO_CREATION_FLAG_NONE, OTF2_IO_STATUS_FLAG_NONE);
      return;
    case HAKARU_ITEM_FILE_CLOSED:
      return void(OTF2_EvtWriter_IoDestroyHandle(w, nullptr, leave_, file(local)));
    case HAKARU_ITEM_FILE:
    case HAKARU_ITEM_FILE_DONE:
      return file_leave(item);
    default:
      return;
  }
}

// Of our own: OTF2 has no event for a probe.
void RankEvents::probed(const Item& item) {
  const auto& m = as<hakaru_raw_message>(item);
  const std::uint32_t local = HAKARU_ITEM_OBJECT(m.item.what);
  if (m.peer < 0 || outside(local)) return;
  OTF2_AttributeList_AddUint32(attributes_, reference(Attribute::probe_source),
                               static_cast<std::uint32_t>(m.peer));
  OTF2_AttributeList_AddInt32(attributes_, reference(Attribute::probe_tag), m.tag);
  OTF2_AttributeList_AddUint32(attributes_, reference(Attribute::probe_communicator),
                               communicator(local));
  OTF2_AttributeList_AddUint64(attributes_, reference(Attribute::probe_bytes), m.bytes);
}

}  // namespace hakaru::trace
