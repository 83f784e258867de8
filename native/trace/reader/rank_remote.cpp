// Windows and files of a rank.
#include <fmt/format.h>

#include <algorithm>

#include "native/trace/reader/rank_builder.hpp"

namespace hakaru::trace {

using schedule::Kind;
using schedule::Mode;
using schedule::Operation;

const RankBuilder::Membership& RankBuilder::member_of_window(std::uint32_t window) {
  const std::uint32_t* communicator = definitions_.windows.find(window);
  if (communicator == nullptr) impossible(fmt::format("window {} is not defined", window));
  return member_of(*communicator);
}

std::uint32_t RankBuilder::window_family(std::uint32_t window) {
  const auto known = window_families_.find(window);
  if (known != window_families_.end()) return known->second;
  const std::uint32_t family = member_of_window(window).communicator->family;
  std::vector<bool>& used = slots_[family];
  const auto slot =
      static_cast<std::uint32_t>(std::find(used.begin(), used.end(), false) - used.begin());
  if (slot == used.size()) used.push_back(false);
  used[slot] = true;
  window_slots_[window] = slot;
  const OTF2_StringRef* reference = definitions_.window_names.find(window);
  const std::string* name = reference == nullptr ? nullptr : definitions_.strings.find(*reference);
  const bool created = name != nullptr && *name == "created";
  return window_families_[window] = shared_.window_family(family, slot, created);
}

void RankBuilder::window_made(std::uint64_t time, std::uint32_t window) {
  advance(time);
  window_family(window);
}

void RankBuilder::window_freed(std::uint64_t time, std::uint32_t window) {
  advance(time);
  if (window_families_.erase(window) > 0) {
    slots_[member_of_window(window).communicator->family][window_slots_[window]] = false;
    window_slots_.erase(window);
  }
}

void RankBuilder::window_collective(std::uint64_t time, const CollectiveEvent& event) {
  advance(time);
  const Membership& in = member_of_window(event.communicator);
  const bool fence = call_ != nullptr && call_->call.kind == CallKind::fence;
  const bool management = !fence && event.operation >= OTF2_COLLECTIVE_OP_CREATE_HANDLE;
  if (management && !shared_.options.management) return;
  Operation operation;
  if (fence) {
    operation.kind = Kind::fence;
    operation.communicator = window_family(event.communicator);
  } else {
    operation.kind = Kind::collective;
    operation.collective = schedule::Collective::barrier;
    operation.communicator = in.communicator->family;
  }
  if (management) return place_making(operation);
  place(operation);
}

void RankBuilder::group_sync(std::uint64_t time, std::uint32_t window,
                             std::uint32_t group_reference) {
  advance(time);
  const CallKind kind = call_ == nullptr ? CallKind::other : call_->call.kind;
  Operation operation;
  operation.communicator = window_family(window);
  if (kind == CallKind::complete || kind == CallKind::wait_exposure || kind == CallKind::test) {
    operation.kind = kind == CallKind::complete ? Kind::complete : Kind::wait_exposure;
    place(operation);
    return;
  }
  if (kind != CallKind::start && kind != CallKind::post) {
    impossible(
        "a synchronisation of a group outside MPI_Win_start, _post, _complete, _wait and _test");
  }
  const Group* group = definitions_.groups.find(group_reference);
  if (group == nullptr) impossible(fmt::format("group {} is not defined", group_reference));
  std::vector<std::int64_t> ranks;
  for (const std::uint64_t member : group->members) {
    if (member >= static_cast<std::uint64_t>(definitions_.ranks()))
      impossible(fmt::format("a group with rank {}", member));
    ranks.push_back(static_cast<std::int64_t>(member));
  }
  operation.kind = kind == CallKind::start ? Kind::start : Kind::post;
  operation.payload = shared_.list(ranks);
  place(operation);
}

void RankBuilder::lock(std::uint64_t time, std::uint32_t window, std::uint32_t target) {
  advance(time);
  const Membership& in = member_of_window(window);
  if (call_ != nullptr && call_has_operations_ && stream_.back().kind == Kind::lock)
    return;  // asked for, then got
  place_lock(Kind::lock, in, window, target);
}

void RankBuilder::unlock(std::uint64_t time, std::uint32_t window, std::uint32_t target) {
  advance(time);
  place_lock(Kind::unlock, member_of_window(window), window, target);
}

void RankBuilder::place_lock(Kind kind, const Membership& in, std::uint32_t window,
                             std::uint32_t target) {
  const bool all = call_ != nullptr && call_->call.all;
  Operation operation;
  operation.kind = kind;
  operation.communicator = window_family(window);
  operation.peer = all ? -1 : world_rank(in, target);
  place(operation);
}

void RankBuilder::window_sync(std::uint64_t time, std::uint32_t window, std::uint32_t target) {
  advance(time);
  const Membership& in = member_of_window(window);
  if (call_ == nullptr || call_->call.kind != CallKind::flush || call_has_operations_) return;
  Operation operation;
  operation.kind = Kind::flush;
  operation.mode = call_->call.mode;
  operation.communicator = window_family(window);
  operation.peer = call_->call.all ? -1 : world_rank(in, target);
  place(operation);
}

void RankBuilder::remote_access(std::uint64_t time, Kind kind, std::uint32_t window,
                                std::uint32_t target, std::uint64_t bytes, std::uint64_t matching,
                                const Attributes& attributes) {
  advance(time);
  const Membership& in = member_of_window(window);
  if (bytes > greatest_bytes) impossible(fmt::format("a remote access of {} bytes", bytes));
  Operation operation;
  operation.kind = kind;
  operation.communicator = window_family(window);
  operation.peer = world_rank(in, target);
  operation.bytes = bytes;
  operation.tag = attributes.received_flag;
  if (attributes.sent_flag != 0 || attributes.stride_items != 0)
    operation.payload =
        shared_.list({attributes.sent_flag, static_cast<std::int64_t>(attributes.stride_items)});
  place(operation);
  RemoteAccess& access = accesses_[matching];
  if (access.request >= 0) impossible(fmt::format("remote access {} starts twice", matching));
  access = {operation.peer, operation.communicator, -1};
  if (call_ != nullptr && call_->call.kind == CallKind::request_rma) {
    access.request = take_request();
    stream_.back().request = access.request;
  }
}

void RankBuilder::flag_wait(std::uint64_t time, const Attributes& attributes) {
  advance(time);
  Operation operation;
  operation.kind = Kind::flag_wait;
  operation.tag = attributes.received_flag;
  operation.bytes = attributes.flag_raises;
  place(operation);
}

// Ends of accesses without request are part of a synchronisation, which says more; a flush may show
// only in them.
void RankBuilder::remote_access_end(std::uint64_t time, std::uint32_t window,
                                    std::uint64_t matching) {
  advance(time);
  member_of_window(window);
  const auto place_of = accesses_.find(matching);
  if (place_of == accesses_.end()) return;
  const RemoteAccess access = place_of->second;
  const CallKind kind = call_ == nullptr ? CallKind::other : call_->call.kind;
  if (kind == CallKind::flush) {
    if (call_has_operations_) return;
    Operation operation;
    operation.kind = Kind::flush;
    operation.mode = call_->call.mode;
    operation.communicator = access.family;
    operation.peer = call_->call.all ? -1 : access.peer;
    place(operation);
    return;
  }
  const bool synchronisation =
      kind == CallKind::fence || kind == CallKind::complete || kind == CallKind::unlock;
  if (access.request < 0) {
    accesses_.erase(place_of);
  } else if (!synchronisation) {
    accesses_.erase(place_of);
    add_wait(access.request);
  }
}

Operation RankBuilder::file_operation(std::uint32_t file_reference, Kind kind, std::uint64_t bytes,
                                      bool collective) {
  const File* file = definitions_.files.find(file_reference);
  if (file == nullptr) impossible(fmt::format("file {} is not defined", file_reference));
  if (bytes > greatest_bytes) impossible(fmt::format("a file operation of {} bytes", bytes));
  Operation operation;
  operation.kind = kind;
  operation.bytes = bytes;
  const bool known = file->communicator != OTF2_UNDEFINED_COMM;
  operation.communicator =
      known ? member_of(file->communicator).communicator->family : shared_.self_family();
  operation.mode = collective && known ? Mode::collective : Mode::standard;
  return operation;
}

namespace {

// Operations of the layers that MPI itself calls are part of the MPI call.
bool counts(const File* file, bool in_call) { return file == nullptr || file->mpi || !in_call; }

}  // namespace

void RankBuilder::file_opened(std::uint64_t time, std::uint32_t file) {
  advance(time);
  if (counts(definitions_.files.find(file), call_ != nullptr))
    place(file_operation(file, Kind::file_open, 0, true));
}

void RankBuilder::file_closed(std::uint64_t time, std::uint32_t file) {
  advance(time);
  if (counts(definitions_.files.find(file), call_ != nullptr))
    place(file_operation(file, Kind::file_close, 0, true));
}

void RankBuilder::file_begin(std::uint64_t time, std::uint32_t file, OTF2_IoOperationMode mode,
                             bool collective, std::uint64_t, std::uint64_t matching) {
  advance(time);
  if (!counts(definitions_.files.find(file), call_ != nullptr)) return;
  if (mode > OTF2_IO_OPERATION_MODE_FLUSH)
    impossible("a file operation that neither reads nor writes");
  if (!file_operations_.emplace(matching, OpenFileOperation{mode, collective}).second) {
    impossible(fmt::format("file operation {} starts twice", matching));
  }
  if (call_ == nullptr) place_compute(time);
}

// A file operation without blocking stands where it was waited for.
void RankBuilder::file_end(std::uint64_t time, std::uint32_t file, std::uint64_t bytes,
                           std::uint64_t matching) {
  advance(time);
  if (!counts(definitions_.files.find(file), call_ != nullptr)) return;
  const auto open = file_operations_.find(matching);
  if (open == file_operations_.end())
    impossible(fmt::format("file operation {} ends but was not started", matching));
  const OpenFileOperation begun = open->second;
  file_operations_.erase(open);
  if (call_ == nullptr) compute_from(time);
  const bool reads = begun.mode == OTF2_IO_OPERATION_MODE_READ;
  const bool flush = begun.mode == OTF2_IO_OPERATION_MODE_FLUSH;
  place(file_operation(file, reads ? Kind::file_read : Kind::file_write, flush ? 0 : bytes,
                       begun.collective));
}

}  // namespace hakaru::trace
