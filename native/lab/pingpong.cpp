// What MPI programs see of a network: one-way times between rank 0 and rank 1 by message size, and
// the rate of a stream. Prints raw samples as JSON; `hakaru lab check` makes the table.
#include <mpi.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "native/base/clock.hpp"
#include "native/base/require.hpp"
#include "native/parallel/communicator.hpp"
#include "native/parallel/environment.hpp"

namespace hakaru::lab {
namespace {

constexpr std::size_t sizes_bytes[] = {8, 1024, 16384, 65536, 1048576, 4194304};
constexpr int stream_message_bytes = 1 << 20, stream_messages = 16;
constexpr int warm_up = 5;
constexpr double time_per_size_s = 0.4;
constexpr int fewest_samples = 10, most_samples = 2000;

void there_and_back(std::vector<char>& message, std::size_t bytes, int rank) {
  const int count = static_cast<int>(bytes);
  for (const int sender : {0, 1}) {
    if (rank == sender)
      HAKARU_MPI(MPI_Send(message.data(), count, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD));
    else
      HAKARU_MPI(MPI_Recv(message.data(), count, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE));
  }
}

// Half round trips in s. Rank 0 decides after the warm-up how many there will be.
std::vector<double> one_way_samples(std::vector<char>& message, std::size_t bytes, int rank) {
  double begin_s = 0.0;
  for (int index = 0; index < warm_up; ++index) {
    begin_s = base::now_s();
    there_and_back(message, bytes, rank);
  }
  const double round_trip_s = base::now_s() - begin_s;
  int count = static_cast<int>(time_per_size_s / (round_trip_s + 1e-7));
  count = std::min(std::max(count, fewest_samples), most_samples);
  HAKARU_MPI(MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD));
  std::vector<double> samples_s;
  for (int index = 0; index < count; ++index) {
    begin_s = base::now_s();
    there_and_back(message, bytes, rank);
    samples_s.push_back((base::now_s() - begin_s) / 2);
  }
  return samples_s;
}

// Time of messages that are all under way at once, and of the empty answer to the last, in s.
double stream_s(std::vector<char>& message, int rank) {
  const double begin_s = base::now_s();
  std::vector<MPI_Request> requests(stream_messages);
  for (MPI_Request& request : requests) {
    const auto call =
        rank == 0 ? MPI_Isend(message.data(), stream_message_bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD,
                              &request)
                  : MPI_Irecv(message.data() + (&request - requests.data()) * stream_message_bytes,
                              stream_message_bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request);
    HAKARU_MPI(call);
  }
  HAKARU_MPI(MPI_Waitall(stream_messages, requests.data(), MPI_STATUSES_IGNORE));
  if (rank == 1)
    HAKARU_MPI(MPI_Send(nullptr, 0, MPI_CHAR, 0, 1, MPI_COMM_WORLD));
  else
    HAKARU_MPI(MPI_Recv(nullptr, 0, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  return base::now_s() - begin_s;
}

nlohmann::json stream_samples(std::vector<char>& message, int rank) {
  constexpr int repetitions = 5;
  constexpr double bytes = static_cast<double>(stream_messages) * stream_message_bytes;
  stream_s(message, rank);
  std::vector<double> rates;
  for (int index = 0; index < repetitions; ++index)
    rates.push_back(bytes / stream_s(message, rank));
  return rates;
}

std::vector<std::string> hosts(int ranks) {
  std::vector<char> names(static_cast<std::size_t>(ranks) * MPI_MAX_PROCESSOR_NAME);
  char own[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0;
  HAKARU_MPI(MPI_Get_processor_name(own, &length));
  HAKARU_MPI(MPI_Allgather(own, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, names.data(),
                           MPI_MAX_PROCESSOR_NAME, MPI_CHAR, MPI_COMM_WORLD));
  std::vector<std::string> result;
  for (int rank = 0; rank < ranks; ++rank)
    result.emplace_back(&names[rank * MPI_MAX_PROCESSOR_NAME]);
  return result;
}

void measure() {
  const auto world = parallel::Communicator::world();
  base::require(world.size() == 2, "the ping-pong has " + std::to_string(world.size()) + " ranks",
                "it is between two", "start it with -n 2");
  nlohmann::json result = {{"hosts", hosts(world.size())}, {"points", nlohmann::json::array()}};
  std::vector<char> message(static_cast<std::size_t>(stream_messages) * stream_message_bytes);
  for (const std::size_t bytes : sizes_bytes)
    result["points"].push_back(
        {{"bytes", bytes}, {"one_way_s", one_way_samples(message, bytes, world.rank())}});
  result["stream_bytes_per_s"] = stream_samples(message, world.rank());
  if (world.rank() == 0) std::printf("%s\n", result.dump().c_str());
}

}  // namespace
}  // namespace hakaru::lab

int main(int argument_count, char** arguments) {
  using namespace hakaru;
  try {
    const parallel::Environment environment(argument_count, arguments, MPI_THREAD_SINGLE);
    lab::measure();
    return 0;
  } catch (const base::UserError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    parallel::abort(static_cast<int>(base::ExitCode::environment));
  }
}
