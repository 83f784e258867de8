#include <gtest/gtest.h>
#include <omp.h>

#include <set>
#include <vector>

#include "apps/matmul/multiply.hpp"
#include "apps/matmul/product.hpp"
#include "apps/matmul/rows.hpp"
#include "native/base/blas_threads.hpp"

namespace hakaru::apps::matmul {
namespace {

TEST(Rows, EveryRowHasOneOwner) {
  for (const std::int64_t n : {1, 5, 12, 300})
    for (const int ranks : {1, 2, 3, 7, 64}) {
      std::set<std::int64_t> rows;
      for (int rank = 0; rank < ranks; ++rank) {
        const Rows own(n, rank, ranks);
        for (std::int64_t i = 0; i < own.own(); ++i) EXPECT_TRUE(rows.insert(own.global(i)).second);
        EXPECT_EQ(own.block * ranks + own.left_over, n);
      }
      EXPECT_EQ(static_cast<std::int64_t>(rows.size()), n);
      EXPECT_EQ(*rows.rbegin(), n - 1);
    }
}

TEST(Rows, EveryRankAsksAnotherInEachStep) {
  for (int step = 0; step < 5; ++step) {
    std::set<int> asked;
    for (int rank = 0; rank < 5; ++rank) asked.insert(source_of(rank, step, 5));
    EXPECT_EQ(asked.size(), 5u);
  }
}

TEST(Elements, AreSmallIntegersThatDiffer) {
  std::set<std::int64_t> values;
  std::int64_t equal = 0;
  for (std::int64_t i = 0; i < 20; ++i)
    for (std::int64_t j = 0; j < 20; ++j) {
      values.insert(element_of_a(i, j));
      EXPECT_LE(std::abs(element_of_b(i, j)), 8);
      equal += element_of_a(i, j) == element_of_b(i, j);
    }
  EXPECT_EQ(values.size(), 17u);
  EXPECT_LT(equal, 60);
}

TEST(Multiply, EqualsThePlainSumsForEveryShapeAndNumberOfThreads) {
  base::use_one_blas_thread();
  for (const int threads : {1, 3})
    for (const auto& [m, n, k] : {std::array{1, 1, 1}, std::array{4, 30, 4}, std::array{30, 4, 7},
                                  std::array{2, 9, 0}, std::array{0, 5, 3}}) {
      omp_set_num_threads(threads);
      std::vector<double> a(m * (k + 1)), b(k * n), c(m * n, 1.0);
      for (int i = 0; i < m; ++i)
        for (int l = 0; l <= k; ++l) a[i * (k + 1) + l] = element_of_a(i, l);
      for (int l = 0; l < k; ++l)
        for (int j = 0; j < n; ++j) b[l * n + j] = element_of_b(l, j);
      multiply(m, n, k, {a.data(), k + 1}, {b.data(), n}, c.data(), n);
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
          double sum = 1.0;
          for (int l = 0; l < k; ++l) sum += a[i * (k + 1) + l] * b[l * n + j];
          EXPECT_EQ(c[i * n + j], sum);
        }
    }
}

}  // namespace
}  // namespace hakaru::apps::matmul
