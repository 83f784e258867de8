// Processors for which BLIS chooses kernels that are half as fast as others it has, or less.
// It gives those of AMD that it does not know its plain loops. Whether one of Intel's has two units
// for vectors of 512 bits it reads off the processor's name, which virtual machines hide; then it
// takes vectors of 256.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace hakaru::base {

struct Processor {
  std::string vendor;
  int family = 0;
  bool avx2 = false;    // with FMA
  bool avx512 = false;  // F, CD, DQ, BW and VL, which BLIS asks for
  std::string name;
};
Processor this_processor();

// BLIS's number of the kernels that suit the processor better than its own choice; nothing where
// BLIS knows the processor. `name_of` gives BLIS's name of a number; the last is "generic".
using KernelName = std::function<std::string(int)>;
std::optional<int> better_kernel(const Processor& processor, const KernelName& name_of);

// Sets BLIS_ARCH_TYPE where nobody did and it helps; before the first call of the BLAS.
void choose_blas_kernel();

}  // namespace hakaru::base
