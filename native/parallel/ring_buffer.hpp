// SEND and RECEIVE built on PUT, as on the AP1000+ (Hayashi et al. 1995, section 3.3): a message is
// put into a ring buffer at the receiver, which searches it by source and tag and copies it out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "native/parallel/communicator.hpp"
#include "native/parallel/remote_memory.hpp"

namespace hakaru::parallel {

// Every rank has one ring for each source. A sender waits while the ring is full, and what nobody
// has asked for yet is moved out of it by whatever call its owner makes here: a ring never
// overruns, and two ranks may send to each other first. Messages of one source and tag arrive in
// order.
class RingBuffer {
 public:
  // Collective over the group, which must outlive it. A ring holds `slots` pieces of `slot_bytes`;
  // a longer message takes several. Throws UserError (usage) when slots < 2 or slot_bytes < 1.
  RingBuffer(const Communicator& group, std::size_t slot_bytes = 8192, int slots = 8,
             RemotePath path = RemotePath::automatic);

  // Returns when the data may change. Throws UserError (usage) for a rank that is not of the group.
  void send(int rank, int tag, const void* data, std::size_t bytes);
  // Returns the length of the message. Throws UserError (usage) for a rank that is not of the
  // group, and when the message is longer than `bytes`; it is then gone.
  std::size_t receive(int rank, int tag, void* data, std::size_t bytes);

  const Communicator& group() const { return memory_.group(); }

 private:
  // Stands before the data of each slot.
  struct Header {
    std::int64_t tag;
    std::uint64_t message_bytes, piece_bytes;
  };
  struct Message {
    int tag;
    std::size_t length, filled = 0;
    std::byte* into;                // the memory of the one that waits for it, or `kept`
    std::vector<std::byte> kept{};  // until somebody asks
    bool complete() const { return filled == length; }
  };
  struct Source {
    std::uint64_t taken = 0;  // pieces
    std::deque<Message> messages;
  };
  // Whom a receive waits for, until the message has begun to come.
  struct Wanted {
    int source = -1, tag = 0;
    std::byte* into = nullptr;
    std::size_t bytes = 0;
  };

  std::size_t slot(int source, std::uint64_t piece) const;
  int arrival_flag(int source) const { return source + 1; }
  int credit_flag(int target) const { return memory_.group().size() + target + 1; }
  void put_piece(int rank, const Header& header, const std::byte* data);
  void wait_for_room(int rank);
  // Takes what has arrived from a source out of its ring; false when nothing has.
  bool take(int source);
  bool take_all();
  void begin_message(int source, const Header& header);

  std::size_t slot_bytes_;
  std::uint64_t slots_;
  RemoteMemory memory_;
  std::vector<Source> sources_;
  Wanted wanted_;
  std::vector<std::uint64_t> sent_, room_;  // pieces, by target
};

}  // namespace hakaru::parallel
