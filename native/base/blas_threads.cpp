#include "native/base/blas_threads.hpp"

#include <dlfcn.h>

#include <cstdint>

namespace hakaru::base {

void use_blas_threads(int threads) {
  if (auto* set = reinterpret_cast<void (*)(std::int64_t)>(
          ::dlsym(RTLD_DEFAULT, "bli_thread_set_num_threads")))
    set(threads);
  if (auto* set =
          reinterpret_cast<void (*)(int)>(::dlsym(RTLD_DEFAULT, "openblas_set_num_threads")))
    set(threads);
}

}  // namespace hakaru::base
