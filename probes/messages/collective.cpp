#include "probes/messages/collective.hpp"

#include <algorithm>
#include <cmath>

#include "native/base/chain.hpp"
#include "native/base/clock.hpp"
#include "probes/messages/halves.hpp"
#include "probes/messages/pattern.hpp"
#include "probes/messages/sizes.hpp"

namespace hakaru::probes::messages {
namespace {

constexpr std::int64_t most_alltoall_bytes = std::int64_t{64} << 20;

std::int64_t largest_block(std::int64_t maximum_bytes, int ranks) {
  return std::max<std::int64_t>(std::min(maximum_bytes, most_alltoall_bytes / ranks), 1);
}

// Rank on the other half of the communicator, or MPI_PROC_NULL for the odd one.
int partner_across(int rank, int ranks) {
  const int half = ranks / 2;
  if (rank >= 2 * half) return MPI_PROC_NULL;
  return rank < half ? rank + half : rank - half;
}

// Ranks 2 i and 2 i + 1, or MPI_PROC_NULL for an odd one.
int partner_of(int rank, int ranks) {
  const int partner = rank % 2 == 0 ? rank + 1 : rank - 1;
  return partner < ranks ? partner : MPI_PROC_NULL;
}

std::uint64_t seed_of(int sender, int receiver, std::int64_t bytes) {
  return static_cast<std::uint64_t>(bytes) * 1'000'003u +
         static_cast<std::uint64_t>(sender) * 1009u + static_cast<std::uint64_t>(receiver);
}

// Each rank sends to and receives from the same `degree` partners.
MPI_Comm graph_of(const parallel::Communicator& communicator, const int* partners, int degree) {
  const int weights[] = {1, 1};
  MPI_Comm graph = MPI_COMM_NULL;
  HAKARU_MPI(MPI_Dist_graph_create_adjacent(communicator.handle(), degree, partners, weights,
                                            degree, partners, weights, MPI_INFO_NULL, 0, &graph));
  return graph;
}

MPI_Comm ring_grid_of(const parallel::Communicator& communicator) {
  const int extent = communicator.size(), periodic = 1;
  MPI_Comm grid = MPI_COMM_NULL;
  HAKARU_MPI(MPI_Cart_create(communicator.handle(), 1, &extent, &periodic, 0, &grid));
  return grid;
}

double element(int rank, std::int64_t i) { return (rank + 1.0) * static_cast<double>(i % 17 + 1); }

}  // namespace

const char* name_of(Operation operation) {
  switch (operation) {
    case Operation::allreduce:
      return "allreduce";
    case Operation::alltoall:
      return "alltoall";
    case Operation::barrier:
      return "barrier";
    case Operation::broadcast:
      return "broadcast";
    case Operation::bisection:
      return "bisection";
    case Operation::neighbours:
      return "neighbours";
    case Operation::neighbourhood_1:
      return "neighbourhood_1";
    case Operation::neighbourhood_2:
      return "neighbourhood_2";
    case Operation::neighbourhood_grid_2:
      return "neighbourhood_grid_2";
  }
  return "";
}

std::vector<std::int64_t> sizes_of(Operation operation, std::int64_t maximum_bytes, int ranks) {
  if (operation == Operation::barrier) return {0};
  std::int64_t maximum = std::max<std::int64_t>(maximum_bytes, 8);
  if (operation == Operation::alltoall) maximum = largest_block(maximum, ranks);
  std::vector<std::int64_t> sizes = powers_of_two(maximum / 8 * 8);
  const bool words = operation == Operation::allreduce;
  const auto unfit = [&](std::int64_t bytes) { return bytes == 0 || (words && bytes % 8 != 0); };
  sizes.erase(std::remove_if(sizes.begin(), sizes.end(), unfit), sizes.end());
  return sizes;
}

Traffic traffic_of(Operation operation, std::int64_t bytes, int ranks) {
  const double p = ranks, b = static_cast<double>(bytes);
  double messages = 0.0;
  switch (operation) {
    case Operation::allreduce:
    case Operation::barrier:
      messages = 2.0 * (p - 1.0);
      break;
    case Operation::alltoall:
      messages = p * (p - 1.0);
      break;
    case Operation::broadcast:
      messages = p - 1.0;
      break;
    case Operation::bisection:
      messages = 2.0 * std::floor(p / 2.0);
      break;
    case Operation::neighbours:
    case Operation::neighbourhood_2:
    case Operation::neighbourhood_grid_2:
      messages = 2.0 * p;
      break;
    case Operation::neighbourhood_1:
      messages = 2.0 * std::floor(p / 2.0);
      break;
  }
  return {messages, messages * b};
}

std::int64_t buffer_bytes(std::int64_t maximum_bytes, int ranks) {
  const std::int64_t longest = std::max<std::int64_t>(maximum_bytes, 8);
  return std::max(longest * 2, largest_block(longest, ranks) * ranks);
}

Collectives::Collectives(const parallel::Communicator& communicator, std::int64_t maximum_bytes)
    : communicator_(communicator),
      rank_(communicator.rank()),
      ranks_(communicator.size()),
      work_(communicator) {
  const std::int64_t bytes = buffer_bytes(maximum_bytes, ranks_);
  outgoing_ = Buffer(bytes, 0);
  incoming_ = Buffer(bytes, 0);
  const int partner = partner_of(rank_, ranks_), degree = partner == MPI_PROC_NULL ? 0 : 1;
  const int both[] = {(rank_ + ranks_ - 1) % ranks_, (rank_ + 1) % ranks_};
  pairs_ = graph_of(communicator, &partner, degree);
  ring_ = graph_of(communicator, both, 2);
  grid_ = ring_grid_of(communicator);
}

Collectives::~Collectives() {
  MPI_Comm_free(&pairs_);
  MPI_Comm_free(&ring_);
  MPI_Comm_free(&grid_);
}

void Collectives::exchange_across(std::int64_t bytes) {
  const int other = partner_across(rank_, ranks_), count = static_cast<int>(bytes);
  HAKARU_MPI(MPI_Sendrecv(outgoing_.data(), count, MPI_BYTE, other, 0, incoming_.data(), count,
                          MPI_BYTE, other, 0, communicator_.handle(), MPI_STATUS_IGNORE));
}

// IMB Exchange: each rank of a ring sends to and receives from both neighbours.
void Collectives::exchange_with_neighbours(std::int64_t bytes) {
  const int left = (rank_ + ranks_ - 1) % ranks_, right = (rank_ + 1) % ranks_;
  const int count = static_cast<int>(bytes);
  const MPI_Comm handle = communicator_.handle();
  MPI_Request requests[4];
  HAKARU_MPI(MPI_Irecv(incoming_.data(), count, MPI_BYTE, left, 0, handle, &requests[0]));
  HAKARU_MPI(MPI_Irecv(incoming_.data() + bytes, count, MPI_BYTE, right, 1, handle, &requests[1]));
  HAKARU_MPI(MPI_Isend(outgoing_.data() + bytes, count, MPI_BYTE, right, 0, handle, &requests[2]));
  HAKARU_MPI(MPI_Isend(outgoing_.data(), count, MPI_BYTE, left, 1, handle, &requests[3]));
  HAKARU_MPI(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
}

void Collectives::exchange_over(MPI_Comm topology, std::int64_t bytes) {
  const int count = static_cast<int>(bytes);
  HAKARU_MPI(MPI_Neighbor_alltoall(outgoing_.data(), count, MPI_BYTE, incoming_.data(), count,
                                   MPI_BYTE, topology));
}

void Collectives::perform(Operation operation, std::int64_t bytes, int iteration) {
  const int count = static_cast<int>(bytes);
  const MPI_Comm handle = communicator_.handle();
  switch (operation) {
    case Operation::allreduce:
      HAKARU_MPI(MPI_Allreduce(outgoing_.data(), incoming_.data(), count / 8, MPI_DOUBLE, MPI_SUM,
                               handle));
      return;
    case Operation::alltoall:
      HAKARU_MPI(MPI_Alltoall(outgoing_.data(), count, MPI_BYTE, incoming_.data(), count, MPI_BYTE,
                              handle));
      return;
    case Operation::barrier:
      HAKARU_MPI(MPI_Barrier(handle));
      return;
    case Operation::broadcast:
      HAKARU_MPI(MPI_Bcast(incoming_.data(), count, MPI_BYTE, iteration % ranks_, handle));
      return;
    case Operation::bisection:
      exchange_across(bytes);
      return;
    case Operation::neighbours:
      exchange_with_neighbours(bytes);
      return;
    case Operation::neighbourhood_1:
      exchange_over(pairs_, bytes);
      return;
    case Operation::neighbourhood_2:
      exchange_over(ring_, bytes);
      return;
    case Operation::neighbourhood_grid_2:
      exchange_over(grid_, bytes);
      return;
  }
}

double Collectives::row_s(Operation operation, std::int64_t bytes, int count) {
  const std::int64_t work =
      work_.steps(operation >= Operation::neighbourhood_1 ? base::apart_s : 0.0);
  perform(operation, bytes, 0);
  communicator_.barrier();
  const double start = base::now_s();
  for (int i = 0; i < count; ++i) {
    work_.run(work);
    perform(operation, bytes, i);
  }
  const double seconds = base::now_s() - start;
  return seconds - count * work_.run_s(work, count);
}

double Collectives::seconds(Operation operation, std::int64_t bytes, int iterations) {
  const double own_s = mean_of_halves(
      iterations, [&] { one_more(communicator_); },
      [&](int count) { return row_s(operation, bytes, count); });
  double slowest_s = own_s;
  HAKARU_MPI(MPI_Reduce(&own_s, &slowest_s, 1, MPI_DOUBLE, MPI_MAX, 0, communicator_.handle()));
  return slowest_s;
}

std::int64_t Collectives::wrong_sums(std::int64_t bytes, bool damage) {
  const std::int64_t count = bytes / 8;
  auto* mine = reinterpret_cast<double*>(outgoing_.data());
  for (std::int64_t i = 0; i < count; ++i) mine[i] = element(rank_, i);
  if (damage && rank_ == 0) outgoing_[bytes / 2 / 8 * 8 + 6] ^= 1;
  perform(Operation::allreduce, bytes, 0);
  const auto* sums = reinterpret_cast<const double*>(incoming_.data());
  const double total = 0.5 * ranks_ * (ranks_ + 1.0);
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < count; ++i) wrong += sums[i] != total * element(0, i);
  return communicator_.sum(wrong);
}

void Collectives::fill(Operation operation, std::int64_t bytes, bool damage) {
  const int left = (rank_ + ranks_ - 1) % ranks_, right = (rank_ + 1) % ranks_;
  const auto block = [&](char* start, int receiver) {
    fill_pattern(start, bytes, seed_of(rank_, receiver, bytes));
    if (damage && rank_ == 0 && bytes > 0) start[bytes / 2] ^= 1;
  };
  switch (operation) {
    case Operation::alltoall:
      for (int receiver = 0; receiver < ranks_; ++receiver)
        block(outgoing_.data() + receiver * bytes, receiver);
      break;
    case Operation::broadcast:
      if (rank_ == 0) block(incoming_.data(), 0);
      break;
    case Operation::bisection:
      block(outgoing_.data(), partner_across(rank_, ranks_));
      break;
    case Operation::neighbours:
      block(outgoing_.data(), left);
      block(outgoing_.data() + bytes, right + ranks_);
      break;
    // The same to all: which of two blocks between the same two ranks is which, libraries differ.
    case Operation::neighbourhood_1:
    case Operation::neighbourhood_2:
    case Operation::neighbourhood_grid_2:
      block(outgoing_.data(), 0);
      block(outgoing_.data() + bytes, 0);
      break;
    default:
      break;
  }
}

std::int64_t Collectives::count_wrong(Operation operation, std::int64_t bytes) const {
  const int left = (rank_ + ranks_ - 1) % ranks_, right = (rank_ + 1) % ranks_;
  const auto block = [&](const char* start, int sender, int receiver) {
    return wrong_bytes(start, bytes, seed_of(sender, receiver, bytes));
  };
  std::int64_t wrong = 0;
  switch (operation) {
    case Operation::alltoall:
      for (int sender = 0; sender < ranks_; ++sender)
        wrong += block(incoming_.data() + sender * bytes, sender, rank_);
      return wrong;
    case Operation::broadcast:
      return block(incoming_.data(), 0, 0);
    case Operation::bisection: {
      const int other = partner_across(rank_, ranks_);
      return other == MPI_PROC_NULL ? 0 : block(incoming_.data(), other, rank_);
    }
    case Operation::neighbours:
      return block(incoming_.data(), left, rank_ + ranks_) +
             block(incoming_.data() + bytes, right, rank_);
    case Operation::neighbourhood_1: {
      const int other = partner_of(rank_, ranks_);
      return other == MPI_PROC_NULL ? 0 : block(incoming_.data(), other, 0);
    }
    case Operation::neighbourhood_2:
    case Operation::neighbourhood_grid_2:
      return block(incoming_.data(), left, 0) + block(incoming_.data() + bytes, right, 0);
    default:
      return 0;
  }
}

std::int64_t Collectives::wrong(Operation operation, std::int64_t bytes, bool damage) {
  if (operation == Operation::allreduce) return wrong_sums(bytes, damage);
  std::fill(incoming_.begin(), incoming_.end(), char{0});
  fill(operation, bytes, damage);
  perform(operation, bytes, 0);
  return communicator_.sum(count_wrong(operation, bytes));
}

double Collectives::barrier_leak_s() {
  communicator_.barrier();
  const double start = base::now_s();
  while (rank_ == ranks_ - 1 && base::now_s() - start < 2e-3) {
  }
  const double entered_s = base::now_s();
  communicator_.barrier();
  const double left_s = base::now_s();
  return std::max(communicator_.maximum(entered_s) - communicator_.minimum(left_s), 0.0);
}

}  // namespace hakaru::probes::messages
