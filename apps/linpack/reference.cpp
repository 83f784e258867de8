#include "apps/linpack/reference.hpp"

#include <cmath>
#include <utility>

#include "apps/linpack/matrix.hpp"

namespace hakaru::apps::linpack {
namespace {

using Rows = std::vector<std::vector<long double>>;

Rows generated(std::uint64_t seed, std::int64_t n) {
  Rows rows;
  std::vector<double> row(static_cast<std::size_t>(n + 1));
  for (std::int64_t i = 0; i < n; ++i) {
    elements(seed, i, 0, n + 1, row.data());
    rows.emplace_back(row.begin(), row.end());
  }
  return rows;
}

std::int64_t largest_below(const Rows& a, std::int64_t k) {
  std::int64_t found = k;
  for (std::int64_t i = k + 1; i < static_cast<std::int64_t>(a.size()); ++i)
    if (std::abs(a[i][k]) > std::abs(a[found][k])) found = i;
  return found;
}

}  // namespace

Eliminated plain_elimination(std::uint64_t seed, std::int64_t n) {
  Rows a = generated(seed, n);
  Eliminated done;
  for (std::int64_t k = 0; k < n; ++k) {
    done.pivots.push_back(largest_below(a, k));
    std::swap(a[k], a[done.pivots.back()]);
    for (std::int64_t i = k + 1; i < n; ++i) {
      const long double factor = a[i][k] / a[k][k];
      for (std::int64_t j = k; j <= n; ++j) a[i][j] -= factor * a[k][j];
    }
  }
  done.x.resize(static_cast<std::size_t>(n));
  for (std::int64_t i = n - 1; i >= 0; --i) {
    long double sum = a[i][n];
    for (std::int64_t j = i + 1; j < n; ++j) sum -= a[i][j] * done.x[j];
    done.x[i] = static_cast<double>(sum / a[i][i]);
  }
  return done;
}

}  // namespace hakaru::apps::linpack
