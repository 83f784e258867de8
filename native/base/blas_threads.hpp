// Programs that share the work among their own threads do not want the BLAS to start more.
#pragma once

namespace hakaru::base {

// From now on the BLAS that is loaded (BLIS or OpenBLAS) computes with so many threads; does
// nothing with another one.
void use_blas_threads(int threads);
// With the calling thread alone.
inline void use_one_blas_thread() { use_blas_threads(1); }

}  // namespace hakaru::base
