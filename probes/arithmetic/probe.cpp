// Arithmetic peaks: SIMD kernels by width, precision and number of cores, latencies, the clock, and DGEMM through the BLAS.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>

#include "native/base/require.hpp"
#include "native/harness/program.hpp"
#include "probes/arithmetic/cores.hpp"
#include "probes/arithmetic/matrix_product.hpp"
#include "probes/arithmetic/measurement.hpp"
#include "probes/arithmetic/reference.hpp"

namespace hakaru::probes::arithmetic {
namespace {

constexpr std::array precisions{Precision::double_precision, Precision::single_precision};
// Below this fraction of the FMA peak a DGEMM has not got the kernel of this processor: a tuned one reaches 80 to 95 %.
constexpr double least_efficiency = 0.6;

std::vector<Kernel> all_kernels() {
  std::vector<Kernel> kernels(chain_kernels.begin(), chain_kernels.end());
  kernels.insert(kernels.end(), map_kernels.begin(), map_kernels.end());
  return kernels;
}

class Arithmetic final : public harness::Program {
 public:
  base::Description describe() const override {
    base::Description d("arithmetic", "arithmetic peaks, latencies and DGEMM");
    d.integer("cores", 0, 0, ProcessorMask::most, "1", "measure 1 to this many cores; 0: all that may be used")
        .integer("samples", 11, 1, 1'000'000, "1", "samples of each kernel, interleaved")
        .real("sample_seconds", 0.004, 1e-5, 10.0, "s", "least duration of a sample")
        .integer("matrix_order", 1024, 16, MatrixProduct::most_order, "1",
                 "order of the DGEMM on one core; grows with the square root of the cores")
        .preset("small", {{"samples", 5}, {"sample_seconds", 0.0005}, {"matrix_order", 384}}, "about a second")
        .phase("kernels", base::PhaseKind::compute, "SIMD kernels on registers")
        .phase("dgemm", base::PhaseKind::compute, "matrix product through the BLAS")
        .metric("fma peak", "flop/s", base::Better::higher, "best sample of double-precision fused multiply-add on all cores")
        .metric("dgemm", "flop/s", base::Better::higher, "best sample of the matrix product on all cores")
        .metric("clock", "Hz", base::Better::higher, "best sample of the clock frequency of one core")
        .table("kernels", {{"kernel", "text"}, {"precision", "text"}, {"bits", "1"}, {"cores", "1"}, {"repetition", "1"}, {"seconds", "s"}, {"operations", "flop"}},
               "throughput: operations of all cores and the time from first start to last end")
        .table("latency", {{"kernel", "text"}, {"precision", "text"}, {"bits", "1"}, {"repetition", "1"}, {"seconds", "s"}, {"operations", "1"}},
               "one chain of dependent operations on one core")
        .table("clock", {{"repetition", "1"}, {"seconds", "s"}, {"cycles", "1"}}, "chain of dependent one-cycle integer operations")
        .table("dgemm", {{"order", "1"}, {"cores", "1"}, {"repetition", "1"}, {"seconds", "s"}, {"operations", "flop"}}, "C = A B, double precision")
        .table("binding", {{"cores", "1"}, {"thread", "1"}, {"processor", "1"}, {"seen", "1"}}, "processor each thread was pinned to and seen on")
        .table("instructions", {{"set", "text"}, {"widest_bits", "1"}, {"chains", "1"}}, "instruction set that Highway chose")
        .table("blas", {{"library", "text"}, {"version", "text"}, {"kernel", "text"}, {"threads_can_be_set", "1"}}, "the linked BLAS")
        .table("findings", {{"finding", "text"}}, "what is wrong, in words")
        .limits(1, 0)
        .size_meaning("order of the DGEMM on one core");
    return d;
  }

  base::Work work(const base::Parameters& parameters, const base::Layout&) const override {
    const double order = static_cast<double>(parameters.integer("matrix_order"));
    const int cores = count_cores(parameters);
    double flops = 0.0, bytes = 0.0, calls = 0.0;
    for (int count : spread_counts(cores)) {
      const double n = static_cast<double>(order_for(parameters.integer("matrix_order"), count));
      calls += static_cast<double>(parameters.integer("samples"));
      flops += 2.0 * n * n * n * static_cast<double>(parameters.integer("samples"));
      bytes += 3.0 * 8.0 * n * n * static_cast<double>(parameters.integer("samples"));
    }
    const double largest = static_cast<double>(order_for(parameters.integer("matrix_order"), cores));
    return {order, 3.0 * 8.0 * largest * largest, {{"dgemm", flops, bytes, bytes, 0, 0, calls}}};
  }

  std::string refuse(const base::Parameters& parameters, const base::Layout&) const override {
    const auto wanted = parameters.integer("cores");
    const auto usable = static_cast<std::int64_t>(distinct_cores().size());
    return wanted > usable ? fmt::format("it asks for {} cores and may use {}", wanted, usable) : "";
  }

  void prepare(harness::Run& run) override {
    cores_ = distinct_cores();
    cores_.resize(count_cores(run.parameters()));
    measurement_ = std::make_unique<Measurement>(run.parameters().real("sample_seconds"));
  }

  void repeat(harness::Run& run) override {
    errors_.clear();
    best_fma_ = best_dgemm_ = 0.0;
    best_clock_ = 0.0;
    const auto samples = run.parameters().integer("samples");
    const auto counts = spread_counts(static_cast<int>(cores_.size()));
    const BlasIdentity blas = blas_identity();
    const bool threads_set = set_blas_threads(1);
    run.table("blas").row({blas.library, blas.version, blas.kernel, threads_set ? 1 : 0});
    run.table("instructions").row({instruction_set(), widest_bits(), independent_chains()});
    measure_kernels(run, counts, samples);
    measure_dgemm(run, counts, samples);
    run.metrics().add("fma peak", best_fma_);
    run.metrics().add("dgemm", best_dgemm_);
    run.metrics().add("clock", best_clock_);
    judge(run, blas);
  }

  void check(harness::Run&, base::Checks& checks) override {
    for (const auto& [name, sample] : errors_)
      checks.at_most(name, sample.error, sample.tolerance, "relative error of the timed results against their closed form");
    checks.equal("dgemm: wrong elements", static_cast<double>(wrong_elements_), 0.0, "integer matrices: the product is exact");
  }

  void verify(harness::Run& run, base::Checks& checks) override {
    auto processors = distinct_cores();
    base::require(run.layout().threads <= static_cast<int>(processors.size()),
                  fmt::format("arithmetic cannot use {} threads", run.layout().threads),
                  fmt::format("{} cores may be used", processors.size()), "use fewer");
    processors.resize(run.layout().threads);
    const PinnedTeam team(processors);
    verify_kernels(team, run.damaged());
    check(run, checks);
  }

 private:
  static int count_cores(const base::Parameters& parameters) {
    const auto wanted = static_cast<int>(parameters.integer("cores"));
    return wanted > 0 ? wanted : std::max(1, static_cast<int>(distinct_cores().size()));
  }

  // Constant work per core and time: n grows with the cube root... of the cores; multiples of 16 suit every register block.
  static std::int64_t order_for(std::int64_t order, int cores) {
    const double grown = static_cast<double>(order) * std::sqrt(static_cast<double>(cores));
    const auto rounded = static_cast<std::int64_t>(grown) / 16 * 16;
    return std::clamp<std::int64_t>(rounded, 16, MatrixProduct::most_order);
  }
};

}  // namespace
}  // namespace hakaru::probes::arithmetic
