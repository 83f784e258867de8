// How wrong sums are by number of operands and method, and what exactness costs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "native/base/doubling.hpp"
#include "native/harness/program.hpp"
#include "native/parallel/exact_reduction.hpp"
#include "probes/reduction/description.hpp"
#include "probes/reduction/timing.hpp"

namespace hakaru::probes::reduction {
namespace {

using parallel::Communicator;

std::vector<std::int64_t> counts_up_to(std::int64_t most) {
  std::vector<std::int64_t> counts;
  for (std::int64_t count = 2048; count <= most; count *= 8) counts.push_back(count);
  return counts;
}

Operands operands_of(const base::Parameters& parameters, std::int64_t count) {
  return {count, static_cast<int>(parameters.integer("binades")),
          parameters.text("signs") == "positive"};
}

class ReductionProbe final : public harness::Program {
 public:
  base::Description describe() const override { return description(); }

  base::Work work(const base::Parameters& parameters, const base::Layout& layout) const override {
    const double trials = static_cast<double>(parameters.integer("trials"));
    const double repetitions = static_cast<double>(parameters.integer("repetitions_of_sums"));
    const double ranks = layout.ranks, kinds = timed_methods.size();
    const double timed = static_cast<double>(parameters.integer("timed_operands"));
    const double calls = repetitions * static_cast<double>(parameters.integer("calls"));
    const double stages = ranks * base::doubling_rounds(layout.ranks);
    double operands = 0.0;
    for (const auto count : counts_up_to(parameters.integer("most_operands")))
      operands += static_cast<double>(count) * trials * methods.size();
    const double bytes = sizeof(double) + parallel::exact_sum_bytes;
    return {
        static_cast<double>(parameters.integer("most_operands")),
        8.0 * (static_cast<double>(parameters.integer("most_operands")) + ranks * timed),
        {{"errors", operands, 8.0 * operands, 8.0 * operands, 0, 0, 1},
         {"sums", ranks * repetitions * kinds * timed, 8.0 * ranks * repetitions * kinds * timed,
          8.0 * ranks * repetitions * kinds * timed, 0, 0, ranks},
         {"reductions", 0, 0, 0, 2.0 * calls * stages, calls * stages * bytes, ranks}}};
  }

  void repeat(harness::Run& run) override {
    find_errors(run);
    {
      auto phase = run.phases().scope("errors");
      Communicator::world().barrier();
    }
    time_sums(run);
    time_reductions(run);
  }

  void check(harness::Run&, base::Checks& checks) override { check_bits(checks); }

  void verify(harness::Run& run, base::Checks& checks) override {
    find_errors(run);
    check_bits(checks);
    check_orders(run, checks);
  }

 private:
  void find_errors(harness::Run& run) {
    auto phase = run.phases().scope("errors");
    fewest_exact_bits_ = most_bits;
    if (run.rank() != 0) return;
    for (const auto count : counts_up_to(run.parameters().integer("most_operands")))
      for (std::int64_t trial = 0; trial < run.parameters().integer("trials"); ++trial) {
        const auto seed = static_cast<std::uint64_t>(run.parameters().integer("seed") * 1'000'003 +
                                                     trial * 101 + count);
        const auto values = random_operands(operands_of(run.parameters(), count), seed);
        for (const Method method : methods) {
          double sum = sum_of(method, values);
          if (run.damaged()) sum = std::nextafter(std::nextafter(sum, 1e300), 1e300);
          const double bits = right_bits(sum, values);
          run.table("errors").row({name_of(method), count, trial, bits});
          if (method == Method::exact) fewest_exact_bits_ = std::min(fewest_exact_bits_, bits);
        }
      }
  }

  void time_sums(harness::Run& run) {
    auto phase = run.phases().scope("sums");
    const std::int64_t count = run.parameters().integer("timed_operands");
    const auto values = random_operands(operands_of(run.parameters(), count), 7);
    double lowest_s = std::numeric_limits<double>::infinity(), sum = 0.0;
    for (const Method method : timed_methods) time_local(method, values, sum);
    for (std::int64_t i = 0; i < run.parameters().integer("repetitions_of_sums"); ++i)
      for (const Method method : timed_methods) {
        const double seconds = time_local(method, values, sum);
        run.table("sums").row({name_of(method), count, i, seconds});
        if (method == Method::exact) lowest_s = std::min(lowest_s, seconds);
      }
    run.metrics().add("exact", lowest_s / static_cast<double>(count));
  }

  void time_reductions(harness::Run& run) {
    auto phase = run.phases().scope("reductions");
    const auto world = Communicator::world();
    const std::int64_t calls = run.parameters().integer("calls");
    double lowest_s = std::numeric_limits<double>::infinity(), sum = 0.0;
    for (const Reduction reduction : reductions) time_reduction(reduction, world, 3, 1.0, sum);
    for (std::int64_t i = 0; i < run.parameters().integer("repetitions_of_sums"); ++i)
      for (const Reduction reduction : reductions) {
        const bool exact = reduction == Reduction::exact;
        const double seconds = time_reduction(reduction, world, calls, 0.1 * run.rank(), sum);
        const auto bytes = exact ? parallel::exact_sum_bytes : sizeof(double);
        run.table("reductions").row({name_of(reduction), world.size(), bytes, i, seconds});
        if (exact) lowest_s = std::min(lowest_s, seconds);
      }
    run.metrics().add("reduction", lowest_s);
  }

  void check_bits(base::Checks& checks) const {
    const auto world = Communicator::world();
    checks.at_least("bits of exact sums", world.minimum(fewest_exact_bits_), 53.0,
                    "a rounding errs by half a unit in the last of 53 places at most");
  }

  // The same operands, dealt to ranks in other ways.
  void check_orders(harness::Run& run, base::Checks& checks) const {
    const auto world = Communicator::world();
    const auto values = random_operands({4000, 1000, false}, 3);
    const double expected = sum_of(Method::exact, values);
    for (const std::size_t block : {1, 7, 900, 4000}) {
      std::vector<double> mine;
      for (std::size_t i = 0; i < values.size(); ++i)
        if (i / block % static_cast<std::size_t>(world.size()) ==
            static_cast<std::size_t>(world.rank()))
          mine.push_back(values[values.size() - 1 - i]);
      if (run.damaged() && !mine.empty()) mine.front() = std::nextafter(mine.front(), 2.0);
      const double sum = parallel::exact_sum(world, mine);
      checks.equal(fmt::format("sum over ranks, blocks of {}", block), sum, expected,
                   "the same bits whoever adds what");
    }
  }

  double fewest_exact_bits_ = most_bits;
};

}  // namespace
}  // namespace hakaru::probes::reduction

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<probes::reduction::ReductionProbe>();
}
