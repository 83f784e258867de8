// Which message sizes and which numbers of ranks are measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hakaru::probes::messages {

// 0, 1, 2, 4, ... B up to and including maximum_bytes: the sizes of the Intel MPI Benchmarks.
std::vector<std::int64_t> powers_of_two(std::int64_t maximum_bytes);

// The ascending sizes of a list like "8,1024"; nothing when it is not a list of sizes from 0 to
// maximum_bytes.
std::optional<std::vector<std::int64_t>> parse_sizes(const std::string& list,
                                                     std::int64_t maximum_bytes);

// Lengths of the pieces in which a message of `bytes` is measured; none but for five sizes, below
// and above the limits of the usual protocols, the shortest that libraries send without gaps by a
// way of their own.
std::vector<std::int64_t> pieces_of(std::int64_t bytes);

// Whether messages of `bytes` show what persistent requests cost: some sizes below and above the
// limits up to which libraries send by ways of their own.
bool shows_requests(std::int64_t bytes);
// Of a few long messages, what pages they lie in.
bool shows_pages(std::int64_t bytes);
// What the first uses of its memory cost: the same, and one longer than the caches of a core.
bool shows_uses(std::int64_t bytes);

// Before messages that show what working costs them: how long ranks work, and over how much memory.
// The least is within the caches that a core has of its own, the next just beyond, so that a short
// time is enough to go over all of it, and of the most nothing of a message stays in the caches
// that cores share either.
struct Work {
  double seconds;
  std::int64_t memory_bytes;
  bool same_each_time;
};
inline constexpr std::int64_t beyond_all = 64 << 20;

// None but for six sizes; `own_bytes`: base::own_cache_bytes().
std::vector<Work> works_before(std::int64_t bytes, std::int64_t own_bytes);

// Between messages that show what they take of processors that serve a network; ascending, none but
// for three sizes.
std::vector<double> works_between(std::int64_t bytes);

// Distinct rounded values of 2^(k/per_octave) B from 1 B up to and including maximum_bytes.
std::vector<std::int64_t> geometric_sizes(std::int64_t maximum_bytes, int per_octave);

// How trains are thinned out where messages are slow.
struct Thinning {
  int below_per_octave, above_per_octave;  // sizes below and above 1 KiB
  int spaced;                              // messages of a train with delays
};

// From what is asked for to the least.
std::vector<Thinning> thinnings(int per_octave, int train);

// Sizes from 1 B to maximum_bytes, ascending.
std::vector<std::int64_t> thinned_sizes(std::int64_t maximum_bytes, const Thinning& thinning);

// A round trip of one message: measured at ascending sizes, linear between them, and on by the last
// slope.
struct RoundTrip {
  std::int64_t bytes;
  double seconds;
};
double round_trip_s(const std::vector<RoundTrip>& known, std::int64_t bytes);

// Seconds of one round of trains and delayed receives of that size: about 18 + `spaced` round
// trips, and `train` - 1 messages one behind the other.
double trains_s(const std::vector<RoundTrip>& known, std::int64_t bytes, int train, int spaced);

// Beyond the eager limits of the usual libraries.
inline constexpr std::int64_t far_enough = std::int64_t{256} << 10;

// The first thinning whose sizes up to min(maximum_bytes, far_enough) take at most `round_s`, else
// the last.
Thinning affordable(const std::vector<RoundTrip>& known, std::int64_t maximum_bytes, int per_octave,
                    int train, double round_s);

}  // namespace hakaru::probes::messages
