#include "probes/messages/experiments.hpp"

#include <algorithm>

#include "native/base/chain.hpp"
#include "native/base/clock.hpp"
#include "native/base/system.hpp"
#include "probes/messages/served.hpp"
#include "probes/messages/verification.hpp"

namespace hakaru::probes::messages {
namespace {

constexpr int most_trains = 300, most_delayed_receives = 100, most_polled_receives = 20;
constexpr int most_worked = 100;

// Many progress calls long, so that a send that needs some of them stands out from one that needs
// the receive.
constexpr double polling_s = 20e-6;

// What the points of one size share.
struct LoggpState {
  double round_trip_s = 0.0;  // PRTT(1, 0, s), the same on both ranks
  TrainTime train{};          // the last
  DelayedReceiveTime delayed{};
};

Point train_point(harness::Run& run, PointToPoint& messages, int pair, int count, bool delayed,
                  std::int64_t bytes, std::shared_ptr<LoggpState> state) {
  Point point;
  point.bytes = bytes;
  point.most_iterations = most_trains;
  point.measure = [&messages, count, delayed, bytes, state](int iterations) {
    const double delay_s = delayed ? state->round_trip_s : 0.0;
    state->train = messages.train(count, delay_s, bytes, iterations);
    return state->train.seconds;
  };
  point.keep = [&run, pair, count, delayed, bytes, state](int repetition, double seconds) {
    run.table("prtt").row({pair, count, state->train.delay_s, bytes, repetition, seconds});
    if (!delayed) return;
    const auto& [train_s, delay_s, stolen_s] = state->train;
    run.table("stolen").row({pair, "send", bytes, repetition, delay_s, stolen_s});
  };
  if (count == 1) point.estimated = [state](double seconds) { state->round_trip_s = seconds; };
  return point;
}

Point delayed_receive_point(harness::Run& run, PointToPoint& messages, int pair, Until until,
                            std::int64_t bytes, std::shared_ptr<LoggpState> state) {
  Point point;
  point.bytes = bytes;
  point.most_iterations = until == Until::polling ? most_polled_receives : most_delayed_receives;
  point.measure = [&messages, until, bytes, state](int iterations) {
    const double delay_s = 4.0 * state->round_trip_s + (until == Until::polling ? polling_s : 0.0);
    state->delayed = messages.delayed_receive(until, delay_s, bytes, iterations);
    return state->delayed.delay_s + state->delayed.receive_s + state->round_trip_s;
  };
  point.keep = [&run, pair, until, bytes, state](int repetition, double) {
    const auto& [receive_s, send_s, delay_s, stolen_s] = state->delayed;
    if (until == Until::polling)
      return run.table("unexpected_send").row({pair, bytes, repetition, delay_s, send_s});
    run.table("receive_overhead").row({pair, bytes, repetition, delay_s, receive_s, send_s});
    run.table("stolen").row({pair, "receive", bytes, repetition, delay_s, stolen_s});
  };
  return point;
}

}  // namespace

int imb_iterations(std::int64_t bytes) {
  constexpr std::int64_t most = 1000, volume_bytes = 40'000'000;
  return static_cast<int>(
      std::clamp(volume_bytes / std::max<std::int64_t>(bytes, 1), std::int64_t{1}, most));
}

void sample_clock(harness::Run& run, int samples) {
  constexpr int reads = 2000;
  constexpr double quiet_s = 8e-3;  // some ticks of the kernel
  for (int repetition = 0; repetition < samples; ++repetition) {
    const double start = base::now_s();
    double last = start;
    for (int i = 0; i < reads; ++i) last = base::now_s();
    run.table("clock").row({repetition, (last - start) / reads});
    const Waited quiet = wait_computing(quiet_s);
    run.table("quiet").row({repetition, quiet.seconds, quiet.stolen_s});
  }
}

namespace {

// Work that keeps messages apart. Exchanges of up to 64 B are 30 % longer right after each other,
// and no longer 50 ns later; those of 32 KiB 10 %, and no longer 300 ns later (Open MPI 4.1, AMD
// EPYC, Zen 5).
double apart_s(std::int64_t bytes) {
  constexpr std::int64_t short_bytes = 1024;
  return bytes <= short_bytes ? base::apart_s : 3 * base::apart_s;
}

Point exchange_point(harness::Run& run, PointToPoint& messages, int pair, std::int64_t bytes,
                     const char* table, double apart, Requests of = Requests::new_ones) {
  Point point;
  point.bytes = bytes;
  point.most_iterations = imb_iterations(bytes);
  point.measure = [&messages, bytes, apart, of](int iterations) {
    return messages.both_ways(bytes, iterations, apart, of);
  };
  point.keep = [&run, pair, bytes, table](int repetition, double seconds) {
    run.table(table).row({pair, bytes, repetition, seconds});
  };
  return point;
}

// An exchange in both directions, and work beside it.
void add_both_ways(harness::Run& run, PointToPoint& messages, int pair, std::int64_t bytes,
                   std::vector<Point>& points) {
  const auto exchange_s = std::make_shared<double>(0.0);
  const auto found = std::make_shared<WorkedExchange>();
  Point both = exchange_point(run, messages, pair, bytes, "both_ways", 0.0);
  both.estimated = [exchange_s](double seconds) { *exchange_s = seconds; };
  points.push_back(std::move(both));
  points.push_back(exchange_point(run, messages, pair, bytes, "apart", apart_s(bytes)));
  if (shows_requests(bytes))
    points.push_back(exchange_point(run, messages, pair, bytes, "persistent", apart_s(bytes),
                                    Requests::persistent));
  Point work;
  work.bytes = bytes;
  work.most_iterations = most_worked;
  work.measure = [&messages, bytes, exchange_s, found](int iterations) {
    *found = messages.post_work_wait(*exchange_s, bytes, iterations);
    return found->seconds;
  };
  work.keep = [&run, pair, bytes, found](int repetition, double seconds) {
    run.table("post_work_wait").row({pair, bytes, repetition, found->work_s, seconds});
  };
  points.push_back(std::move(work));
}

}  // namespace

namespace {

constexpr int window_messages = 64, fewest_window_messages = 4;
constexpr std::int64_t window_volume_bytes = 256 << 10;  // slow networks carry it, too

Point window_point(harness::Run& run, PointToPoint& messages, int pair, std::int64_t bytes) {
  const int count = static_cast<int>(
      std::clamp<std::int64_t>(window_volume_bytes / std::max<std::int64_t>(bytes, 1),
                               fewest_window_messages, window_messages));
  Point point;
  point.bytes = bytes;
  point.most_iterations = imb_iterations(bytes * count);
  point.measure = [&messages, bytes, count](int iterations) {
    return messages.window(count, bytes, iterations);
  };
  point.keep = [&run, pair, bytes, count](int repetition, double seconds) {
    run.table("window").row({pair, count, bytes, repetition, seconds});
  };
  return point;
}

Point posting_point(harness::Run& run, PointToPoint& messages, int pair, std::int64_t bytes) {
  const auto found = std::make_shared<PostingTime>();
  Point point;
  point.bytes = bytes;
  point.most_iterations = most_worked;
  point.measure = [&messages, bytes, found](int iterations) {
    *found = messages.posting(bytes, iterations);
    return found->seconds;
  };
  point.keep = [&run, pair, bytes, found](int repetition, double) {
    run.table("posting").row({pair, bytes, repetition, found->post_s, found->apart_s});
  };
  return point;
}

void add_in_pieces(harness::Run& run, PointToPoint& messages, int pair, std::int64_t bytes,
                   std::vector<Point>& points) {
  for (const std::int64_t piece : pieces_of(bytes)) {
    Point point;
    point.bytes = bytes;
    point.most_iterations = imb_iterations(bytes);
    point.measure = [&messages, bytes, piece](int iterations) {
      return 2.0 * messages.ping_pong_in_pieces(bytes, piece, iterations);
    };
    point.keep = [&run, pair, bytes, piece](int repetition, double seconds) {
      run.table("in_pieces").row({pair, bytes, piece, repetition, 0.5 * seconds});
    };
    points.push_back(std::move(point));
  }
}

void add_after_work(harness::Run& run, PointToPoint& messages, int pair, std::int64_t bytes,
                    std::vector<Point>& points) {
  for (const Work& work : works_before(bytes, base::own_cache_bytes())) {
    const auto found = std::make_shared<AfterWork>();
    Point point;
    point.bytes = bytes;
    point.most_iterations = most_worked;
    point.measure = [&messages, bytes, work, found](int iterations) {
      *found = messages.exchange_after_work(work, bytes, iterations);
      return found->seconds;
    };
    point.keep = [&run, pair, bytes, work, found](int repetition, double) {
      run.table("worked_before")
          .row({pair, bytes, work.seconds, work.memory_bytes, repetition, found->cold_s,
                found->exchange_s});
    };
    points.push_back(std::move(point));
  }
}

}  // namespace

namespace {

// Beyond most caches, where nothing of what filled the memory is left in them (of a Xeon with a
// third cache of hundreds of MiB 16 MiB take 0.6 ms longer the first time, 64 MiB no more).
constexpr std::int64_t least_fresh_bytes = 16 << 20, most_fresh_bytes = 64 << 20;

Point fresh_point(harness::Run& run, PointToPoint& messages, int pair, std::int64_t bytes) {
  const int uses = bytes < least_fresh_bytes ? 12 : 4;  // caches come to hold none of the longest
  return whole_point(
      bytes, [&messages, bytes, uses] { return messages.in_fresh_memory(bytes, uses); },
      [&run, pair, bytes](int repetition, const std::vector<double>& one) {
        for (std::size_t use = 0; use < one.size(); ++use)
          run.table("fresh").row({pair, bytes, use + 1, repetition, one[use]});
      });
}

// Of half a round trip, which `half_s` gives of so many.
template <class Half>
Point round_trip_point(harness::Run& run, int pair, std::int64_t bytes, const char* table,
                       Half half_s) {
  Point point;
  point.bytes = bytes;
  point.most_iterations = imb_iterations(bytes);
  point.measure = [half_s](int iterations) { return 2.0 * half_s(iterations); };
  point.keep = [&run, pair, bytes, table](int repetition, double seconds) {
    run.table(table).row({pair, bytes, repetition, 0.5 * seconds});
  };
  return point;
}

Point large_pages_point(harness::Run& run, PointToPoint& messages, int pair, std::int64_t bytes) {
  return round_trip_point(run, pair, bytes, "large_pages", [&messages, bytes](int iterations) {
    return messages.ping_pong_in_large_pages(bytes, iterations);
  });
}

Point ping_pong_point(harness::Run& run, PointToPoint& messages, int pair, std::int64_t bytes,
                      const char* table = "pingpong", double apart = 0.0) {
  return round_trip_point(run, pair, bytes, table, [&messages, bytes, apart](int iterations) {
    return messages.ping_pong(bytes, iterations, apart);
  });
}

}  // namespace

std::vector<Point> ping_pong_points(harness::Run& run, PointToPoint& messages, int pair,
                                    const std::vector<std::int64_t>& sizes, bool across_hosts) {
  std::vector<Point> points;
  for (std::int64_t bytes : sizes) {
    points.push_back(ping_pong_point(run, messages, pair, bytes));
    points.push_back(ping_pong_point(run, messages, pair, bytes, "pingpong_apart", apart_s(bytes)));
    add_both_ways(run, messages, pair, bytes, points);
    points.push_back(window_point(run, messages, pair, bytes));
    if (shows_requests(bytes)) points.push_back(posting_point(run, messages, pair, bytes));
    add_in_pieces(run, messages, pair, bytes, points);
    add_after_work(run, messages, pair, bytes, points);
    if (!across_hosts && shows_pages(bytes))
      points.push_back(large_pages_point(run, messages, pair, bytes));
    if (!across_hosts && shows_uses(bytes))
      points.push_back(fresh_point(run, messages, pair, bytes));
    if (!across_hosts) continue;
    for (Point& one : served_points(run, messages.communicator(), pair, bytes))
      points.push_back(std::move(one));
  }
  return points;
}

std::vector<Point> long_points(harness::Run& run, PointToPoint& messages, int pair,
                               std::int64_t from_bytes, std::int64_t to_bytes,
                               const Budget& budget) {
  constexpr int trials = 3;  // of a size: two warm-ups and one round trip
  double expected_s = 2.0 * trials * budget.rounds * messages.ping_pong(from_bytes, 1);
  HAKARU_MPI(MPI_Bcast(&expected_s, 1, MPI_DOUBLE, 0, messages.communicator().handle()));
  std::vector<Point> points;
  for (std::int64_t bytes = 4 * from_bytes; bytes <= to_bytes; bytes *= 4) {
    expected_s *= 4.0;
    if (expected_s > budget.seconds) break;
    points.push_back(ping_pong_point(run, messages, pair, bytes));
    points.back().most_iterations = 1;
  }
  if (points.empty()) return points;
  messages.reserve(points.back().bytes);
  const auto longer = std::find_if(points.begin() + 1, points.end(),
                                   [](const Point& one) { return one.bytes > most_fresh_bytes; });
  const std::int64_t fresh_bytes = std::prev(longer)->bytes;
  if (fresh_bytes >= least_fresh_bytes)
    points.insert(longer, fresh_point(run, messages, pair, fresh_bytes));
  return points;
}

std::vector<RoundTrip> sound(PointToPoint& messages, std::int64_t maximum_bytes, double seconds) {
  std::vector<RoundTrip> found;
  double spent_s = 0.0;
  for (std::int64_t bytes : geometric_sizes(maximum_bytes, 1)) {
    double one_s = std::min(messages.train(1, 0.0, bytes, 1).seconds,
                            messages.train(1, 0.0, bytes, 1).seconds);
    HAKARU_MPI(MPI_Bcast(&one_s, 1, MPI_DOUBLE, 0, messages.communicator().handle()));
    found.push_back({bytes, one_s});
    spent_s += 4.0 * one_s;
    if (spent_s > seconds) break;
  }
  return found;
}

std::vector<Point> loggp_points(harness::Run& run, PointToPoint& messages, int pair, int train,
                                int spaced, const std::vector<std::int64_t>& sizes) {
  std::vector<Point> points;
  for (std::int64_t bytes : sizes) {
    const auto state = std::make_shared<LoggpState>();
    points.push_back(train_point(run, messages, pair, 1, false, bytes, state));
    points.push_back(train_point(run, messages, pair, train, false, bytes, state));
    points.push_back(train_point(run, messages, pair, spaced, true, bytes, state));
    for (Until until : {Until::computing, Until::polling})
      points.push_back(delayed_receive_point(run, messages, pair, until, bytes, state));
  }
  return points;
}

namespace {

// Whether a send of so much waits for its receive. Another program can delay one that does not, so
// it does only if it does each time.
bool send_waits(PointToPoint& messages, std::int64_t bytes) {
  constexpr int trials = 2;
  constexpr double waiting_share = 0.5;  // of the receiver's delay
  const double round_trip_s = messages.train(1, 0.0, bytes, 1).seconds;
  for (int trial = 0; trial < trials; ++trial) {
    const DelayedReceiveTime one =
        messages.delayed_receive(Until::polling, 2.0 * round_trip_s + polling_s, bytes, 1);
    if (one.send_s < waiting_share * one.delay_s) return false;
  }
  return true;
}

}  // namespace

void narrow_eager_limit(harness::Run& run, PointToPoint& messages, int pair,
                        std::int64_t longest_bytes) {
  constexpr std::int64_t near_enough = 512;  // parts of the limit
  if (!send_waits(messages, longest_bytes)) return;
  std::int64_t low = 0, high = longest_bytes;
  while (high - low > std::max<std::int64_t>(low / near_enough, 1)) {
    const std::int64_t middle = low + (high - low) / 2;
    (send_waits(messages, middle) ? high : low) = middle;
  }
  if (messages.communicator().rank() == 0) run.table("eager").row({pair, low, high});
}

std::vector<Point> collective_points(harness::Run& run, Collectives& collectives, int ranks,
                                     const std::string& level, std::int64_t maximum_bytes) {
  std::vector<Point> points;
  for (Operation operation : all_operations())
    for (std::int64_t bytes : sizes_of(operation, maximum_bytes, ranks)) {
      Point point;
      point.bytes = bytes;
      point.most_iterations = imb_iterations(bytes);
      point.measure = [&collectives, operation, bytes](int iterations) {
        return collectives.seconds(operation, bytes, iterations);
      };
      point.keep = [&run, operation, ranks, level, bytes](int repetition, double seconds) {
        run.table("collectives")
            .row({name_of(operation), ranks, level, bytes, repetition, seconds});
      };
      points.push_back(std::move(point));
    }
  std::stable_sort(points.begin(), points.end(),
                   [](const Point& a, const Point& b) { return a.bytes < b.bytes; });
  return points;
}

}  // namespace hakaru::probes::messages
