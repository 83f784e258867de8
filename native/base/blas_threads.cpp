#include "native/base/blas_threads.hpp"

#include <dlfcn.h>

#include <cstdint>

namespace hakaru::base {
namespace {

// BLIS's numbers (frame/include/bli_type_defs.h).
constexpr int matrix_product = 0, complex_double = 3, none = -1;

int common_method = none;

int method_of_this_thread() {
  auto* find =
      reinterpret_cast<int (*)(int, int)>(::dlsym(RTLD_DEFAULT, "bli_ind_oper_find_avail"));
  return find == nullptr ? none : find(matrix_product, complex_double);
}

}  // namespace

void use_common_blas_method() {
  if (common_method == none || method_of_this_thread() == common_method) return;
  if (auto* enable =
          reinterpret_cast<void (*)(int, int)>(::dlsym(RTLD_DEFAULT, "bli_ind_enable_dt")))
    enable(common_method, complex_double);
}

void use_blas_threads(int threads) {
  if (auto* set = reinterpret_cast<void (*)(std::int64_t)>(
          ::dlsym(RTLD_DEFAULT, "bli_thread_set_num_threads")))
    set(threads);
  if (auto* set =
          reinterpret_cast<void (*)(int)>(::dlsym(RTLD_DEFAULT, "openblas_set_num_threads")))
    set(threads);
  common_method = method_of_this_thread();
}

}  // namespace hakaru::base
