// The points of each experiment: what is measured, and into which table it goes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "native/harness/program.hpp"
#include "probes/messages/collective.hpp"
#include "probes/messages/point_to_point.hpp"
#include "probes/messages/rounds.hpp"
#include "probes/messages/sizes.hpp"

namespace hakaru::probes::messages {

// Declares the tables that the experiments fill.
void describe_tables(base::Description& description);

// Iterations of one sample by IMB's rule: 1000, fewer when they would move more than 40 MB.
int imb_iterations(std::int64_t bytes);

// Cost of reading the clock on rank 0, which the fits take out of waiting times and of single
// calls, and what others take of its processor while no message is under way.
void sample_clock(harness::Run& run, int samples);

// For each size a ping-pong, an exchange in both directions at once, the same with work that lasts
// as long between start and wait, and a window of messages started at once; for some of them
// ping-pongs of data in pieces, with work before each send, and across hosts what messages take of
// processors beside the calls.
std::vector<Point> ping_pong_points(harness::Run& run, PointToPoint& messages, int pair,
                                    const std::vector<std::int64_t>& sizes, bool across_hosts);

// Ping-pongs of 4, 16, ... times `from_bytes`, as long as `to_bytes` and the budget allow: messages
// that fit no cache. Collective over the pair; samples go to the table of ping-pongs.
std::vector<Point> long_points(harness::Run& run, PointToPoint& messages, int pair,
                               std::int64_t from_bytes, std::int64_t to_bytes,
                               const Budget& budget);

// Round trips PRTT(1, 0, s) at powers of two, until `seconds` are used up. Collective.
std::vector<RoundTrip> sound(PointToPoint& messages, std::int64_t maximum_bytes, double seconds);

// For each size PRTT(1, 0, s), PRTT(train, 0, s), PRTT(spaced, d, s) with d = PRTT(1, 0, s), and
// the delayed receives with d = 4 PRTT(1, 0, s), after computing and after polling (20 us more).
std::vector<Point> loggp_points(harness::Run& run, PointToPoint& messages, int pair, int train,
                                int spaced, const std::vector<std::int64_t>& sizes);

// Between which sizes, at most `longest_bytes`, the send of a message begins to wait for its
// receive, by halving; no row where none waits. Collective over the pair.
void narrow_eager_limit(harness::Run& run, PointToPoint& messages, int pair,
                        std::int64_t longest_bytes);

// Every operation at every size, ascending.
std::vector<Point> collective_points(harness::Run& run, Collectives& collectives, int ranks,
                                     const std::string& level, std::int64_t maximum_bytes);

}  // namespace hakaru::probes::messages
