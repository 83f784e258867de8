#include "probes/messages/handover.hpp"

#include "native/base/handover.hpp"
#include "probes/messages/half_round_trip.hpp"

namespace hakaru::probes::messages {
namespace {

constexpr int tag = 4;

// Seconds of an empty message between the first and the last rank; 0 on the others.
double half_s(const parallel::Communicator& communicator, int iterations) {
  const int rank = communicator.rank(), last = communicator.size() - 1;
  if (rank != 0 && rank != last) return 0.0;
  const int other = rank == 0 ? last : 0;
  const auto send = [&] {
    HAKARU_MPI(MPI_Send(nullptr, 0, MPI_BYTE, other, tag, communicator.handle()));
  };
  return half_round_trip(iterations, [&] {
    if (rank == 0) send();
    HAKARU_MPI(
        MPI_Recv(nullptr, 0, MPI_BYTE, other, tag, communicator.handle(), MPI_STATUS_IGNORE));
    if (rank != 0) send();
  });
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
    return 2.0 * half_s(communicator, iterations);
  };
  point.keep = [&run, other, part](int repetition, double seconds) {
    run.table("handover").row({part, other, repetition, 0.5 * seconds});
  };
  return point;
}

}  // namespace hakaru::probes::messages
