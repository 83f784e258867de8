// What an app uses to say what one rank does, in order. What becomes of it is the derived class's:
// stream_writer.hpp stores it, counting_writer.hpp adds up its work.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "native/schedule/schedule.hpp"

namespace hakaru::schedule {

class RankWriter {
 public:
  virtual ~RankWriter() = default;

  std::int32_t rank() const { return rank_; }
  std::int32_t ranks() const { return schedule_.ranks; }

  // Everything `body` writes belongs to the named phase (declared in the description) and is marked
  // begin and end. Throws std::logic_error when the schedule has no such phase.
  void phase(const std::string& name, const std::function<void()>& body);
  // A request that `body` starts it must also wait for.
  virtual void repeat(std::uint64_t times, const std::function<void()>& body) = 0;
  // body(0) ... body(times - 1), which differ in peers, tags and flags alone: who counts does the
  // first as often.
  virtual void each(std::uint64_t times, const std::function<void(std::uint64_t)>& body);
  // What `body` writes are so many messages with so many bytes together: who counts takes this
  // instead, where one by one would take the square of the number of ranks.
  virtual void messages(double number, double bytes, const std::function<void()>& body);

  virtual void compute(const Work& work) = 0;
  void compute_seconds(double seconds);

  void send(std::int32_t to, std::int32_t tag, std::uint64_t bytes,
            std::uint32_t communicator = world);
  void receive(std::int32_t from, std::int32_t tag, std::uint64_t bytes,
               std::uint32_t communicator = world);
  // Request numbers, to be given to wait().
  std::int32_t isend(std::int32_t to, std::int32_t tag, std::uint64_t bytes,
                     std::uint32_t communicator = world);
  // The same of a request that was made before (MPI_Send_init, MPI_Start).
  std::int32_t start_persistent(std::int32_t to, std::int32_t tag, std::uint64_t bytes,
                                std::uint32_t communicator = world);
  std::int32_t ireceive(std::int32_t from, std::int32_t tag, std::uint64_t bytes,
                        std::uint32_t communicator = world);
  void wait(std::int32_t request);
  // MPI_Sendrecv: the receive is posted, the send is done, the receive is waited for. A negative
  // `to` or `from` is nobody.
  void send_receive(std::int32_t to, std::uint64_t bytes_out, std::int32_t from,
                    std::uint64_t bytes_in, std::int32_t tag, std::uint32_t communicator = world);

  // `root` is a rank of the communicator; ignored where there is none. Bytes as in
  // Operation::bytes.
  void collective(Collective what, std::uint64_t bytes, std::uint32_t communicator = world,
                  std::int32_t root = -1);
  std::int32_t icollective(Collective what, std::uint64_t bytes, std::uint32_t communicator = world,
                           std::int32_t root = -1);
  // Per-partner lengths (alltoallv, gatherv, ...), one entry per rank of the communicator.
  void collective_lengths(Collective what, const std::vector<std::int64_t>& bytes,
                          std::uint32_t communicator = world, std::int32_t root = -1);

  void put(std::int32_t to, std::uint64_t bytes, std::uint32_t communicator = world);
  // With flags and strides, as parallel::RemoteMemory's. Flags: 0 is none. Items: 0 is contiguous.
  struct Transfer {
    std::int32_t sent_flag = 0, received_flag = 0;
    std::int64_t items = 0;
  };
  void put(std::int32_t to, std::uint64_t bytes, const Transfer& transfer,
           std::uint32_t communicator = world);
  void get(std::int32_t from, std::uint64_t bytes, const Transfer& transfer,
           std::uint32_t communicator = world);
  // Until the flag has been raised `more` times more than all waits before asked for.
  void flag_wait(std::int32_t flag, std::uint64_t more = 1);
  // Until all puts are complete at their targets.
  void acknowledge(std::uint32_t communicator = world);
  void get(std::int32_t from, std::uint64_t bytes, std::uint32_t communicator = world);
  void fence(std::uint32_t communicator = world);

  void file(Kind what, std::uint64_t bytes, bool collective, std::uint32_t communicator = world);
  // What parallel::SharedFile::write and read do, in pieces as theirs (base/pieces.hpp).
  void file_part(Kind what, std::uint64_t bytes, std::uint32_t communicator = world);
  // What parallel::write_whole does: `parts` writes; setting the size is no operation, and flushing
  // is a write of nothing. The file is the communicator's, and all of the world agree.
  template <typename Parts>
  void whole_file(const Parts& parts, std::uint32_t communicator = world) {
    const auto agree = [&] { collective(Collective::allreduce, sizeof(int)); };
    file(Kind::file_open, 0, true, communicator);
    agree();
    parts();
    file(Kind::file_write, 0, true, communicator);
    file(Kind::file_close, 0, true, communicator);
    agree();
    agree();
  }

  // The family of communicators that split() below makes; the rank's own is the one it is in.
  std::uint32_t split(const std::string& name,
                      const std::function<std::int32_t(std::int32_t)>& colour_of);

  RankWriter(const RankWriter&) = delete;
  RankWriter& operator=(const RankWriter&) = delete;

 protected:
  // Ranks, phases and communicators are those of `schedule`, which must outlive this.
  RankWriter(Schedule& schedule, std::int32_t rank);

  Schedule& schedule() { return schedule_; }
  // Index of the innermost phase, or no_phase.
  std::uint16_t innermost() const { return phases_.empty() ? no_phase : phases_.back(); }

  // One operation, its phase filled in; no computing with work and no loops.
  virtual void add(const Operation& operation) = 0;
  // Payload of an operation that has these numbers.
  virtual std::int32_t payload_of(const std::vector<std::int64_t>& list) = 0;

 private:
  void say(Operation operation);
  void add_transfer(Kind kind, std::int32_t peer, std::uint64_t bytes, const Transfer& transfer,
                    std::uint32_t communicator);
  std::int32_t new_request();
  // Says it with a request of its own; the number.
  std::int32_t start(Operation operation);
  void add_collective(Collective what, std::uint64_t bytes, std::uint32_t communicator,
                      std::int32_t root, std::int32_t request, std::int32_t payload);

  Schedule& schedule_;
  std::int32_t rank_;
  std::vector<std::uint16_t> phases_;
  std::vector<bool> open_requests_;
};

// Index of the family `MPI_Comm_split(parent = world, colour, key = rank)` makes; `colour_of(rank)`
// < 0 leaves a rank out. The same name gives the same family.
std::uint32_t split(Schedule& schedule, const std::string& name,
                    const std::function<std::int32_t(std::int32_t)>& colour_of);

}  // namespace hakaru::schedule
