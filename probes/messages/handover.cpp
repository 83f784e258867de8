#include "probes/messages/handover.hpp"

#include "native/base/clock.hpp"
#include "native/base/handover.hpp"

namespace hakaru::probes::messages {
namespace {

constexpr int tag = 4;

// Seconds of a round trip between the first and the last rank, mean of `iterations` after two that
// are not timed; 0 on the others.
double round_trip_s(const parallel::Communicator& communicator, int iterations) {
  constexpr int warmup = 2;
  const int rank = communicator.rank(), last = communicator.size() - 1;
  if (rank != 0 && rank != last) return 0.0;
  const int other = rank == 0 ? last : 0;
  const auto send = [&] {
    HAKARU_MPI(MPI_Send(nullptr, 0, MPI_BYTE, other, tag, communicator.handle()));
  };
  const auto receive = [&] {
    HAKARU_MPI(
        MPI_Recv(nullptr, 0, MPI_BYTE, other, tag, communicator.handle(), MPI_STATUS_IGNORE));
  };
  double start_s = 0.0;
  for (int i = -warmup; i < iterations; ++i) {
    if (i == 0) start_s = base::now_s();
    if (rank == 0) send();
    receive();
    if (rank != 0) send();
  }
  return (base::now_s() - start_s) / iterations;
}

}  // namespace

void describe_handover(base::Description& description) {
  description.table("handover",
                    {{"part", "text"}, {"other", "1"}, {"repetition", "1"}, {"seconds", "s"}},
                    "half of a round trip of an empty message between rank 0 and this other, when "
                    "a round of a part began");
}

Point handover_point(harness::Run& run, const parallel::Communicator& communicator, int other,
                     const std::string& part) {
  Point point;
  point.bytes = 0;
  point.most_iterations = base::handover_trains * base::handover_trips;
  point.measure = [&communicator](int iterations) {
    return round_trip_s(communicator, iterations);
  };
  point.keep = [&run, other, part](int repetition, double seconds) {
    run.table("handover").row({part, other, repetition, 0.5 * seconds});
  };
  return point;
}

}  // namespace hakaru::probes::messages
