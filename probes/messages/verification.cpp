#include "probes/messages/verification.hpp"

#include <algorithm>
#include <string>

#include "native/parallel/groups.hpp"
#include "probes/messages/pattern.hpp"
#include "probes/messages/rounds.hpp"
#include "probes/messages/sizes.hpp"

namespace hakaru::probes::messages {
namespace {

constexpr std::int64_t longest_message = 1 << 20, longest_block = 1 << 16;

std::int64_t wrong_to_self(std::int64_t bytes, bool damage) {
  std::vector<char> outgoing(bytes + 1), incoming(bytes + 1, 0);
  fill_pattern(outgoing.data(), bytes, bytes);
  if (damage && bytes > 0) outgoing[bytes / 2] ^= 1;
  HAKARU_MPI(MPI_Sendrecv(outgoing.data(), static_cast<int>(bytes), MPI_BYTE, 0, 0, incoming.data(),
                          static_cast<int>(bytes), MPI_BYTE, 0, 0, MPI_COMM_SELF,
                          MPI_STATUS_IGNORE));
  return wrong_bytes(incoming.data(), bytes, bytes);
}

void verify_self(bool damage, base::Checks& checks) {
  std::int64_t wrong = 0;
  for (std::int64_t bytes : powers_of_two(longest_message)) wrong += wrong_to_self(bytes, damage);
  checks.equal("wrong bytes in messages to itself", static_cast<double>(wrong), 0,
               "a message arrives as it was sent");
}

void verify_pair(const parallel::Communicator& world, const Pair& pair, bool damage,
                 base::Checks& checks) {
  constexpr double delay_s = 50e-6;
  constexpr int count = 4;
  const std::string between =
      " between ranks " + std::to_string(pair.first) + " and " + std::to_string(pair.second);
  std::int64_t wrong = 0;
  double train_s = count * delay_s, delayed_s = delay_s;
  if (auto both = join_pair(world, pair); both.size() == 2) {
    PointToPoint messages(std::move(both), longest_message);
    wrong = wrong_in_messages(messages, powers_of_two(longest_message), damage);
    const double seconds = messages.train(count, delay_s, 8, 1).seconds;
    delayed_s = messages.delayed_receive(Until::polling, delay_s, 8, 1).delay_s;
    if (messages.communicator().rank() == 0) train_s = seconds;
    wrong = messages.communicator().rank() == 0 ? wrong : 0;
  }
  parallel::quiet_barrier(world);
  checks.equal("wrong bytes" + between, static_cast<double>(world.sum(wrong)), 0,
               "a message arrives as it was sent");
  checks.at_least("train of 4 messages" + between, world.minimum(train_s), (count - 1) * delay_s,
                  "three delays of 50 us lie between its sends");
  checks.at_least("delay before a receive" + between, world.minimum(delayed_s), delay_s,
                  "the receiver waits at least as long as told");
}

void verify_group(const parallel::Communicator& world, int ranks, bool one_host, bool damage,
                  base::Checks& checks) {
  const parallel::Communicator group = join_first(world, ranks);
  std::vector<std::int64_t> wrong(all_operations().size(), 0);
  double leak_s = 0.0;
  if (group.size() > 0) {
    Collectives collectives(group, longest_block);
    for (std::size_t i = 0; i < wrong.size(); ++i)
      wrong[i] = wrong_in_operation(collectives, all_operations()[i], longest_block, ranks, damage);
    if (one_host) leak_s = collectives.barrier_leak_s();
  }
  parallel::quiet_barrier(world);
  const std::string of = " of " + std::to_string(ranks) + " ranks";
  for (std::size_t i = 0; i < wrong.size(); ++i)
    if (all_operations()[i] != Operation::barrier)
      checks.equal(std::string("wrong results, ") + name_of(all_operations()[i]) + of,
                   static_cast<double>(world.maximum(wrong[i])), 0, "exact at every size");
  if (one_host)
    checks.equal("seconds by which a rank left before all had entered, barrier" + of,
                 world.maximum(leak_s), 0, "a barrier holds all ranks");
}

}  // namespace

parallel::Communicator join_pair(const parallel::Communicator& world, const Pair& pair) {
  const bool inside = world.rank() == pair.first || world.rank() == pair.second;
  return world.split(inside ? 0 : -1, world.rank() == pair.first ? 0 : 1);
}

parallel::Communicator join_first(const parallel::Communicator& world, int ranks) {
  return world.split(world.rank() < ranks ? 0 : -1, world.rank());
}

const std::vector<Operation>& all_operations() {
  static const std::vector<Operation> operations{
      Operation::allreduce,       Operation::alltoall,        Operation::barrier,
      Operation::broadcast,       Operation::bisection,       Operation::neighbours,
      Operation::neighbourhood_1, Operation::neighbourhood_2, Operation::neighbourhood_grid_2};
  return operations;
}

std::int64_t wrong_in_messages(PointToPoint& messages, const std::vector<std::int64_t>& sizes,
                               bool damage) {
  std::int64_t wrong = 0;
  for (std::int64_t bytes : sizes) {
    wrong += messages.wrong_bytes(bytes, damage);
    for (std::int64_t piece : pieces_of(bytes))
      wrong += messages.wrong_in_pieces(bytes, piece, damage);
  }
  return wrong;
}

std::int64_t wrong_in_operation(Collectives& collectives, Operation operation,
                                std::int64_t maximum_bytes, int ranks, bool damage) {
  std::int64_t wrong = 0;
  for (std::int64_t bytes : sizes_of(operation, maximum_bytes, ranks))
    wrong += collectives.wrong(operation, bytes, damage);
  return wrong;
}

void verify_messages(const parallel::Communicator& world, const std::vector<Placement>& placements,
                     bool damage, base::Checks& checks) {
  if (world.size() == 1) verify_self(damage, checks);
  for (const auto& pair : choose_pairs(placements, "node"))
    verify_pair(world, pair, damage, checks);
  std::vector<int> groups = parallel::group_sizes(world.size());
  if (groups.empty()) groups.push_back(1);
  for (int ranks : groups) {
    const bool one_host = widest_level(placements, ranks, "node") != "node";
    verify_group(world, ranks, one_host, damage, checks);
  }
}

}  // namespace hakaru::probes::messages
