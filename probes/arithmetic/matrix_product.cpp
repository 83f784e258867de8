#include "probes/arithmetic/matrix_product.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "native/base/clock.hpp"
#include "native/base/require.hpp"

#if defined(HAKARU_WITHOUT_BLAS)
#define HAKARU_DGEMM extern "C" __attribute__((weak))
#else
#define HAKARU_DGEMM extern "C"
#endif

HAKARU_DGEMM void dgemm_(const char* transpose_a, const char* transpose_b, const int* m,
                         const int* n, const int* k, const double* alpha, const double* a,
                         const int* leading_a, const double* b, const int* leading_b,
                         const double* beta, double* c, const int* leading_c);

namespace hakaru::probes::arithmetic {
namespace {

template <typename Function>
Function* find_function(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

void fill(base::AlignedArray<double>& matrix, unsigned seed) {
  std::mt19937 random(seed);
  for (double& element : matrix)
    element = static_cast<double>(static_cast<std::int64_t>(random() >> 14) - (1 << 17));
}

// y = M v in integers.
std::vector<std::int64_t> times(const base::AlignedArray<double>& matrix,
                                const std::vector<std::int64_t>& v) {
  const std::size_t n = v.size();
  std::vector<std::int64_t> y(n, 0);
  for (std::size_t column = 0; column < n; ++column)
    for (std::size_t row = 0; row < n; ++row)
      y[row] += static_cast<std::int64_t>(matrix[column * n + row]) * v[column];
  return y;
}

}  // namespace

BlasIdentity blas_identity() {
  Dl_info info{};
  BlasIdentity identity;
  if (::dladdr(reinterpret_cast<void*>(&dgemm_), &info) && info.dli_fname) {
    const std::string path = info.dli_fname;
    identity.library = path.substr(path.rfind('/') + 1);
  }
  if (auto* version = find_function<const char*()>("bli_info_get_version_str"))
    identity.version = std::string("BLIS ") + version();
  auto* architecture = find_function<int()>("bli_arch_query_id");
  auto* architecture_name = find_function<const char*(int)>("bli_arch_string");
  if (architecture && architecture_name) identity.kernel = architecture_name(architecture());
  if (auto* configuration = find_function<const char*()>("openblas_get_config"))
    identity.version = configuration();
  if (auto* core = find_function<const char*()>("openblas_get_corename")) identity.kernel = core();
  return identity;
}

bool set_blas_threads(int threads) {
  if (auto* set = find_function<void(std::int64_t)>("bli_thread_set_num_threads"))
    return set(threads), true;
  if (auto* set = find_function<void(int)>("openblas_set_num_threads")) return set(threads), true;
  return false;
}

MatrixProduct::MatrixProduct(std::int64_t largest_order)
    : order_(largest_order),
      a_(largest_order * largest_order),
      b_(largest_order * largest_order),
      c_(largest_order * largest_order) {
  HAKARU_EXPECTS(0 < largest_order && largest_order <= most_order);
  fill(a_, 1);
  fill(b_, 2);
}

void MatrixProduct::set_order(std::int64_t order) {
  HAKARU_EXPECTS(0 < order && static_cast<std::size_t>(order * order) <= c_.size());
  order_ = order;
}

double MatrixProduct::flops() const { return 2.0 * std::pow(static_cast<double>(order_), 3); }

double MatrixProduct::multiply() {
  const int n = static_cast<int>(order_);
  const double one = 1.0, zero = 0.0;
  std::fill_n(c_.data(), order_ * order_, std::numeric_limits<double>::quiet_NaN());
  const double start = base::now_s();
  dgemm_("N", "N", &n, &n, &n, &one, a_.data(), &n, b_.data(), &n, &zero, c_.data(), &n);
  return base::now_s() - start;
}

std::int64_t MatrixProduct::wrong(int elements) const {
  const std::size_t n = static_cast<std::size_t>(order_);
  std::mt19937 random(3);
  std::vector<std::int64_t> signs(n);
  for (auto& sign : signs) sign = random() % 2 ? 1 : -1;
  if (!std::all_of(c_.data(), c_.data() + n * n,
                   [](double element) { return std::fabs(element) < 0x1p53; }))
    return order_;
  const auto expected = times(a_, times(b_, signs)), seen = times(c_, signs);
  std::int64_t count = 0;
  for (std::size_t row = 0; row < n; ++row) count += expected[row] != seen[row];
  for (int i = 0; i < elements; ++i) {
    const std::size_t row = random() % n, column = random() % n;
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < n; ++k)
      sum += static_cast<std::int64_t>(a_[k * n + row]) *
             static_cast<std::int64_t>(b_[column * n + k]);
    count += static_cast<double>(sum) != c_[column * n + row];
  }
  return count;
}

}  // namespace hakaru::probes::arithmetic
