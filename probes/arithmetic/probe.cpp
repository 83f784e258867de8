// Arithmetic peaks: SIMD kernels by width, precision and number of cores, latencies, the clock, and
// DGEMM through the BLAS.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>

#include "native/base/cores.hpp"
#include "native/base/require.hpp"
#include "native/harness/program.hpp"
#include "probes/arithmetic/description.hpp"
#include "probes/arithmetic/matrix_product.hpp"
#include "probes/arithmetic/measurement.hpp"
#include "probes/arithmetic/reference.hpp"

namespace hakaru::probes::arithmetic {
namespace {

constexpr std::array precisions{Precision::double_precision, Precision::single_precision};
// Below this fraction of the FMA peak a DGEMM has not got the kernel of this processor: a tuned one
// reaches 80 to 95 %.
constexpr double least_efficiency = 0.6;

std::vector<Kernel> all_kernels() {
  std::vector<Kernel> kernels(chain_kernels.begin(), chain_kernels.end());
  kernels.insert(kernels.end(), map_kernels.begin(), map_kernels.end());
  return kernels;
}

class Arithmetic final : public harness::Program {
 public:
  base::Description describe() const override { return description(); }

  base::Work work(const base::Parameters& parameters, const base::Layout&) const override {
    const double samples = static_cast<double>(parameters.integer("samples"));
    base::PhaseWork dgemm{"dgemm", 0, 0, 0, 0, 0, 0};
    double largest = 0.0;
    for (int count : base::spread_counts(base::wanted_cores(parameters.integer("cores")))) {
      largest = static_cast<double>(order_for(parameters, count));
      dgemm.flops += 2.0 * largest * largest * largest * samples;
      dgemm.bytes += 3.0 * 8.0 * largest * largest * samples;
      dgemm.calls += samples;
    }
    dgemm.bytes_write_allocate = dgemm.bytes + dgemm.bytes / 3.0;
    return {static_cast<double>(parameters.integer("matrix_order")),
            3.0 * 8.0 * largest * largest,
            {dgemm}};
  }

  std::string refuse(const base::Parameters& parameters, const base::Layout&) const override {
    return base::too_many_cores(parameters.integer("cores"));
  }

  void prepare(harness::Run& run) override {
    cores_ = base::distinct_cores();
    cores_.resize(base::wanted_cores(run.parameters().integer("cores")));
    counts_ = base::spread_counts(static_cast<int>(cores_.size()));
    measurement_ = std::make_unique<Measurement>(run.parameters().real("sample_seconds"));
    product_ = std::make_unique<MatrixProduct>(order_for(run.parameters(), counts_.back()));
    for (int count : counts_) {  // threads, page tables and the BLAS's own buffers exist before
                                 // anything is timed
      const base::PinnedTeam team(first_cores(count));
      multiply(run, count);
    }
  }

  void repeat(harness::Run& run) override {
    errors_.clear();
    wrong_elements_ = 0;
    best_ = {};
    describe_software(run);
    const std::int64_t samples = run.parameters().integer("samples");
    for (std::int64_t repetition = 0; repetition < samples; ++repetition)
      for (int count : counts_) {
        run.progress(static_cast<double>(repetition) / static_cast<double>(samples),
                     fmt::format("{} cores", count));
        base::PinnedTeam team(first_cores(count));
        measure_kernels(run, team, repetition);
        measure_dgemm(run, count, repetition, repetition + 1 == samples);
        if (repetition + 1 == samples) report_binding(run, team);
      }
    run.metrics().add("fma peak", best_.fma);
    if (has_blas) run.metrics().add("dgemm", best_.dgemm);
    run.metrics().add("clock", best_.clock);
    judge(run);
  }

  void check(harness::Run&, base::Checks& checks) override {
    for (const auto& [name, sample] : errors_)
      checks.absolute(
          name, sample.error, 0.0, sample.tolerance,
          "largest relative error against the closed form, all widths; rounding of each step");
    if (has_blas)
      checks.equal("dgemm: wrong elements", static_cast<double>(wrong_elements_), 0.0,
                   "the product of integer matrices is exact");
  }

  void verify(harness::Run& run, base::Checks& checks) override {
    auto processors = base::distinct_cores();
    // More threads than cores would only share them: what is verified does not depend on their
    // number.
    processors.resize(std::min<std::size_t>(run.layout().threads, processors.size()));
    const base::PinnedTeam team(processors);
    verify_kernels(team, run.damaged());
    verify_dgemm(team.size(), run.damaged());
    check(run, checks);
  }

 private:
  // The same time on any number of cores: n^3 / cores is constant. Multiples of 16 suit the
  // register blocks of the BLAS.
  static std::int64_t order_for(const base::Parameters& parameters, int cores) {
    const double grown = static_cast<double>(parameters.integer("matrix_order")) * std::cbrt(cores);
    return std::clamp<std::int64_t>(std::llround(grown) / 16 * 16, 16, MatrixProduct::most_order);
  }

  std::vector<int> first_cores(int count) const { return {cores_.begin(), cores_.begin() + count}; }

  static void describe_software(harness::Run& run) {
    if (has_blas) {
      const BlasIdentity blas = blas_identity();
      run.table("blas").row({blas.library, blas.version, blas.kernel, set_blas_threads(1) ? 1 : 0});
    }
    run.table("instructions").row({instruction_set(), widest_bits(), independent_chains()});
  }

  // FMA at every width on every number of cores; the other kernels at every width on one core, at
  // the widest on all; latency on one.
  void measure_kernels(harness::Run& run, const base::PinnedTeam& team, std::int64_t repetition) {
    auto phase = run.phases().scope("kernels");
    const bool one = team.size() == 1, all = team.size() == counts_.back();
    if (one) {
      const Sample clock = measurement_->clock_sample();
      run.table("clock").row({repetition, clock.seconds, clock.operations});
      best_.clock = std::max(best_.clock, clock.operations / clock.seconds);
    }
    for (Precision precision : precisions)
      for (int bits : widths(precision))
        for (Kernel kernel : all_kernels()) {
          const bool widest = bits == widths(precision).back();
          if (kernel == Kernel::fma || one || (all && widest))
            measure(run, team, {kernel, precision, bits, false}, repetition);
          const bool has_latency = kernel == Kernel::fma || kernel == Kernel::add ||
                                   kernel == Kernel::multiply || kernel == Kernel::divide;
          if (one && has_latency && bits == bits_of(precision))
            measure(run, team, {kernel, precision, bits, true}, repetition);
        }
  }

  void measure(harness::Run& run, const base::PinnedTeam& team, const Series& series,
               std::int64_t repetition) {
    const Sample sample = measurement_->sample(team, series);
    const char* precision = name_of(series.precision);
    if (series.dependent)
      run.table("latency").row({name_of(series.kernel), precision, series.bits, repetition,
                                sample.seconds, sample.operations});
    else
      run.table("kernels").row({name_of(series.kernel), precision, series.bits, team.size(),
                                repetition, sample.seconds, sample.operations});
    keep_worst(series, sample);
    if (series.kernel == Kernel::fma && series.precision == Precision::double_precision &&
        !series.dependent && team.size() == counts_.back())
      best_.fma = std::max(best_.fma, sample.operations / sample.seconds);
  }

  double multiply(harness::Run& run, int cores) {
    if (!has_blas) return 0.0;
    set_blas_threads(cores);
    product_->set_order(order_for(run.parameters(), cores));
    return product_->multiply();
  }

  void measure_dgemm(harness::Run& run, int cores, std::int64_t repetition, bool last) {
    if (!has_blas) return;
    auto phase = run.phases().scope("dgemm");
    const double seconds = multiply(run, cores);
    run.table("dgemm").row({product_->order(), cores, repetition, seconds, product_->flops()});
    if (cores == counts_.back()) best_.dgemm = std::max(best_.dgemm, product_->flops() / seconds);
    if (last) wrong_elements_ += product_->wrong(32);
  }

  static void report_binding(harness::Run& run, base::PinnedTeam& team) {
    base::require_environment(
        team.in_place(), "the threads left the processors they were pinned to",
        "the kernel moved them", "look for a service that changes affinities");
    for (int thread = 0; thread < team.size(); ++thread)
      run.table("binding").row(
          {team.size(), thread, team.processors()[thread], team.seen()[thread]});
  }

  void judge(harness::Run& run) const {
    const double efficiency = best_.dgemm / best_.fma;
    if (!has_blas || efficiency >= least_efficiency) return;
    const BlasIdentity blas = blas_identity();
    run.table("findings")
        .row({fmt::format("DGEMM reaches {:.0f} % of the FMA peak ({} picked its kernel '{}', "
                          "which is likely one for another processor, or the matrix is too "
                          "small); install a BLAS that knows this processor, or name its kernel "
                          "(BLIS_ARCH_TYPE, OPENBLAS_CORETYPE)",
                          100.0 * efficiency, blas.library, blas.kernel)});
  }

  void verify_kernels(const base::PinnedTeam& team, bool damage) {
    for (Precision precision : precisions)
      for (int bits : widths(precision))
        for (Kernel kernel : all_kernels())
          for (std::int64_t iterations : {1, 2, 7, 40})
            for (bool dependent : {false, true})
              if (!dependent || !is_map(kernel)) {
                const Series series{kernel, precision, bits, dependent};
                for (bool lasting : {false, true})
                  keep_worst(series, run_series(team, series, iterations, lasting, damage));
              }
  }

  void verify_dgemm(int threads, bool damage) {
    if (!has_blas) return;
    set_blas_threads(threads);
    for (std::int64_t order : {1, 16, 129, 250}) {
      MatrixProduct product(order);
      product.multiply();
      if (damage) product.product()[order * order / 2] += 1.0;
      wrong_elements_ += product.wrong(1000);
    }
  }

  // The largest error in units of its tolerance; an exact result is better than any inexact one.
  void keep_worst(const Series& series, const Sample& sample) {
    const auto key = fmt::format("{} {}", name_of(series.kernel), name_of(series.precision));
    auto [entry, is_new] = errors_.emplace(key, sample);
    const Sample& worst = entry->second;
    const bool worse = sample.error * worst.tolerance > worst.error * sample.tolerance ||
                       (sample.tolerance == 0.0 && sample.error > 0.0);
    if (!is_new && worse) entry->second = sample;
  }

  struct Best {
    double fma = 0.0, dgemm = 0.0, clock = 0.0;
  };
  std::vector<int> cores_, counts_;
  std::unique_ptr<Measurement> measurement_;
  std::unique_ptr<MatrixProduct> product_;
  std::map<std::string, Sample> errors_;
  std::int64_t wrong_elements_ = 0;
  Best best_;
};

}  // namespace
}  // namespace hakaru::probes::arithmetic

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<probes::arithmetic::Arithmetic>();
}
