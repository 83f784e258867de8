#include "apps/electrons/dense.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>

#include "native/base/blas_threads.hpp"

namespace {

using namespace hakaru::apps::electrons;

Block waves(std::size_t length, int count, double phase) {
  Block block(length, count);
  for (std::size_t i = 0; i < block.values.size(); ++i)
    block.values[i] = std::polar(1.0, phase + 0.7 * double(i * i % 1009));
  return block;
}

std::vector<Complex> products(int threads, const Block& a, const Block& b) {
  omp_set_num_threads(threads);
  std::vector<Complex> all = overlaps(a, b);
  Block sums(a.length, b.count);
  combine(a, all.data(), a.count, sums, false);
  combine(a, all.data(), a.count, sums, true);
  all.insert(all.end(), sums.values.begin(), sums.values.end());
  return all;
}

// A BLAS multiplies a single vector by another routine, which rounds differently.
TEST(Dense, ProductsHaveTheSameBitsOnAnyNumberOfThreads) {
  hakaru::base::use_one_blas_thread();
  for (const int count : {1, 2, 3, 5, 8}) {
    const Block a = waves(1728, 16, 0.1), b = waves(1728, count, 0.2);
    const std::vector<Complex> alone = products(1, a, b);
    for (const int threads : {2, 3, 4, 8})
      EXPECT_EQ(products(threads, a, b), alone) << count << " vectors, " << threads << " threads";
  }
}

}  // namespace
