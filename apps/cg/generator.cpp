#include "apps/cg/generator.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace hakaru::apps::cg {
namespace {

// x_{k+1} = 5^13 x_k mod 2^46
class Random {
 public:
  std::uint64_t next() {
    return state_ = state_ * 1'220'703'125 & ((std::uint64_t{1} << bits) - 1);
  }
  static constexpr int bits = 46;

 private:
  std::uint64_t state_ = 314'159'265;
};

}  // namespace

SparseVectors generating_vectors(const Problem& problem) {
  Random random;
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
      const double value = std::ldexp(static_cast<double>(random.next()), -Random::bits);
      const auto place = static_cast<std::int64_t>(random.next() >> (Random::bits - place_bits));
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
