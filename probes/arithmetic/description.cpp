#include "probes/arithmetic/description.hpp"

#include "native/base/cores.hpp"
#include "probes/arithmetic/matrix_product.hpp"

namespace hakaru::probes::arithmetic {

base::Description description() {
  base::Description d("arithmetic", "arithmetic peaks, latencies and DGEMM");
  d.integer("cores", 0, 0, base::ProcessorMask::most, "1",
            "measure 1 to this many cores; 0: all that may be used")
      .integer("samples", 11, 1, 1'000'000, "1", "samples of each kernel, interleaved")
      .real("sample_seconds", 0.004, 1e-5, 10.0, "s", "least duration of a sample")
      .integer("matrix_order", 1024, 16, MatrixProduct::most_order, "1",
               "order of the DGEMM on one core; grows with the cube root of the cores")
      .preset("small", {{"samples", 5}, {"sample_seconds", 0.0005}, {"matrix_order", 384}},
              "about a second")
      .phase("kernels", base::PhaseKind::compute, "SIMD kernels on registers")
      .phase("dgemm", base::PhaseKind::compute, "matrix product through the BLAS")
      .metric("fma peak", "flop/s", base::Better::higher,
              "best sample of double-precision fused multiply-add on all cores")
      .metric("dgemm", "flop/s", base::Better::higher,
              "best sample of the matrix product on all cores")
      .metric("clock", "Hz", base::Better::higher, "best sample of the clock frequency of one core")
      .table("kernels",
             {{"kernel", "text"},
              {"precision", "text"},
              {"bits", "1"},
              {"cores", "1"},
              {"repetition", "1"},
              {"seconds", "s"},
              {"operations", "flop"}},
             "throughput: operations of all cores and the time from first start to last end")
      .table("latency",
             {{"kernel", "text"},
              {"precision", "text"},
              {"bits", "1"},
              {"repetition", "1"},
              {"seconds", "s"},
              {"operations", "1"}},
             "one chain of dependent operations on one core")
      .table("clock", {{"repetition", "1"}, {"seconds", "s"}, {"cycles", "1"}},
             "chain of dependent one-cycle integer operations")
      .table("dgemm",
             {{"order", "1"},
              {"cores", "1"},
              {"repetition", "1"},
              {"seconds", "s"},
              {"operations", "flop"}},
             "C = A B, double precision")
      .table("binding", {{"cores", "1"}, {"thread", "1"}, {"processor", "1"}, {"seen", "1"}},
             "processor each thread was pinned to and seen on")
      .table("instructions", {{"set", "text"}, {"widest_bits", "1"}, {"chains", "1"}},
             "instruction set that Highway chose")
      .table("blas",
             {{"library", "text"},
              {"version", "text"},
              {"kernel", "text"},
              {"threads_can_be_set", "1"}},
             "the linked BLAS")
      .table("findings", {{"finding", "text"}}, "what is wrong, in words")
      .limits(1, 0)
      .verifies({}, "every kernel and a small DGEMM")
      .size_meaning("order of the DGEMM on one core");
  return d;
}

}  // namespace hakaru::probes::arithmetic
