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

// Distinct rounded values of 2^(k/per_octave) B from 1 B up to and including maximum_bytes.
std::vector<std::int64_t> geometric_sizes(std::int64_t maximum_bytes, int per_octave);

// 2, 4, 8, ... below `ranks`, and `ranks`; empty for one rank.
std::vector<int> group_sizes(int ranks);

}  // namespace hakaru::probes::messages
