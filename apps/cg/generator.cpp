#include "apps/cg/generator.hpp"

#include <algorithm>
#include <bit>

#include "native/base/nas_random.hpp"

namespace hakaru::apps::cg {
SparseVectors generating_vectors(const Problem& problem) {
  base::nas::Random random;
  random.next();  // the benchmark draws one number before the matrix
  // Places are drawn between 0 and the next power of two; those beyond n are drawn again.
  const int place_bits = std::bit_width(static_cast<std::uint64_t>(problem.n - 1));
  SparseVectors vectors;
  vectors.starts.push_back(0);
  for (std::int64_t i = 0; i < problem.n; ++i) {
    const auto begin = static_cast<std::ptrdiff_t>(vectors.places.size());
    const auto find = [&](std::int64_t place) {
      return std::find(vectors.places.begin() + begin, vectors.places.end(), place) -
             vectors.places.begin();
    };
    while (static_cast<std::ptrdiff_t>(vectors.places.size()) - begin < problem.nonzer) {
      const double value = random.next();
      const auto place =
          static_cast<std::int64_t>(random.next_state() >> (base::nas::modulus_bits - place_bits));
      if (place >= problem.n || find(place) != static_cast<std::ptrdiff_t>(vectors.places.size()))
        continue;
      vectors.places.push_back(static_cast<std::int32_t>(place));
      vectors.values.push_back(value);
    }
    if (const auto at = find(i); at != static_cast<std::ptrdiff_t>(vectors.places.size())) {
      vectors.values[at] = 0.5;
    } else {
      vectors.places.push_back(static_cast<std::int32_t>(i));
      vectors.values.push_back(0.5);
    }
    vectors.starts.push_back(static_cast<std::int64_t>(vectors.places.size()));
  }
  return vectors;
}

}  // namespace hakaru::apps::cg
