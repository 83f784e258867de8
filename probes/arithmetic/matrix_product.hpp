// C = A B in double precision through the linked BLAS, with integer elements so that the product is
// exact and can be checked exactly.
#pragma once

#include <cstdint>
#include <string>

#include "native/base/aligned.hpp"

namespace hakaru::probes::arithmetic {

// Without a BLAS there are no products: a kit (native/kit) may be built where there is none.
#if defined(HAKARU_WITHOUT_BLAS)
inline constexpr bool has_blas = false;
#else
inline constexpr bool has_blas = true;
#endif

// Which BLAS was linked and which kernels it chose for this processor; empty where it does not say.
struct BlasIdentity {
  std::string library, version, kernel;
};
BlasIdentity blas_identity();

// Sets the number of threads of the linked BLAS. False when it has no function for that: then it
// uses what its environment variables said.
bool set_blas_threads(int threads);

class MatrixProduct {
 public:
  // Room for matrices up to this order. Elements are integers of at most 18 bits, so that every
  // partial sum stays below 2^53.
  explicit MatrixProduct(std::int64_t largest_order);
  static constexpr std::int64_t most_order = 8192;

  // The next products are of this order; C becomes invalid.
  void set_order(std::int64_t order);
  std::int64_t order() const { return order_; }
  double flops() const;
  // Computes C = A B by dgemm_ and returns the seconds it took. C holds no numbers before.
  double multiply();
  // Number of elements of C - A B seen to be wrong: rows of C v against A (B v) for a vector v of
  // random signs in 64-bit integers (Freivalds 1979), and `elements` elements against their dot
  // products.
  std::int64_t wrong(int elements) const;
  double* product() { return c_.data(); }

 private:
  std::int64_t order_;
  base::AlignedArray<double> a_, b_, c_;  // column-major; the first order^2 elements are used
};

}  // namespace hakaru::probes::arithmetic
