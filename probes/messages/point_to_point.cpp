#include "probes/messages/point_to_point.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "native/base/caches.hpp"
#include "native/base/clock.hpp"
#include "probes/messages/half_round_trip.hpp"
#include "probes/messages/pattern.hpp"

namespace hakaru::probes::messages {
namespace {

constexpr std::int64_t number_bytes = sizeof(double);

// From one piece to the next.
std::int64_t stride_of(std::int64_t piece_bytes) {
  constexpr std::int64_t line_bytes = 64;
  return std::max(line_bytes, 2 * piece_bytes);
}

}  // namespace

// At least `delay_s`, without giving MPI a chance to progress. Two readings of the clock that
// follow each other are some tens of ns apart, or somebody else had the processor (M. Sottile, R.
// Minnich, "Analysis of microbenchmarks for performance tuning of clusters", Cluster 2004).
Waited wait_computing(double delay_s) {
  constexpr double undisturbed_s = 5e-7;
  const double start = base::now_s();
  double now = start, stolen_s = 0.0;
  while (now - start < delay_s) {
    const double last = now;
    now = base::now_s();
    if (now - last > undisturbed_s) stolen_s += now - last;
  }
  return {now - start, stolen_s};
}

PointToPoint::PointToPoint(parallel::Communicator pair, std::int64_t maximum_bytes)
    : pair_(std::move(pair)),
      other_(1 - pair_.rank()),
      outgoing_(std::max<std::int64_t>(maximum_bytes, 4), 1),
      incoming_(std::max<std::int64_t>(maximum_bytes, 4), 0),
      work_(pair_) {}

void PointToPoint::send(std::int64_t bytes) {
  HAKARU_MPI(MPI_Send(outgoing_.data(), static_cast<int>(bytes), MPI_BYTE, other_, payload_tag,
                      pair_.handle()));
}

void PointToPoint::receive(std::int64_t bytes) {
  HAKARU_MPI(MPI_Recv(incoming_.data(), static_cast<int>(bytes), MPI_BYTE, other_, payload_tag,
                      pair_.handle(), MPI_STATUS_IGNORE));
}

void PointToPoint::exchange(std::int64_t bytes, int first) {
  if (pair_.rank() == first) {
    send(bytes);
    receive(bytes);
  } else {
    receive(bytes);
    send(bytes);
  }
}

// Two round trips do not make long data warm after work that went round more than the caches.
void PointToPoint::warm(std::int64_t bytes) {
  constexpr std::int64_t least_bytes = 256 << 10, beyond_caches = 16 << 20;
  constexpr double quick_s = 1e-3;
  if (bytes < least_bytes || bytes >= beyond_caches) return;
  const double start = base::now_s();
  exchange(bytes);
  int more = base::now_s() - start < quick_s ? 8 : 0;
  HAKARU_MPI(MPI_Bcast(&more, 1, MPI_INT, 0, pair_.handle()));
  while (more-- > 0) exchange(bytes);
}

double PointToPoint::ping_pong(std::int64_t bytes, int iterations, double apart_s) {
  const std::int64_t work = work_.steps(apart_s);
  warm(bytes);
  const double seconds = half_round_trip(iterations, [&] {
    if (pair_.rank() == 1) receive(bytes);
    work_.run(work);
    send(bytes);
    if (pair_.rank() == 0) receive(bytes);
  });
  return seconds - work_.run_s(work, iterations);
}

// What is measured of messages in other memory.
template <class Measure>
auto PointToPoint::in_memory(Buffer& outgoing, Buffer& incoming, Measure measure) {
  std::swap(outgoing, outgoing_);
  std::swap(incoming, incoming_);
  const auto found = measure();
  std::swap(outgoing, outgoing_);
  std::swap(incoming, incoming_);
  return found;
}

double PointToPoint::ping_pong_in_large_pages(std::int64_t bytes, int iterations) {
  const auto room = std::max<std::size_t>(bytes, 2 << 20);
  for (Buffer* one : {&large_outgoing_, &large_incoming_})
    if (one->size() < room) *one = Buffer(room, 1, base::Pages::transparent_huge);
  return in_memory(large_outgoing_, large_incoming_, [&] { return ping_pong(bytes, iterations); });
}

// With room for it in gappy_.
MPI_Datatype PointToPoint::in_pieces(std::int64_t bytes, std::int64_t piece_bytes) {
  const std::int64_t pieces = bytes / piece_bytes, stride_bytes = stride_of(piece_bytes);
  const auto room = static_cast<std::size_t>(pieces * stride_bytes / number_bytes);
  if (gappy_.size() < room) {
    gappy_ = base::AlignedArray<double>(room, base::Pages::as_given);
    std::fill(gappy_.begin(), gappy_.end(), 1.0);
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  HAKARU_MPI(MPI_Type_create_hvector(static_cast<int>(pieces),
                                     static_cast<int>(piece_bytes / number_bytes), stride_bytes,
                                     MPI_DOUBLE, &type));
  HAKARU_MPI(MPI_Type_commit(&type));
  return type;
}

std::int64_t PointToPoint::wrong_in_pieces(std::int64_t bytes, std::int64_t piece_bytes,
                                           bool damage) {
  constexpr double gap = -1.0;
  MPI_Datatype type = in_pieces(bytes, piece_bytes);
  const std::int64_t stride = stride_of(piece_bytes) / number_bytes,
                     numbers = bytes / piece_bytes * stride;
  const auto sent = [&](std::int64_t i) {
    return i % stride < piece_bytes / number_bytes ? static_cast<double>(i) : gap;
  };
  std::int64_t wrong = 0;
  if (pair_.rank() == 0) {
    for (std::int64_t i = 0; i < numbers; ++i) gappy_[i] = sent(i);
    if (damage) gappy_[0] += 1.0;
    HAKARU_MPI(MPI_Send(gappy_.data(), 1, type, other_, payload_tag, pair_.handle()));
  } else {
    std::fill(gappy_.begin(), gappy_.end(), gap);
    HAKARU_MPI(
        MPI_Recv(gappy_.data(), 1, type, other_, payload_tag, pair_.handle(), MPI_STATUS_IGNORE));
    for (std::int64_t i = 0; i < numbers; ++i) wrong += gappy_[i] != sent(i);
  }
  HAKARU_MPI(MPI_Type_free(&type));
  return pair_.sum(wrong);
}

double PointToPoint::ping_pong_in_pieces(std::int64_t bytes, std::int64_t piece_bytes,
                                         int iterations) {
  MPI_Datatype type = in_pieces(bytes, piece_bytes);
  const auto send_it = [&] {
    HAKARU_MPI(MPI_Send(gappy_.data(), 1, type, other_, payload_tag, pair_.handle()));
  };
  const auto receive_it = [&] {
    HAKARU_MPI(
        MPI_Recv(gappy_.data(), 1, type, other_, payload_tag, pair_.handle(), MPI_STATUS_IGNORE));
  };
  const double seconds = half_round_trip(iterations, [&] {
    if (pair_.rank() == 0) send_it();
    receive_it();
    if (pair_.rank() == 1) send_it();
  });
  HAKARU_MPI(MPI_Type_free(&type));
  return seconds;
}

template <std::size_t count, typename Measure>
std::array<double, count> PointToPoint::by_turns(int iterations, const Measure& measure) const {
  const int clients = std::min(iterations, 2);
  std::array<double, count> mean{};
  for (int client = 0; client < clients; ++client) {
    const std::array<double, count> one = measure(client, (iterations + clients - 1) / clients);
    std::vector<double> found(one.begin(), one.end());
    pair_.broadcast(found, client);
    for (std::size_t i = 0; i < count; ++i) mean[i] += found[i] / clients;
  }
  return mean;
}

void PointToPoint::client_trains(int count, double delay_s, std::int64_t bytes, int iterations,
                                 Waited& waited) {
  for (int i = 0; i < iterations; ++i) {
    for (int message = 0; message < count; ++message) {
      send(bytes);
      if (delay_s <= 0.0 || message + 1 == count) continue;
      const Waited one = wait_computing(delay_s);
      waited.seconds += one.seconds;
      waited.stolen_s += one.stolen_s;
    }
    receive(bytes);
  }
}

TrainTime PointToPoint::train(int count, double delay_s, std::int64_t bytes, int iterations) {
  const auto [seconds, waited_s, stolen_s] =
      by_turns<3>(iterations, [&](int client, int own_iterations) {
        return train_from(client, count, delay_s, bytes, own_iterations);
      });
  return {seconds, waited_s, stolen_s};
}

std::array<double, 3> PointToPoint::train_from(int client, int count, double delay_s,
                                               std::int64_t bytes, int iterations) {
  exchange(bytes, client);
  Waited waited;
  const double start = base::now_s();
  if (pair_.rank() == client) {
    client_trains(count, delay_s, bytes, iterations, waited);
  } else {
    for (int i = 0; i < iterations; ++i) {
      for (int message = 0; message < count; ++message) receive(bytes);
      send(bytes);
    }
  }
  const double seconds = (base::now_s() - start) / iterations;
  const double delays = std::max(count - 1, 1) * static_cast<double>(iterations);
  return {seconds, waited.seconds / delays, waited.stolen_s / delays};
}

double PointToPoint::window(int count, std::int64_t bytes, int iterations) {
  return by_turns<1>(iterations, [&](int client, int own_iterations) {
    return std::array{window_from(client, count, bytes, own_iterations)};
  })[0];
}

double PointToPoint::window_from(int client, int count, std::int64_t bytes, int iterations) {
  constexpr std::int64_t answer_bytes = 4;
  const int length = static_cast<int>(bytes);
  std::vector<MPI_Request> requests(static_cast<std::size_t>(count));
  exchange(bytes, client);
  double start = 0.0;
  for (int i = -1; i < iterations; ++i) {
    if (i == 0) start = base::now_s();
    for (MPI_Request& request : requests)
      if (pair_.rank() == client)
        HAKARU_MPI(MPI_Isend(outgoing_.data(), length, MPI_BYTE, other_, payload_tag,
                             pair_.handle(), &request));
      else
        HAKARU_MPI(MPI_Irecv(incoming_.data(), length, MPI_BYTE, other_, payload_tag,
                             pair_.handle(), &request));
    HAKARU_MPI(MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE));
    if (pair_.rank() == client)
      receive(answer_bytes);
    else
      send(answer_bytes);
  }
  return (base::now_s() - start) / iterations;
}

PostingTime PointToPoint::posting(std::int64_t bytes, int iterations) {
  const auto [seconds, post_s, apart_s] = by_turns<3>(
      iterations,
      [&](int client, int own_iterations) { return posting_to(client, bytes, own_iterations); });
  return {seconds, post_s, apart_s};
}

// What reading the clock takes, and waiting for what is before, is taken off.
std::array<double, 3> PointToPoint::posting_to(int client, std::int64_t bytes, int iterations) {
  constexpr int posts = 16, warmup = 1;
  const int length = static_cast<int>(bytes);
  std::array<MPI_Request, posts> requests{};
  const auto post_all_s = [&](bool apart) {
    const double begin = base::now_s();
    for (MPI_Request& request : requests) {
      HAKARU_MPI(MPI_Irecv(incoming_.data(), length, MPI_BYTE, other_, payload_tag, pair_.handle(),
                           &request));
      if (apart) base::all_done();
    }
    const double posted = base::now_s();
    for (int i = 0; apart && i < posts; ++i) base::all_done();
    return 2.0 * posted - begin - base::now_s();
  };
  double start = 0.0, in_a_row_s = 0.0, apart_s = 0.0;
  for (int i = -warmup; i < 2 * iterations; ++i) {
    if (i == 0) start = base::now_s();
    const bool apart = i % 2 != 0;
    if (pair_.rank() == client) {
      HAKARU_MPI(
          MPI_Recv(nullptr, 0, MPI_BYTE, other_, control_tag, pair_.handle(), MPI_STATUS_IGNORE));
      for (MPI_Request& request : requests)
        HAKARU_MPI(MPI_Isend(outgoing_.data(), length, MPI_BYTE, other_, payload_tag,
                             pair_.handle(), &request));
    } else {
      const double posts_s = post_all_s(apart);
      if (i >= 0) (apart ? apart_s : in_a_row_s) += posts_s;
      HAKARU_MPI(MPI_Send(nullptr, 0, MPI_BYTE, other_, control_tag, pair_.handle()));
    }
    HAKARU_MPI(MPI_Waitall(posts, requests.data(), MPI_STATUSES_IGNORE));
  }
  const double seconds = (base::now_s() - start) / iterations,
               each = posts * static_cast<double>(iterations);
  return {seconds, pair_.sum(in_a_row_s) / each, pair_.sum(apart_s) / each};
}

std::vector<double> PointToPoint::in_fresh_memory(std::int64_t bytes, int uses) {
  Buffer outgoing(bytes, 1), incoming(bytes, 0);
  for (const Buffer* one : {&outgoing, &incoming}) base::leave_caches(one->data(), one->size());
  return in_memory(outgoing, incoming, [&] {
    std::vector<double> found(static_cast<std::size_t>(uses));
    for (double& use_s : found) {
      exchange(0);
      const double start = base::now_s();
      exchange(bytes);
      use_s = 0.5 * (base::now_s() - start);
    }
    return found;
  });
}

void PointToPoint::reserve(std::int64_t bytes) {
  if (static_cast<std::int64_t>(outgoing_.size()) >= bytes) return;
  outgoing_ = Buffer(bytes, 1);
  incoming_ = Buffer(bytes, 0);
}

Waited PointToPoint::poll_for(double delay_s) {
  const double start = base::now_s();
  double now = start;
  int found = 0;
  while (now - start < delay_s) {
    HAKARU_MPI(MPI_Iprobe(other_, unused_tag, pair_.handle(), &found, MPI_STATUS_IGNORE));
    now = base::now_s();
  }
  return {now - start, 0.0};
}

DelayedReceiveTime PointToPoint::delayed_receive(Until until, double delay_s, std::int64_t bytes,
                                                 int iterations) {
  const auto [receive_s, send_s, waited_s, stolen_s] =
      by_turns<4>(iterations, [&](int client, int own_iterations) {
        return delayed_receive_from(client, until, delay_s, bytes, own_iterations);
      });
  return {receive_s, send_s, waited_s, stolen_s};
}

std::array<double, 4> PointToPoint::delayed_receive_from(int client, Until until, double delay_s,
                                                         std::int64_t bytes, int iterations) {
  exchange(bytes, client);
  double sums[4] = {0.0, 0.0, 0.0, 0.0};
  for (int i = 0; i < iterations; ++i) {
    if (pair_.rank() == client) {
      HAKARU_MPI(
          MPI_Recv(nullptr, 0, MPI_BYTE, other_, control_tag, pair_.handle(), MPI_STATUS_IGNORE));
      const double start = base::now_s();
      send(bytes);
      sums[1] += base::now_s() - start;
      HAKARU_MPI(
          MPI_Recv(nullptr, 0, MPI_BYTE, other_, control_tag, pair_.handle(), MPI_STATUS_IGNORE));
    } else {
      HAKARU_MPI(MPI_Send(nullptr, 0, MPI_BYTE, other_, control_tag, pair_.handle()));
      const Waited waited = until == Until::polling ? poll_for(delay_s) : wait_computing(delay_s);
      sums[2] += waited.seconds;
      sums[3] += waited.stolen_s;
      const double start = base::now_s();
      receive(bytes);
      sums[0] += base::now_s() - start;
      HAKARU_MPI(MPI_Send(nullptr, 0, MPI_BYTE, other_, control_tag, pair_.handle()));
    }
  }
  HAKARU_MPI(MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_DOUBLE, MPI_SUM, pair_.handle()));
  for (double& sum : sums) sum /= iterations;
  return {sums[0], sums[1], sums[2], sums[3]};
}

std::int64_t PointToPoint::wrong_bytes(std::int64_t bytes, bool damage) {
  const auto seed = [&](int sender) { return static_cast<std::uint64_t>(2 * bytes + sender); };
  fill_pattern(outgoing_.data(), bytes, seed(pair_.rank()));
  if (damage && bytes > 0) outgoing_[bytes / 2] ^= 1;
  std::fill_n(incoming_.data(), bytes, char{0});
  exchange(bytes);
  return pair_.sum(messages::wrong_bytes(incoming_.data(), bytes, seed(other_)));
}

}  // namespace hakaru::probes::messages
