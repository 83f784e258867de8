// Classes of the benchmark and their published results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "native/base/share.hpp"

namespace hakaru::apps::ep {

// log2 of the number of pairs; 0 when there is no such class.
int bits_of_class(const std::string& name);

struct Published {
  double x, y;                       // sums of the deviates
  std::vector<std::int64_t> counts;  // of the first bins; empty when not at hand
};

// Results for 2^bits pairs (NPB 3.4, EP), if published.
std::optional<Published> published(int bits);

// Batches that a rank works on: first ... first + count - 1.
base::Share batches_of_rank(int bits, int rank, int ranks);

}  // namespace hakaru::apps::ep
