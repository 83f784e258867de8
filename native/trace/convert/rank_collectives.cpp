// Collectives, windows and files of a rank.
#include <fmt/format.h>

#include <algorithm>

#include "native/trace/convert/rank_events.hpp"

namespace hakaru::trace {
namespace {

std::string joined(const std::vector<std::int64_t>& values) {
  std::string text;
  for (const std::int64_t value : values) {
    if (!text.empty()) text += ' ';
    text += std::to_string(value);
  }
  return text;
}

struct Bytes {
  std::uint64_t sent, received;
};

// From "each piece of a buffer once" to Score-P's count (scorep_mpi_coll_bytes): a piece that goes
// to n ranks counts n times.
Bytes as_score_p(std::uint16_t operation, Bytes own, std::uint64_t n, std::uint64_t me, bool root) {
  switch (operation) {
    case OTF2_COLLECTIVE_OP_BCAST:
      return root ? Bytes{n * own.sent, own.sent} : Bytes{0, own.received};
    case OTF2_COLLECTIVE_OP_REDUCE:
      return {own.sent, root ? n * own.sent : 0};
    case OTF2_COLLECTIVE_OP_ALLREDUCE:
      return {n * own.sent, n * own.received};
    case OTF2_COLLECTIVE_OP_ALLGATHER:
    case OTF2_COLLECTIVE_OP_ALLGATHERV:
      return {n * own.sent, own.received};
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER:
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK:
      return {own.sent, n * own.received};
    case OTF2_COLLECTIVE_OP_SCAN:
      return {(n - me) * own.sent, (me + 1) * own.sent};
    case OTF2_COLLECTIVE_OP_EXSCAN:
      return {(n - me - 1) * own.sent, me * own.sent};
    default:
      return own;
  }
}

}  // namespace

const hakaru_raw_call& RankEvents::call_of(const hakaru_raw_collective& item) const {
  if ((item.flags & HAKARU_COLLECTIVE_PERSISTENT) == 0) return file_.calls()[call_];
  const std::uint32_t number = item.flags >> HAKARU_COLLECTIVE_CALL_SHIFT;
  if (number >= file_.calls().size()) file_.damaged("a collective of an unknown call");
  return file_.calls()[number];
}

bool RankEvents::tellable(const Item& item) {
  const auto& c = as<hakaru_raw_collective>(item);
  const hakaru_raw_call& call = call_of(c);
  if (outside(HAKARU_ITEM_OBJECT(c.item.what))) return false;
  if (call.collective == HAKARU_RAW_NOT_COLLECTIVE) return false;
  return call.collective != HAKARU_RAW_OTHER_COLLECTIVE ||
         text_of(call.name).find("eighbor") != std::string::npos;
}

void RankEvents::collective_begin(const Item& item, std::size_t index) {
  const auto& c = as<hakaru_raw_collective>(item);
  if (joins_worlds_) return;
  if (!handle_ && !tellable(item)) {
    const bool away = outside(HAKARU_ITEM_OBJECT(c.item.what));
    return void(++uncovered_[away ? "collectives with another world"
                                  : "collectives in " + text_of(call_of(c).name)]);
  }
  if (handle_) {
    const bool of_window = std::any_of(items_.begin(), items_.end(), [](const Item& other) {
      const std::uint32_t kind = HAKARU_ITEM_KIND(other.what->what);
      return kind == HAKARU_ITEM_WINDOW_MADE || kind == HAKARU_ITEM_WINDOW_FREED;
    });
    if (of_window) OTF2_EvtWriter_RmaCollectiveBegin(thread_->writer, nullptr, enter_);
    return;
  }
  if (c.item.request == 0)
    return void(OTF2_EvtWriter_MpiCollectiveBegin(thread_->writer, nullptr, enter_));
  OTF2_EvtWriter_NonBlockingCollectiveRequest(thread_->writer, nullptr, enter_, c.item.request);
  collectives_[c.item.request] = collective_of(item, index);
}

RankEvents::Collective RankEvents::collective_of(const Item& item, std::size_t index) {
  const auto& c = as<hakaru_raw_collective>(item);
  const std::uint32_t local = HAKARU_ITEM_OBJECT(c.item.what);
  const hakaru_raw_call& call = call_of(c);
  const bool neighbourhood = call.collective == HAKARU_RAW_OTHER_COLLECTIVE;
  const auto topology = numbers_.topologies.find(local);
  const bool known = topology != numbers_.topologies.end();
  const std::int32_t size = known ? topology->second.size : local == 0 ? world_.ranks : 1;
  const std::int32_t own = known ? topology->second.own_rank : local == 0 ? file_.header().rank : 0;
  const bool inter = known && topology->second.inter;
  Collective collective;
  collective.operation = static_cast<OTF2_CollectiveOp>(
      neighbourhood ? std::uint16_t{OTF2_COLLECTIVE_OP_ALLTOALL} : call.collective);
  collective.communicator = communicator(local);
  collective.root = c.root >= 0                      ? static_cast<std::uint32_t>(c.root)
                    : c.root == HAKARU_RAW_THIS_ROOT ? OTF2_COLLECTIVE_ROOT_SELF
                    : inter                          ? OTF2_COLLECTIVE_ROOT_THIS_GROUP
                                                     : OTF2_UNDEFINED_UINT32;
  const Bytes bytes = as_score_p(call.collective, {c.bytes_sent, c.bytes_received},
                                 static_cast<std::uint64_t>(size),
                                 static_cast<std::uint64_t>(std::max(own, 0)), c.root == own);
  // Between groups: what the arguments describe, see native/trace/reader/trace.hpp.
  collective.sent = inter ? c.bytes_sent : bytes.sent;
  collective.received = inter ? c.bytes_received : bytes.received;
  if (neighbourhood) {
    neighbours(item, index, local, collective);
    return collective;
  }
  for (std::size_t i = index + 1; i < items_.size(); ++i) {
    const std::uint32_t kind = HAKARU_ITEM_KIND(items_[i].what->what);
    if (kind == HAKARU_ITEM_COLLECTIVE) break;  // MPI_Startall
    if (kind != HAKARU_ITEM_SENT_TO && kind != HAKARU_ITEM_RECEIVED_FROM) continue;
    collective.lists.emplace_back(
        kind == HAKARU_ITEM_SENT_TO ? Attribute::sent_to : Attribute::received_from,
        archive_.string(joined(counts_of(items_[i]))));
  }
  return collective;
}

// Lists of (rank, bytes), from the vectors of the call or, where all blocks are equal, from its
// totals.
void RankEvents::neighbours(const Item& item, std::size_t index, std::uint32_t local,
                            Collective& collective) {
  const auto& c = as<hakaru_raw_collective>(item);
  const auto found = numbers_.topologies.find(local);
  if (found == numbers_.topologies.end())
    file_.damaged("neighbours in a communicator without topology");
  const RankNumbers::Neighbours& topology = found->second;
  collective.grid = topology.grid;
  const bool gather = text_of(call_of(c).name).find("allgather") != std::string::npos;
  const auto pairs = [&](const std::vector<std::int32_t>& ranks, std::uint64_t total, bool each,
                         std::uint32_t wanted) {
    const std::uint64_t block = each || ranks.empty() ? total : total / ranks.size();
    std::vector<std::int64_t> lengths(ranks.size(), static_cast<std::int64_t>(block));
    for (std::size_t i = index + 1; i < items_.size(); ++i) {
      const std::uint32_t kind = HAKARU_ITEM_KIND(items_[i].what->what);
      if (kind == HAKARU_ITEM_COLLECTIVE) break;
      if (kind == wanted) lengths = counts_of(items_[i]);
    }
    if (lengths.size() != ranks.size()) file_.damaged("neighbours and lengths differ in number");
    std::vector<std::int64_t> list;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      if (ranks[i] < 0) continue;
      list.push_back(ranks[i]);
      list.push_back(lengths[i]);
    }
    return archive_.string(joined(list));
  };
  collective.lists.emplace_back(
      Attribute::neighbours_out,
      pairs(topology.destinations, c.bytes_sent, gather, HAKARU_ITEM_SENT_TO));
  collective.lists.emplace_back(Attribute::neighbours_in, pairs(topology.sources, c.bytes_received,
                                                                false, HAKARU_ITEM_RECEIVED_FROM));
}

void RankEvents::write_collective(const Collective& c, const std::uint32_t* request) {
  OTF2_AttributeList_RemoveAllAttributes(attributes_);
  for (const auto& [attribute, text] : c.lists)
    OTF2_AttributeList_AddStringRef(attributes_, reference(attribute), text);
  if (c.grid) OTF2_AttributeList_AddUint8(attributes_, reference(Attribute::grid), 1);
  if (request != nullptr) {
    OTF2_EvtWriter_NonBlockingCollectiveComplete(thread_->writer, attributes_, leave_, c.operation,
                                                 c.communicator, c.root, c.sent, c.received,
                                                 *request);
  } else {
    OTF2_EvtWriter_MpiCollectiveEnd(thread_->writer, attributes_, leave_, c.operation,
                                    c.communicator, c.root, c.sent, c.received);
  }
  OTF2_AttributeList_RemoveAllAttributes(attributes_);
}

void RankEvents::finish_accesses(std::uint32_t win, std::int64_t target) {
  const auto found = accessed_.find(win);
  if (found == accessed_.end()) return;
  for (auto place = found->second.begin(); place != found->second.end();) {
    if (target >= 0 && *place != target) {
      ++place;
      continue;
    }
    OTF2_EvtWriter_RmaOpCompleteRemote(thread_->writer, nullptr, leave_, win,
                                       1ull << 63 | static_cast<std::uint64_t>(win) << 32 | *place);
    place = found->second.erase(place);
  }
}

void RankEvents::window_sync_enter(const Item& item) {
  const auto& s = as<hakaru_raw_rma_sync>(item);
  const std::uint32_t win = window(HAKARU_ITEM_OBJECT(s.item.what));
  if (s.item.request == HAKARU_SYNC_FENCE)
    OTF2_EvtWriter_RmaCollectiveBegin(thread_->writer, nullptr, enter_);
  if (s.item.request == HAKARU_SYNC_LOCK || s.item.request == HAKARU_SYNC_LOCK_ALL) {
    const bool one = s.item.request == HAKARU_SYNC_LOCK;
    OTF2_EvtWriter_RmaRequestLock(
        thread_->writer, nullptr, enter_, win,
        one ? static_cast<std::uint32_t>(s.target) : OTF2_UNDEFINED_UINT32, 0,
        s.detail == 1 ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED);
  }
}

void RankEvents::window_sync_leave(const Item& item, std::size_t index) {
  const auto& s = as<hakaru_raw_rma_sync>(item);
  const std::uint32_t win = window(HAKARU_ITEM_OBJECT(s.item.what));
  OTF2_EvtWriter* const w = thread_->writer;
  const OTF2_RmaSyncLevel level = OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY;
  const auto target = s.target < 0 ? OTF2_UNDEFINED_UINT32 : static_cast<std::uint32_t>(s.target);
  switch (s.item.request) {
    case HAKARU_SYNC_FENCE:
      finish_accesses(win, -1);
      OTF2_EvtWriter_RmaCollectiveEnd(w, nullptr, leave_, OTF2_COLLECTIVE_OP_BARRIER, level, win,
                                      OTF2_UNDEFINED_UINT32, 0, 0);
      return;
    case HAKARU_SYNC_POST:
    case HAKARU_SYNC_START: {
      if (index + 1 >= items_.size() ||
          HAKARU_ITEM_KIND(items_[index + 1].what->what) != HAKARU_ITEM_GROUP)
        file_.damaged("an epoch without group");
      std::vector<std::uint64_t> ranks;
      const std::vector<std::int32_t>& members =
          world_.communicators[world_.windows[win].communicator].members;
      for (const std::int64_t rank : counts_of(items_[index + 1])) {
        const auto most = members.empty() ? static_cast<std::size_t>(world_.ranks) : members.size();
        if (rank < 0 || static_cast<std::size_t>(rank) >= most)
          file_.damaged(fmt::format("rank {} in the group of an epoch", rank));
        ranks.push_back(members.empty()
                            ? static_cast<std::uint64_t>(rank)
                            : static_cast<std::uint64_t>(members[static_cast<std::size_t>(rank)]));
      }
      const OTF2_GroupRef group = archive_.group(ranks);
      epoch_groups_[{win, s.item.request == HAKARU_SYNC_POST}] = group;
      OTF2_EvtWriter_RmaGroupSync(w, nullptr, leave_, OTF2_RMA_SYNC_LEVEL_PROCESS, win, group);
      return;
    }
    case HAKARU_SYNC_TEST:
      if (s.detail == 0) return;
      [[fallthrough]];
    case HAKARU_SYNC_WAIT:
    case HAKARU_SYNC_COMPLETE: {
      const bool exposure = s.item.request != HAKARU_SYNC_COMPLETE;
      if (!exposure) finish_accesses(win, -1);
      const auto group = epoch_groups_.find({win, exposure});
      if (group == epoch_groups_.end())
        return void(++uncovered_["ends of epochs that began unrecorded"]);
      OTF2_EvtWriter_RmaGroupSync(w, nullptr, leave_, level, win, group->second);
      return;
    }
    case HAKARU_SYNC_LOCK:
    case HAKARU_SYNC_LOCK_ALL:
      OTF2_EvtWriter_RmaAcquireLock(w, nullptr, leave_, win, target, 0,
                                    s.detail == 1 ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED);
      return;
    case HAKARU_SYNC_UNLOCK:
    case HAKARU_SYNC_UNLOCK_ALL:
      finish_accesses(win, s.item.request == HAKARU_SYNC_UNLOCK ? s.target : -1);
      OTF2_EvtWriter_RmaReleaseLock(w, nullptr, leave_, win, target, 0);
      return;
    case HAKARU_SYNC_FLUSH:
    case HAKARU_SYNC_FLUSH_ALL:
    case HAKARU_SYNC_FLUSH_LOCAL:
    case HAKARU_SYNC_FLUSH_LOCAL_ALL: {
      OTF2_EvtWriter_RmaSync(w, nullptr, leave_, win, target, OTF2_RMA_SYNC_TYPE_MEMORY);
      const bool remote =
          s.item.request == HAKARU_SYNC_FLUSH || s.item.request == HAKARU_SYNC_FLUSH_ALL;
      if (remote) finish_accesses(win, s.target < 0 ? -1 : s.target);
      return;
    }
    default:
      return;
  }
}

void RankEvents::file_enter(const Item& item) {
  const auto& f = as<hakaru_raw_file>(item);
  const bool moves = f.operation == HAKARU_FILE_READ || f.operation == HAKARU_FILE_WRITE;
  if ((!moves && f.operation != HAKARU_FILE_SYNC) || (f.flags & HAKARU_FILE_SPLIT_END)) return;
  const std::uint32_t handle = file(HAKARU_ITEM_OBJECT(f.item.what));
  const bool later = f.item.request != 0 || (f.flags & HAKARU_FILE_SPLIT_BEGIN);
  const OTF2_IoOperationMode mode = f.operation == HAKARU_FILE_READ ? OTF2_IO_OPERATION_MODE_READ
                                    : f.operation == HAKARU_FILE_WRITE
                                        ? OTF2_IO_OPERATION_MODE_WRITE
                                        : OTF2_IO_OPERATION_MODE_FLUSH;
  OTF2_IoOperationFlag flags = f.flags & HAKARU_FILE_COLLECTIVE ? OTF2_IO_OPERATION_FLAG_COLLECTIVE
                                                                : OTF2_IO_OPERATION_FLAG_NONE;
  if (later) flags |= OTF2_IO_OPERATION_FLAG_NON_BLOCKING;
  const std::uint64_t id = f.item.request != 0 ? f.item.request : ++matching_;
  open_file_operations_.insert(id);
  if (f.flags & HAKARU_FILE_SPLIT_BEGIN) split_operations_[handle] = id;
  OTF2_EvtWriter_IoOperationBegin(thread_->writer, nullptr, enter_, handle, mode, flags, f.bytes,
                                  id);
}

void RankEvents::file_leave(const Item& item) {
  const auto& f = as<hakaru_raw_file>(item);
  const bool done = HAKARU_ITEM_KIND(f.item.what) == HAKARU_ITEM_FILE_DONE;
  const bool moves = done || f.operation == HAKARU_FILE_READ || f.operation == HAKARU_FILE_WRITE ||
                     f.operation == HAKARU_FILE_SYNC;
  if (!moves) return;
  const std::uint32_t handle = file(HAKARU_ITEM_OBJECT(f.item.what));
  std::uint64_t id = f.item.request != 0 ? f.item.request : matching_;
  if (f.flags & HAKARU_FILE_SPLIT_END) {
    const auto open = split_operations_.find(handle);
    if (open == split_operations_.end()) return;
    id = open->second;
    split_operations_.erase(open);
  } else if (!done && (f.item.request != 0 || (f.flags & HAKARU_FILE_SPLIT_BEGIN))) {
    OTF2_EvtWriter_IoOperationIssued(thread_->writer, nullptr, leave_, handle, id);
    return;
  }
  if (open_file_operations_.erase(id) == 0) return;
  OTF2_EvtWriter_IoOperationComplete(thread_->writer, nullptr, leave_, handle, f.bytes, id);
}

}  // namespace hakaru::trace
