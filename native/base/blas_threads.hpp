// Programs that share the work among their own threads do not want the BLAS to start more.
#pragma once

namespace hakaru::base {

// From now on the BLAS that is loaded (BLIS or OpenBLAS) computes with so many threads; does
// nothing with another one.
void use_blas_threads(int threads);
// With the calling thread alone.
inline void use_one_blas_thread() { use_blas_threads(1); }

// BLIS 0.9 multiplies complex matrices by its kernels for real ones (method 1m) in the thread alone
// that called it first; others take plain loops, which are slower and round differently. Gives the
// calling thread the method of the one that called use_blas_threads.
void use_common_blas_method();

}  // namespace hakaru::base
