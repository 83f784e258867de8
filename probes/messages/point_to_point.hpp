// Messages between the two ranks of a communicator, a client and a server. Every method is
// collective over both. Where the roles differ, each rank is the client for half of the iterations
// (of a single one rank 0 is), and the result is the mean: one of them may be slower, since its
// core serves a network, too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "native/base/aligned.hpp"
#include "native/parallel/communicator.hpp"
#include "native/parallel/equal_work.hpp"
#include "probes/messages/buffer.hpp"
#include "probes/messages/cache_sensor.hpp"
#include "probes/messages/sizes.hpp"

namespace hakaru::probes::messages {

struct TrainTime {
  double seconds;   // of one train with its answer
  double delay_s;   // really waited between two sends, without the cost of reading the clock
  double stolen_s;  // of that delay, by what the last send left to do
};

struct DelayedReceiveTime {
  double receive_s;  // of one MPI_Recv on the server, with one reading of the clock
  double send_s;     // of the matching MPI_Send on the client, with one reading of the clock
  double delay_s;    // between asking for the message and receiving it, without the cost of reading
                     // the clock
  double stolen_s;   // of that delay, by the message's arrival and by what asking for it left to do
};

// A wait of `seconds`; for `stolen_s` of them the processor did something else (interrupts, other
// programs), which is only known of waits that call nothing.
struct Waited {
  double seconds = 0.0, stolen_s = 0.0;
};

// At least `delay_s`, without giving MPI a chance to progress.
Waited wait_computing(double delay_s);

struct WorkedExchange {
  double seconds;  // of one exchange with work between its start and its wait
  double work_s;   // of that work in peace, on the slower of both ranks
};

struct PostingTime {
  double seconds;  // of posting all receives, asking for their messages and receiving them
  double post_s;   // of posting one of a row
  double apart_s;  // when the one before has been done
};

struct AfterWork {
  double exchange_s;  // with one clock reading
  double cold_s;      // how cold the work left the caches, mean of both ranks
  double seconds;     // of one whole iteration
};

// Of an exchange.
enum class Requests { new_ones, persistent };

// What a rank does until it receives: no call of MPI, or calls that let MPI progress but match no
// message.
enum class Until { computing, polling };

class PointToPoint {
 public:
  // Throws std::bad_alloc. `maximum_bytes` is the longest message.
  PointToPoint(parallel::Communicator pair, std::int64_t maximum_bytes);
  PointToPoint(const PointToPoint&) = delete;
  PointToPoint& operator=(const PointToPoint&) = delete;

  const parallel::Communicator& communicator() const { return pair_; }

  // IMB PingPong: half of the time from a send to the receipt of an equally long answer, mean of
  // `iterations`.
  // apart_s > 0: with some such time of work before each message, which is taken off.
  double ping_pong(std::int64_t bytes, int iterations, double apart_s = 0.0);

  // The same of `bytes` in pages of 2 MiB, where the kernel gives them.
  double ping_pong_in_large_pages(std::int64_t bytes, int iterations);

  // The same of `bytes` that lie in pieces of `piece_bytes`, with gaps between them, on both sides:
  // a derived datatype that the library packs and unpacks. Both are multiples of 8.
  double ping_pong_in_pieces(std::int64_t bytes, std::int64_t piece_bytes, int iterations);

  // PRTT(n, d, s) of Hoefler et al. 2007: the client sends `count` messages with at least `delay_s`
  // between the end of a send and the start of the next; the server answers the last with one
  // message of the same length. Mean of `iterations`, times in delays of one delay.
  TrainTime train(int count, double delay_s, std::int64_t bytes, int iterations);

  // Both ranks start a message to each other at once, post the receive and wait for both: seconds
  // of one such exchange, mean of 2 `iterations`. Where one rank is a latency ahead, exchanges last
  // none and two latencies by turns: an even number of them is right all the same.
  // apart_s > 0: after some such time of work before each, which is taken off. It is a number of
  // steps: waits for a time would end apart, and the exchange would wait for the later.
  double both_ways(std::int64_t bytes, int iterations, double apart_s,
                   Requests of = Requests::new_ones);

  // Post, work, wait (Lawry et al. 2002), again and again: both ranks start such an exchange, do a
  // fixed amount of arithmetic that lasts about `work_s` in peace, and wait. What the iteration
  // lasts beyond the work is processor time that messages need, in calls of MPI or beside them.
  WorkedExchange post_work_wait(double work_s, std::int64_t bytes, int iterations);

  // An exchange after both ranks worked, so that caches hold other things than messages need: they
  // read and write memory, within caches of their own the same each time, as an iteration does,
  // else all of it in turn. Before, each reads what it received; then it writes what it will send,
  // as programs compute what they send. From when the later rank is ready until the other is done.
  // Median of `iterations`.
  AfterWork exchange_after_work(const Work& work, std::int64_t bytes, int iterations);

  // The client starts `count` messages at once and waits for all; the server has posted all their
  // receives, and answers with 4 B (OSU bandwidth). Seconds of one such window, mean of
  // `iterations`.
  double window(int count, std::int64_t bytes, int iterations);

  // The server posts some receives, and then asks for their messages: by turns in a row, and each
  // when the one before has been done, as between the records of a tracer.
  PostingTime posting(std::int64_t bytes, int iterations);

  // Half of a round trip of `bytes` in memory that no message was in before, nor any cache holds,
  // as what a program filled long ago, by how often it was used: Linux notes the first two uses of
  // a page by copies of the kernel (mark_page_accessed), and shared caches come to hold some MiB
  // only by and by.
  std::vector<double> in_fresh_memory(std::int64_t bytes, int uses);

  // Makes room for messages of `bytes`. Throws std::bad_alloc.
  void reserve(std::int64_t bytes);

  // The server asks for a message, computes or polls for `delay_s`, and then receives it. After
  // computing, an eager message has arrived and the receive shows its overhead. While it polls,
  // MPI_Send of an eager message returns; by rendezvous it cannot return before the receive is
  // posted.
  DelayedReceiveTime delayed_receive(Until until, double delay_s, std::int64_t bytes,
                                     int iterations);

  // Sends a pattern both ways and counts the bytes that arrive wrong, on both ranks together.
  // `damage` flips one byte.
  std::int64_t wrong_bytes(std::int64_t bytes, bool damage);
  // Sends numbers in pieces from the client and counts those that arrive wrong, and gaps of the
  // server that are touched, on both ranks together. `damage` changes one number.
  std::int64_t wrong_in_pieces(std::int64_t bytes, std::int64_t piece_bytes, bool damage);

 private:
  static constexpr int payload_tag = 1, control_tag = 2, unused_tag = 3;

  MPI_Datatype in_pieces(std::int64_t bytes, std::int64_t piece_bytes);
  void send(std::int64_t bytes);
  void receive(std::int64_t bytes);
  // One message each way, that of rank `first` before the other.
  void exchange(std::int64_t bytes, int first = 0);
  void warm(std::int64_t bytes);
  void start_both_ways(std::int64_t bytes, MPI_Request (&requests)[2]);
  void make_both_ways(std::int64_t bytes, MPI_Request (&requests)[2]);
  // Seconds of so many exchanges with so many steps of work before each and between start and wait.
  double row_s(std::int64_t bytes, Requests of, int count, std::int64_t before,
               std::int64_t beside);
  void sweep(const Work& work);
  // What will be sent.
  void write(std::int64_t bytes);
  // With messages of `bytes`.
  void compute(const Work& work, std::int64_t bytes);
  // By which the clock of rank 1 is ahead, as far as messages both ways take the same time.
  double clock_ahead_s();
  // Seconds of so many steps of work.
  double work(std::int64_t steps);
  Waited poll_for(double delay_s);
  void client_trains(int count, double delay_s, std::int64_t bytes, int iterations, Waited& waited);
  // Means over clients of what measure(client, iterations) finds, on both ranks.
  template <std::size_t count, typename Measure>
  std::array<double, count> by_turns(int iterations, const Measure& measure) const;
  std::array<double, 3> train_from(int client, int count, double delay_s, std::int64_t bytes,
                                   int iterations);
  double window_from(int client, int count, std::int64_t bytes, int iterations);
  template <class Measure>
  auto in_memory(Buffer& outgoing, Buffer& incoming, Measure measure);
  std::array<double, 3> posting_to(int client, std::int64_t bytes, int iterations);
  std::array<double, 4> delayed_receive_from(int client, Until until, double delay_s,
                                             std::int64_t bytes, int iterations);

  parallel::Communicator pair_;
  int other_;
  std::uint64_t state_ = 1;
  Buffer outgoing_, incoming_;
  Buffer large_outgoing_, large_incoming_;  // in large pages
  parallel::EqualWork work_;
  base::AlignedArray<double> gappy_;  // of messages in pieces
  base::AlignedArray<double> swept_;  // of the work between messages
  std::size_t sweep_at_ = 0;
  CacheSensor caches_;
};

}  // namespace hakaru::probes::messages
