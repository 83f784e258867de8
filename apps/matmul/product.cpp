#include "apps/matmul/product.hpp"

#include <omp.h>

#include <algorithm>
#include <random>

#include "apps/matmul/multiply.hpp"
#include "apps/matmul/phases.hpp"
#include "native/base/blas_threads.hpp"
#include "native/base/first_touch.hpp"

namespace hakaru::apps::matmul {

Product::Product(std::int64_t n)
    : world_(parallel::Communicator::world()),
      rows_(n, world_.rank(), world_.size()),
      b_(world_, static_cast<std::size_t>(rows_.block_words()) * sizeof(double), buffers),
      a_(rows_.own() * n),
      c_(rows_.own() * n),
      left_over_(rows_.left_over * n) {
  base::use_one_blas_thread();
  for (auto& buffer : fetched_) {
    buffer = base::AlignedArray<double>(rows_.block_words());
    base::touch_by_threads(buffer, omp_get_max_threads());
  }
  for (std::int64_t i = 0; i < rows_.own(); ++i)
    for (std::int64_t j = 0; j < n; ++j)
      a_[i * n + j] = static_cast<double>(element_of_a(rows_.global(i), j));
  double* block = b_.as<double>();
  for (std::int64_t i = 0; i < rows_.block; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      block[i * n + j] = static_cast<double>(element_of_b(rows_.global(i), j));
  const std::int64_t first = rows_.block * rows_.ranks;
  for (std::int64_t i = 0; i < rows_.left_over; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      left_over_[i * n + j] = static_cast<double>(element_of_b(first + i, j));
  world_.barrier();  // nobody gets a block that is not filled
}

void Product::fetch(int step) {
  b_.get(source_of(rows_.rank, step, rows_.ranks), 0, fetched_[step % buffers].data(),
         static_cast<std::size_t>(rows_.block_words()) * sizeof(double), {0, 1 + step % buffers});
}

void Product::use(int step) {
  const std::int64_t n = rows_.n, first = rows_.block * source_of(rows_.rank, step, rows_.ranks);
  multiply(rows_.own(), n, rows_.block, {a_.data() + first, n},
           {fetched_[step % buffers].data(), n}, c_.data(), n);
}

void Product::compute(base::Phases& phases) {
  const int get = phases.index(phase::get), product = phases.index(phase::product);
  const std::int64_t n = rows_.n;
  const int steps = rows_.block > 0 ? rows_.ranks : 0;
  if (steps > 0) {
    auto phase = phases.scope(get);
    fetch(0);
  }
  {
    auto phase = phases.scope(product);
    std::fill_n(c_.data(), rows_.own() * n, 0.0);
    multiply(rows_.own(), n, rows_.left_over, {a_.data() + rows_.block * rows_.ranks, n},
             {left_over_.data(), n}, c_.data(), n);
  }
  for (int step = 0; step < steps; ++step) {
    {
      auto phase = phases.scope(get);
      if (step + 1 < steps) fetch(step + 1);
      b_.wait_flag(1 + step % buffers);
    }
    auto phase = phases.scope(product);
    use(step);
  }
}

void Product::damage() {
  if (rows_.own() > 0) c_[rows_.n / 2] += 1.0;
}

std::int64_t Product::wrong_rows() const {
  const std::int64_t n = rows_.n;
  std::vector<char> wrong(rows_.own(), 0);
  std::mt19937 random(7);
  for (int trial = 0; trial < 2; ++trial) {
    std::vector<std::uint64_t> signs(n), product(n, 0);
    for (auto& sign : signs) sign = random() % 2 ? 1 : ~std::uint64_t{0};
#pragma omp parallel for
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        product[i] += static_cast<std::uint64_t>(element_of_b(i, j)) * signs[j];
#pragma omp parallel for
    for (std::int64_t i = 0; i < rows_.own(); ++i) {
      std::uint64_t expected = 0, seen = 0;
      for (std::int64_t j = 0; j < n; ++j) {
        expected += static_cast<std::uint64_t>(element_of_a(rows_.global(i), j)) * product[j];
        seen += static_cast<std::uint64_t>(static_cast<std::int64_t>(at(i, j))) * signs[j];
        if (!(std::abs(at(i, j)) < 0x1p53)) wrong[i] = 1;
      }
      if (expected != seen) wrong[i] = 1;
    }
  }
  return world_.sum<std::int64_t>(std::count(wrong.begin(), wrong.end(), 1));
}

std::int64_t Product::wrong_elements() const {
  const std::int64_t n = rows_.n;
  std::vector<std::int64_t> b(n * n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) b[i * n + j] = element_of_b(i, j);
  std::int64_t wrong = 0;
#pragma omp parallel for reduction(+ : wrong)
  for (std::int64_t i = 0; i < rows_.own(); ++i) {
    std::vector<std::int64_t> sums(n, 0);
    for (std::int64_t k = 0; k < n; ++k) {
      const std::int64_t a = element_of_a(rows_.global(i), k);
      for (std::int64_t j = 0; j < n; ++j) sums[j] += a * b[k * n + j];
    }
    for (std::int64_t j = 0; j < n; ++j) wrong += at(i, j) != static_cast<double>(sums[j]);
  }
  return world_.sum(wrong);
}

}  // namespace hakaru::apps::matmul
