// Processors that are newer than the BLAS: BLIS gives those that it does not know its plain loops,
// a third as fast as its kernels of Zen 3. Those for AVX-512 (skx) are faster still, but with them
// electrons has other bits on two threads than on one.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace hakaru::base {

struct Processor {
  std::string vendor;
  int family = 0;
  bool avx2 = false;  // with FMA
};
Processor this_processor();

// BLIS's number of the kernels that suit the processor better than its own choice; nothing where
// BLIS knows the processor. `name_of` gives BLIS's name of a number; the last is "generic".
using KernelName = std::function<std::string(int)>;
std::optional<int> better_kernel(const Processor& processor, const KernelName& name_of);

// Sets BLIS_ARCH_TYPE where nobody did and it helps; before the first call of the BLAS.
void choose_blas_kernel();

}  // namespace hakaru::base
