#include "probes/messages/sizes.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

namespace hakaru::probes::messages {

std::vector<std::int64_t> powers_of_two(std::int64_t maximum_bytes) {
  std::vector<std::int64_t> sizes{0};
  for (std::int64_t bytes = 1; bytes < maximum_bytes; bytes *= 2) sizes.push_back(bytes);
  if (maximum_bytes > 0) sizes.push_back(maximum_bytes);
  return sizes;
}

std::optional<std::vector<std::int64_t>> parse_sizes(const std::string& list,
                                                     std::int64_t maximum_bytes) {
  std::vector<std::int64_t> sizes;
  std::istringstream stream(list);
  for (std::string word; std::getline(stream, word, ',');) {
    std::int64_t bytes = -1;
    const char* end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, bytes);
    if (error != std::errc{} || stop != end || bytes < 0 || bytes > maximum_bytes)
      return std::nullopt;
    sizes.push_back(bytes);
  }
  if (sizes.empty()) return std::nullopt;
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

std::vector<std::int64_t> geometric_sizes(std::int64_t maximum_bytes, int per_octave) {
  std::vector<std::int64_t> sizes;
  for (int k = 0;; ++k) {
    const std::int64_t bytes = std::llround(std::exp2(static_cast<double>(k) / per_octave));
    if (bytes >= maximum_bytes) break;
    if (sizes.empty() || bytes > sizes.back()) sizes.push_back(bytes);
  }
  sizes.push_back(maximum_bytes);
  return sizes;
}

std::vector<int> group_sizes(int ranks) {
  std::vector<int> sizes;
  for (int size = 2; size < ranks; size *= 2) sizes.push_back(size);
  if (ranks > 1) sizes.push_back(ranks);
  return sizes;
}

}  // namespace hakaru::probes::messages
