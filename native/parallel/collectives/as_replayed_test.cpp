// What the algorithms send is what the replay engine expands under the same names: each rank's
// messages in the same order, with the same partners and lengths.
#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "native/parallel/collectives/algorithms.hpp"
#include "native/parallel/test_main.hpp"
#include "native/replay/engine/collectives/algorithm.hpp"

namespace {

using Sent = std::vector<std::pair<int, std::uint64_t>>;  // (to, bytes)
Sent sent;

void keep(int to, int count, MPI_Datatype type) {
  int bytes = 0;
  PMPI_Type_size(type, &bytes);
  sent.emplace_back(to, static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(bytes));
}

}  // namespace

// MPI's profiling interface: the test's own calls come here first.
extern "C" int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag,
                        MPI_Comm comm) {
  keep(to, count, type);
  return PMPI_Send(data, count, type, to, tag, comm);
}
extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag,
                         MPI_Comm comm, MPI_Request* request) {
  keep(to, count, type);
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}
extern "C" int MPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int to,
                            int out_tag, void* in, int in_count, MPI_Datatype in_type, int from,
                            int in_tag, MPI_Comm comm, MPI_Status* status) {
  keep(to, out_count, out_type);
  return PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag,
                       comm, status);
}

namespace hakaru::parallel::collectives {
namespace {

// Divided by 1 ... 9 into whole doubles.
constexpr std::uint64_t length = 8 * 2520;

Sent expanded(schedule::Collective what, const std::string& name, const Communicator& world,
              std::uint64_t bytes) {
  const replay::Algorithm* algorithm = replay::find_algorithm(what, name);
  EXPECT_NE(algorithm, nullptr) << name;
  Sent messages;
  if (algorithm == nullptr || world.size() == 1) return messages;
  const replay::Call call{what, world.rank(), world.size(), 0, bytes, nullptr};
  replay::Exchange exchange;
  for (std::uint32_t step = 0; algorithm->steps(call, step, exchange); ++step) {
    if (exchange.send_to >= 0) messages.emplace_back(exchange.send_to, exchange.send_bytes);
    exchange = {};
  }
  return messages;
}

void compare(schedule::Collective what, const std::string& name, std::uint64_t bytes,
             const std::function<void(const Communicator&)>& run) {
  const auto world = Communicator::world();
  sent.clear();
  run(world);
  EXPECT_EQ(sent, expanded(what, name, world, bytes))
      << name << " on rank " << world.rank() << " of " << world.size();
}

TEST(AsReplayed, Allgather) {
  for (const auto& one : allgathers())
    compare(schedule::Collective::allgather, one.name, length, [&](const Communicator& world) {
      const std::vector<std::byte> own(length);
      std::vector<std::byte> all(length * static_cast<std::size_t>(world.size()));
      one.run(world, own.data(), all.data(), length);
    });
}

TEST(AsReplayed, Alltoall) {
  for (const auto& one : alltoalls())
    compare(schedule::Collective::alltoall, one.name, length, [&](const Communicator& world) {
      const std::vector<std::byte> out(length * static_cast<std::size_t>(world.size()));
      std::vector<std::byte> in(out.size());
      one.run(world, out.data(), in.data(), length);
    });
}

TEST(AsReplayed, Allreduce) {
  for (const auto& one : allreduces())
    compare(schedule::Collective::allreduce, one.name, length, [&](const Communicator& world) {
      std::vector<double> values(length / 8, 1.0);
      one.run(world, values);
    });
}

TEST(AsReplayed, Broadcast) {
  for (const auto& one : broadcasts())
    compare(schedule::Collective::broadcast, one.name, length, [&](const Communicator& world) {
      std::vector<std::byte> data(length);
      one.run(world, data.data(), length, 0);
    });
}

TEST(AsReplayed, AnotherAlgorithmDiffers) {
  const auto world = Communicator::world();
  if (world.size() < 4) return;
  EXPECT_NE(expanded(schedule::Collective::allreduce, "ring", world, length),
            expanded(schedule::Collective::allreduce, "rabenseifner", world, length));
}

}  // namespace
}  // namespace hakaru::parallel::collectives

HAKARU_MPI_TEST_MAIN()
