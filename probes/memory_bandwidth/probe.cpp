// Bandwidth of memory and of each cache level by number of cores.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

#include "native/base/system.hpp"
#include "native/harness/program.hpp"
#include "probes/memory_bandwidth/indexed.hpp"
#include "probes/memory_bandwidth/plan.hpp"
#include "probes/memory_bandwidth/stream.hpp"
#include "probes/memory_bandwidth/sweep.hpp"

namespace hakaru::probes::memory_bandwidth {
namespace {

// Bytes of this process in transparent huge pages now, as the kernel says; 0 when it does not say.
double huge_page_bytes_in_use() {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("AnonHugePages:", 0) == 0) return std::atof(line.c_str() + 14) * 1024.0;
  return 0.0;
}

class MemoryBandwidth final : public harness::Program {
 public:
  base::Description describe() const override {
    base::Description d("memory_bandwidth",
                        "bandwidth of memory and caches by number of cores (STREAM)");
    d.integer("cores", 0, 0, 65536, "1",
              "largest number of cores; 0: all that this process may use")
        .integer("array_bytes", 0, 0, std::int64_t{1} << 44, "B",
                 "size of each of the three arrays; 0: 4 x all last-level caches together, "
                 "STREAM's rule")
        .integer("maximum_array_bytes", std::int64_t{512} << 20, 1 << 12, std::int64_t{1} << 44,
                 "B", "cap of array_bytes, said in the record when it binds")
        .integer("rounds", 3, 1, 1000, "1",
                 "times that everything is measured, one round after another")
        .integer("runs", 11, 10, 200, "1",
                 "runs of each kernel in each round, of which the first is discarded")
        .integer("sweep_repetitions", 3, 0, 1000, "1",
                 "samples of each cache working set in each round; 0: no sweep")
        .integer(
            "sweep_sample_bytes", std::int64_t{64} << 20, 1 << 16, std::int64_t{1} << 40, "B",
            "bytes that each core moves in one sample of the sweep, unless one pass moves more")
        .choice("pages", "huge", {"huge", "base"}, "kind of page: transparent huge or base pages")
        .preset("small",
                {{"maximum_array_bytes", std::int64_t{32} << 20},
                 {"rounds", 1},
                 {"runs", 10},
                 {"sweep_repetitions", 2},
                 {"sweep_sample_bytes", std::int64_t{8} << 20}},
                "arrays of at most 32 MiB, one round: about a second")
        .phase("stream", base::PhaseKind::compute,
               "the six kernels on large arrays, with first touch and verification")
        .phase("sweep", base::PhaseKind::compute,
               "triad, and products of sparse matrices, on working sets inside the caches")
        .metric("triad_best", "B/s", base::Better::higher,
                "triad on the most cores, best of the runs as STREAM reports it")
        .table("stream",
               {{"kernel", "text"},
                {"cores", "1"},
                {"bytes_per_array", "B"},
                {"round", "1"},
                {"repetition", "1"},
                {"seconds", "s"}},
               "time of one pass over the arrays, which all cores share; first runs are left out")
        .table("sweep",
               {{"kernel", "text"},
                {"cores", "1"},
                {"bytes_per_array", "B"},
                {"round", "1"},
                {"repetition", "1"},
                {"passes", "1"},
                {"seconds", "s"}},
               "time of one pass over three arrays of this size that each core has for itself")
        .table("indexed",
               {{"cores", "1"},
                {"row_elements", "1"},
                {"working_set_bytes", "B"},
                {"round", "1"},
                {"repetition", "1"},
                {"passes", "1"},
                {"seconds", "s"}},
               "time of one product of a square sparse matrix with so many elements a row and a "
               "vector, so many bytes of each core")
        .table("placement", {{"cores", "1"}, {"thread", "1"}, {"processor", "1"}, {"seen", "1"}},
               "processor of each thread: the one asked for, and where the kernel said it was "
               "after the runs")
        .table("conditions",
               {{"bytes_per_array", "B"},
                {"bytes_per_array_by_rule", "B"},
                {"last_level_cache_bytes", "B"},
                {"capped", "text"},
                {"pages", "text"},
                {"huge_page_bytes", "B"},
                {"discarded_runs", "1"}},
               "sizes by the rule and as used; huge_page_bytes is what the kernel gave while the "
               "arrays were in use")
        .limits(1, 0)
        .verifies({"cores", "runs"}, "short arrays with both kinds of pages")
        .size_meaning("elements of each array");
    return d;
  }

  std::string refuse(const base::Parameters& parameters, const base::Layout&) const override {
    return memory_bandwidth::refuse(parameters);
  }

  base::Work work(const base::Parameters& parameters, const base::Layout&) const override {
    const Plan plan = make_plan(parameters);
    base::PhaseWork stream{"stream", 0, 0, 0, 0, 0, 0}, sweep{"sweep", 0, 0, 0, 0, 0, 0};
    for (const int cores : plan.core_counts) {
      for (const Kernel kernel : all_kernels)
        count(stream, kernel, static_cast<double>(plan.elements), plan.rounds * plan.runs);
      if (plan.sweep_repetitions == 0) continue;
      for (const auto working_set : plan.working_sets(cores)) {
        const SweepShape shape = sweep_shape(working_set, plan.sample_bytes);
        const double passes =
            static_cast<double>(shape.passes) * plan.rounds * (plan.sweep_repetitions + 1);
        count(sweep, Kernel::triad, static_cast<double>(shape.elements) * cores, passes);
      }
      for (const auto row : indexed_rows)
        for (const auto working_set : plan.indexed_sets(cores)) {
          const IndexedShape shape = indexed_shape(working_set, row, plan.sample_bytes);
          const double passes = 2.0 * static_cast<double>(shape.passes * plan.rounds) * cores;
          sweep.flops += 2.0 * static_cast<double>(shape.elements()) * passes;
          sweep.bytes += shape.bytes() * passes;
          sweep.bytes_write_allocate += shape.bytes() * passes;
          sweep.calls += passes;
        }
    }
    return {static_cast<double>(plan.elements),
            3.0 * static_cast<double>(plan.array.bytes),
            {stream, sweep}};
  }

  void repeat(harness::Run& run) override {
    const Plan plan = make_plan(run.parameters());
    if (!plan.array.reason_capped.empty())
      fmt::print("memory_bandwidth: {}\n", plan.array.reason_capped);
    outcome_ = {};
    const double steps = static_cast<double>(plan.rounds * plan.core_counts.size());
    double step = 0.0;
    for (int round = 1; round <= plan.rounds; ++round)
      for (const int cores : plan.core_counts) {
        run.progress(step++ / steps,
                     fmt::format("round {} of {}, {} cores", round, plan.rounds, cores));
        measure(run, plan, cores, round);
      }
    run.metrics().add("triad_best", traffic(Kernel::triad).bytes *
                                        static_cast<double>(plan.elements) / outcome_.best_triad_s);
    run.table("conditions")
        .row({plan.elements * sizeof(double), plan.array.by_rule, base::last_level_cache_bytes(),
              plan.array.reason_capped.empty() ? "no" : plan.array.reason_capped,
              run.parameters().text("pages"), outcome_.huge_page_bytes, 1});
  }

  void check(harness::Run&, base::Checks& checks) override { check_outcome(checks); }

  // An odd number of elements, all numbers of cores, both kinds of page.
  void verify(harness::Run& run, base::Checks& checks) override {
    Plan plan = make_plan(run.parameters());
    outcome_ = {};
    for (const auto pages : {base::Pages::transparent_huge, base::Pages::base})
      for (const int cores : plan.core_counts) {
        base::PinnedTeam team = team_of(plan, cores);
        StreamArrays arrays(verify_elements, pages);
        first_touch(team, arrays);
        const StreamResult result = run_stream(team, arrays, plan.runs);
        if (run.damaged()) arrays.a[verify_elements / 2] += 1.0;
        note(result, errors_of(arrays, result, plan.runs), team);
        outcome_.sweep_wrong +=
            run_sweep(team, {8192, 100'000, 1'000'000}, 1 << 16, 2, pages, run.damaged()).wrong +
            run_indexed(team, {1, 100'000, 1'000'000}, 1 << 16, 2, pages, run.damaged()).wrong;
      }
    check_outcome(checks);
  }

 private:
  static constexpr std::size_t verify_elements = 300'007;

  struct Outcome {
    StreamErrors errors;          // worst of all
    double sweep_wrong = 0.0;     // elements
    double shortest_s = 1e300;    // of all samples
    double best_triad_s = 1e300;  // on the most cores
    double misplaced = 0.0;       // threads that were not on their processor
    double huge_page_bytes = 0.0;
  };

  static void count(base::PhaseWork& work, Kernel kernel, double elements, double passes) {
    const Traffic per_element = traffic(kernel);
    work.flops += per_element.flops * elements * passes;
    work.bytes += per_element.bytes * elements * passes;
    work.bytes_write_allocate += per_element.bytes_write_allocate * elements * passes;
    work.calls += passes;
  }

  static base::PinnedTeam team_of(const Plan& plan, int cores) {
    return base::PinnedTeam({plan.processors.begin(), plan.processors.begin() + cores});
  }

  void measure(harness::Run& run, const Plan& plan, int cores, int round) {
    base::PinnedTeam team = team_of(plan, cores);
    {
      auto phase = run.phases().scope("stream");
      StreamArrays arrays(plan.elements, plan.pages);
      first_touch(team, arrays);
      const StreamResult result = run_stream(team, arrays, plan.runs);
      outcome_.huge_page_bytes = std::max(outcome_.huge_page_bytes, huge_page_bytes_in_use());
      note(result, errors_of(arrays, result, plan.runs), team);
      for (const StreamSample& sample : result.samples) {
        if (sample.run == 1) continue;
        run.table("stream").row({name_of(sample.kernel), cores, plan.elements * sizeof(double),
                                 round, sample.run - 1, sample.seconds});
        if (sample.kernel == Kernel::triad && cores == plan.core_counts.back())
          outcome_.best_triad_s = std::min(outcome_.best_triad_s, sample.seconds);
      }
    }
    if (round == 1)
      for (int thread = 0; thread < cores; ++thread)
        run.table("placement").row({cores, thread, team.processors()[thread], team.seen()[thread]});
    if (plan.sweep_repetitions > 0) sweep(run, plan, team, round);
  }

  void sweep(harness::Run& run, const Plan& plan, base::PinnedTeam& team, int round) {
    auto phase = run.phases().scope("sweep");
    const SweepResult result = run_sweep(team, plan.working_sets(team.size()), plan.sample_bytes,
                                         plan.sweep_repetitions, plan.pages);
    outcome_.sweep_wrong += result.wrong;
    for (const SweepSample& sample : result.samples) {
      outcome_.shortest_s = std::min(outcome_.shortest_s, sample.seconds);
      run.table("sweep").row({name_of(Kernel::triad), team.size(), sample.bytes_per_array, round,
                              sample.repetition, sample.passes, sample.seconds});
    }
    const std::vector<std::int64_t> sets = plan.indexed_sets(team.size());
    const IndexedResult indexed = run_indexed(team, sets, plan.sample_bytes, 1, plan.pages);
    outcome_.sweep_wrong += indexed.wrong;
    for (const IndexedSample& sample : indexed.samples)
      run.table("indexed").row({team.size(), sample.shape.row, sample.shape.bytes(), round,
                                sample.repetition, sample.shape.passes, sample.seconds});
  }

  void note(const StreamResult& result, const StreamErrors& errors, base::PinnedTeam& team) {
    StreamErrors& worst = outcome_.errors;
    const auto worse = [](double now, double before) { return now <= before ? before : now; };
    worst = {worse(errors.average, worst.average), worse(errors.largest, worst.largest),
             worse(errors.read, worst.read), worse(errors.read_bound, worst.read_bound)};
    for (const StreamSample& sample : result.samples)
      outcome_.shortest_s = std::min(outcome_.shortest_s, sample.seconds);
    team.in_place();
    for (int thread = 0; thread < team.size(); ++thread)
      outcome_.misplaced += team.seen()[thread] != team.processors()[thread];
  }

  void check_outcome(base::Checks& checks) const {
    checks.at_most("average error of the arrays", outcome_.errors.average, 1e-13,
                   "STREAM's rule for double precision");
    checks.at_most("largest error of an element", outcome_.errors.largest, 1e-12,
                   "rounding of at most 200 runs of five operations");
    checks.at_most("error of the sum", outcome_.errors.read, outcome_.errors.read_bound,
                   "a-priori bound of the rounding error");
    checks.equal("wrong elements of the sweep", outcome_.sweep_wrong, 0.0,
                 "triad of numbers that stay the same");
    checks.at_least("shortest time of a pass", outcome_.shortest_s, 1e-9,
                    "no pass over the arrays takes less than a nanosecond");
    checks.equal("threads away from their processor", outcome_.misplaced, 0.0,
                 "as the kernel says after the runs");
  }

  Outcome outcome_;
};

}  // namespace
}  // namespace hakaru::probes::memory_bandwidth

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<probes::memory_bandwidth::MemoryBandwidth>();
}
