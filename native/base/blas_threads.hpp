// Programs that share the work among their own threads do not want the BLAS to start more.
#pragma once

namespace hakaru::base {

// From now on the BLAS that is loaded (BLIS or OpenBLAS) computes with the calling thread alone;
// does nothing with another one.
void use_one_blas_thread();

}  // namespace hakaru::base
