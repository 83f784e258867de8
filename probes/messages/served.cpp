#include "probes/messages/served.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>

#include "native/base/clock.hpp"
#include "probes/messages/sizes.hpp"

namespace hakaru::probes::messages {
namespace {

constexpr int served_tag = 4;

}  // namespace

Served::Served(const parallel::Communicator& pair, std::int64_t maximum_bytes)
    : pair_(pair),
      other_(1 - pair.rank()),
      outgoing_(static_cast<std::size_t>(maximum_bytes), 1),
      incoming_(static_cast<std::size_t>(maximum_bytes), 0) {}

double Served::alone_s(std::int64_t steps, int count) {
  pair_.barrier();
  std::vector<double> each_s(static_cast<std::size_t>(count));
  for (double& one_s : each_s) {
    const double start = base::now_s();
    chain_.run(steps);
    one_s = base::now_s() - start;
  }
  const auto middle = each_s.begin() + count / 2;
  std::nth_element(each_s.begin(), middle, each_s.end());
  return pair_.sum(*middle) / 2;
}

void Served::answer(int client) {
  if (pair_.rank() == client)
    HAKARU_MPI(
        MPI_Recv(nullptr, 0, MPI_BYTE, other_, served_tag, pair_.handle(), MPI_STATUS_IGNORE));
  else
    HAKARU_MPI(MPI_Send(nullptr, 0, MPI_BYTE, other_, served_tag, pair_.handle()));
}

double Served::row_from(int client, std::int64_t steps, int bytes, int count) {
  double start = 0.0, seconds = 0.0;
  answer(client);
  for (int i = -count; i < count; ++i) {
    if (i == 0) start = base::now_s();
    if (pair_.rank() == client) {
      chain_.run(steps);
      HAKARU_MPI(MPI_Send(outgoing_.data(), bytes, MPI_BYTE, other_, served_tag, pair_.handle()));
    } else {
      HAKARU_MPI(MPI_Recv(incoming_.data(), bytes, MPI_BYTE, other_, served_tag, pair_.handle(),
                          MPI_STATUS_IGNORE));
      chain_.run(steps);
    }
  }
  if (pair_.rank() == client) seconds = (base::now_s() - start) / count;
  answer(client);
  return pair_.sum(seconds);
}

ServedTime Served::sends_in_row(double work_s, std::int64_t bytes, int count) {
  const std::int64_t steps = chain_.steps(work_s);
  const int length = static_cast<int>(bytes);
  const double seconds =
      (row_from(0, steps, length, count) + row_from(1, steps, length, count)) / 2;
  return {seconds, alone_s(steps, count)};
}

double Served::lagged_s(std::int64_t steps, int bytes, int lag, int count) {
  std::vector<MPI_Request> sends(static_cast<std::size_t>(lag) + 1, MPI_REQUEST_NULL);
  const auto receive = [&] {
    HAKARU_MPI(MPI_Recv(incoming_.data(), bytes, MPI_BYTE, other_, served_tag, pair_.handle(),
                        MPI_STATUS_IGNORE));
  };
  double start = 0.0;
  for (int i = -lag - count; i < count; ++i) {
    if (i == 0) start = base::now_s();
    MPI_Request& own = sends[static_cast<std::size_t>(i + lag + count) % sends.size()];
    HAKARU_MPI(MPI_Wait(&own, MPI_STATUS_IGNORE));
    HAKARU_MPI(
        MPI_Isend(outgoing_.data(), bytes, MPI_BYTE, other_, served_tag, pair_.handle(), &own));
    chain_.run(steps);
    if (i >= -count) receive();
  }
  const double seconds = (base::now_s() - start) / count;
  for (int i = 0; i < lag; ++i) receive();
  HAKARU_MPI(MPI_Waitall(lag + 1, sends.data(), MPI_STATUSES_IGNORE));
  return seconds;
}

ServedTime Served::lagged(double work_s, std::int64_t bytes, int lag, int count) {
  const std::int64_t steps = chain_.steps(work_s);
  pair_.barrier();
  const double seconds = lagged_s(steps, static_cast<int>(bytes), lag, count);
  return {pair_.sum(seconds) / 2, alone_s(steps, count)};
}

namespace {

// Timed in a row, and as many before: as long as what comes back needs to be under way, too.
constexpr int messages = 64;

// Without those that end before the wire is done with the message.
std::vector<double> longer_than_the_wire(const std::vector<double>& works, Served& served,
                                         std::int64_t bytes) {
  constexpr int lag = 8, trials = 16;  // as many under way as hide what their way takes
  const double wire_s =
      served.lagged(0.0, bytes, lag, trials).seconds - served.lagged(0.0, 0, lag, trials).seconds;
  std::vector<double> longer;
  std::copy_if(works.begin(), works.end(), std::back_inserter(longer),
               [&](double work_s) { return work_s > wire_s; });
  return longer;
}

// Turns until a message has come, with some to spare.
int lag_of(Served& served, std::int64_t bytes, double work_s) {
  constexpr int trials = 8;
  constexpr double spare = 1.5;
  // Each message of a row without lag waits for its way.
  const double way_s = served.lagged(0.0, bytes, 0, trials).seconds;
  return static_cast<int>(std::ceil(spare * way_s / work_s)) + 1;
}

}  // namespace

std::vector<Point> served_points(harness::Run& run, const parallel::Communicator& pair, int number,
                                 std::int64_t bytes) {
  if (works_between(bytes).empty()) return {};
  const auto served = std::make_shared<Served>(pair, bytes);
  const std::vector<double> works = longer_than_the_wire(works_between(bytes), *served, bytes);
  std::vector<Point> points;
  for (const double work_s : works)
    points.push_back(whole_point(
        bytes, [=] { return served->sends_in_row(work_s, bytes, messages); },
        [=, &run](int repetition, const ServedTime& one) {
          run.table("row").row({number, bytes, work_s, repetition, one.work_s, one.seconds});
        }));
  if (works.empty()) return points;
  const double work_s = works.back();
  const int lag = lag_of(*served, bytes, work_s);
  points.push_back(whole_point(
      bytes, [=] { return served->lagged(work_s, bytes, lag, messages); },
      [=, &run](int repetition, const ServedTime& one) {
        run.table("lagged").row({number, bytes, work_s, repetition, one.work_s, one.seconds});
      }));
  return points;
}

}  // namespace hakaru::probes::messages
