#include "native/parallel/ring_buffer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "native/base/require.hpp"
#include "native/parallel/announcement.hpp"
#include "native/parallel/patience.hpp"
#include "native/parallel/remote_checks.hpp"

namespace hakaru::parallel {
namespace {

std::size_t checked(std::size_t slot_bytes, int slots) {
  base::require(slot_bytes >= 1 && slots >= 2, "a ring buffer of this size cannot be made",
                fmt::format("{} slots of {} B", slots, slot_bytes), "give 2 slots of 1 B or more");
  return (slot_bytes + 63) / 64 * 64;
}

}  // namespace

RingBuffer::RingBuffer(const Communicator& group, std::size_t slot_bytes, int slots,
                       RemotePath path)
    : slot_bytes_(checked(slot_bytes, slots)),
      slots_(static_cast<std::uint64_t>(slots)),
      memory_(group, static_cast<std::size_t>(group.size()) * slots_ * (64 + slot_bytes_),
              2 * group.size(), path),
      sources_(static_cast<std::size_t>(group.size())),
      sent_(sources_.size()),
      room_(sources_.size(), slots_) {}

// Address of a piece's slot, in the ring for `source`; the header has a line of its own.
std::size_t RingBuffer::slot(int source, std::uint64_t piece) const {
  return (static_cast<std::size_t>(source) * slots_ + piece % slots_) * (64 + slot_bytes_);
}

void RingBuffer::send(int rank, int tag, const void* data, std::size_t bytes) {
  check_rank(rank, group().size());
  const Announcement told(HAKARU_REMOTE_SEND, group(), rank, bytes, 0, {0, tag});
  const auto* from = static_cast<const std::byte*>(data);
  std::size_t done = 0;
  do {
    const std::size_t piece = std::min(slot_bytes_, bytes - done);
    wait_for_room(rank);
    put_piece(rank, {tag, bytes, piece}, from + done);
    done += piece;
  } while (done < bytes);
}

void RingBuffer::put_piece(int rank, const Header& header, const std::byte* data) {
  const auto target = static_cast<std::size_t>(rank);
  const std::size_t place = slot(group().rank(), sent_[target]++);
  --room_[target];
  if (header.piece_bytes > 0) memory_.put(rank, place + 64, data, header.piece_bytes);
  memory_.put(rank, place, &header, sizeof header, {.received = arrival_flag(group().rank())});
}

void RingBuffer::wait_for_room(int rank) {
  const auto target = static_cast<std::size_t>(rank);
  Patience patience(group());
  while (room_[target] == 0) {
    if (memory_.flag(credit_flag(rank)) > 0) {
      memory_.wait_flag(credit_flag(rank));
      room_[target] += slots_ / 2;
      return;
    }
    if (!take_all()) patience.pause();
  }
}

bool RingBuffer::take_all() {
  bool taken = false;
  for (int source = 0; source < group().size(); ++source) taken = take(source) || taken;
  return taken;
}

void RingBuffer::begin_message(int source, const Header& header) {
  const int tag = static_cast<int>(header.tag);
  const bool awaited = wanted_.source == source && wanted_.tag == tag &&
                       header.message_bytes <= wanted_.bytes && wanted_.into != nullptr;
  Message message{tag, header.message_bytes, 0, nullptr};
  if (!awaited) message.kept.resize(header.message_bytes);
  message.into = awaited ? wanted_.into : message.kept.data();
  if (wanted_.source == source && wanted_.tag == tag) wanted_ = {};
  sources_[static_cast<std::size_t>(source)].messages.push_back(std::move(message));
}

bool RingBuffer::take(int source) {
  const std::uint64_t arrived = memory_.flag(arrival_flag(source));
  if (arrived == 0) return false;
  memory_.wait_flag(arrival_flag(source), arrived);
  Source& from = sources_[static_cast<std::size_t>(source)];
  for (std::uint64_t i = 0; i < arrived; ++i) {
    const std::byte* piece = memory_.memory() + slot(source, from.taken++);
    Header header;
    std::memcpy(&header, piece, sizeof header);
    if (from.messages.empty() || from.messages.back().complete()) begin_message(source, header);
    Message& message = from.messages.back();
    if (header.piece_bytes > 0)
      std::memcpy(message.into + message.filled, piece + 64, header.piece_bytes);
    message.filled += header.piece_bytes;
    if (from.taken % (slots_ / 2) == 0)
      memory_.put(source, 0, nullptr, 0, {.received = credit_flag(group().rank())});
  }
  return true;
}

std::size_t RingBuffer::receive(int rank, int tag, void* data, std::size_t bytes) {
  check_rank(rank, group().size());
  const Announcement told(HAKARU_REMOTE_RECEIVE, group(), rank, bytes, 0, {0, tag});
  auto& messages = sources_[static_cast<std::size_t>(rank)].messages;
  const auto matching = [&] {
    return std::find_if(messages.begin(), messages.end(),
                        [&](const Message& one) { return one.tag == tag; });
  };
  if (matching() == messages.end()) wanted_ = {rank, tag, static_cast<std::byte*>(data), bytes};
  Patience patience(group());
  for (auto found = matching(); found == messages.end() || !found->complete(); found = matching())
    if (!take(rank) && !take_all()) patience.pause();
  const auto found = matching();
  const Message message = std::move(*found);
  messages.erase(found);
  base::require(message.length <= bytes, "a message is longer than the memory for it",
                fmt::format("{} B from rank {}, {} B of memory", message.length, rank, bytes));
  if (!message.kept.empty()) std::memcpy(data, message.into, message.length);
  return message.length;
}

}  // namespace hakaru::parallel
