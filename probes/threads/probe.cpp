// What OpenMP constructs, forks and new threads cost, by number of threads.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>

#include "native/base/cores.hpp"
#include "native/harness/program.hpp"
#include "probes/threads/constructs.hpp"
#include "probes/threads/description.hpp"
#include "probes/threads/starting.hpp"
#include "probes/threads/work_unit.hpp"

namespace hakaru::probes::threads {
namespace {

class Threads final : public harness::Program {
 public:
  base::Description describe() const override { return description(); }

  base::Work work(const base::Parameters& parameters, const base::Layout&) const override {
    const int most = wanted_threads(parameters);
    const double tests = static_cast<double>(parameters.integer("outer_repetitions")) *
                         static_cast<double>(base::spread_counts(most).size());
    return {static_cast<double>(most),
            0.0,
            {{"constructs", 0, 0, 0, 0, 0, tests * constructs.size()},
             {"starting", 0, 0, 0, 0, 0, tests}}};
  }

  std::string refuse(const base::Parameters& parameters, const base::Layout&) const override {
    const auto wanted = parameters.integer("most_threads");
    const auto usable = static_cast<std::int64_t>(base::distinct_cores().size());
    if (wanted <= usable || parameters.text("bind") == "none") return "";
    return fmt::format("{} threads are to be pinned and {} cores may be used", wanted, usable);
  }

  void prepare(harness::Run& run) override {
    most_ = wanted_threads(run.parameters());
    length_ = length_of_delay(run.parameters().real("delay_seconds"));
  }

  void repeat(harness::Run& run) override {
    wrong_outcomes_ = short_teams_ = 0;
    lowest_.clear();
    report_settings(run);
    const auto counts = base::spread_counts(most_);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      run.progress(static_cast<double>(i) / static_cast<double>(counts.size()),
                   fmt::format("{} threads", counts[i]));
      measure_creation(run, counts[i]);
      std::optional<base::PinnedTeam> team;
      if (run.parameters().text("bind") == "cores") {
        auto processors = base::distinct_cores();
        processors.resize(counts[i]);
        team.emplace(processors);
      }
      measure_constructs(run, counts[i]);
      measure_forks(run, counts[i]);
      measure_equal_work(run, counts[i]);
      report_binding(run, counts[i], team);
    }
    run.metrics().add("parallel", lowest_.at(Construct::parallel));
    run.metrics().add("barrier", lowest_.at(Construct::barrier));
  }

  void check(harness::Run&, base::Checks& checks) override {
    checks.equal("samples with lost or repeated work", static_cast<double>(wrong_outcomes_), 0.0,
                 "every unit of work counts itself and every reduction adds one for each thread");
    checks.equal("teams with too few threads", static_cast<double>(short_teams_), 0.0,
                 "each thread notes that it began");
    check_promises(most_, false, checks);
  }

  void verify(harness::Run& run, base::Checks& checks) override {
    const int threads = run.layout().threads;
    const std::int64_t length = length_of_delay(run.parameters().real("delay_seconds"));
    for (Construct construct : constructs) {
      Outcome outcome = run_construct(construct, threads, 60 * threads, length);
      if (run.damaged()) --outcome.units;
      checks.equal(
          name_of(construct) + ": units of work", static_cast<double>(outcome.units),
          static_cast<double>(outcome.expected),
          "each thread does one unit in each construct (single: one thread; critical: its share)");
      if (construct == Construct::reduction)
        checks.equal("reduction: sum", outcome.reduced, outcome.expected_reduced,
                     "one from each thread each time");
    }
    checks.equal("threads that began", time_start(threads, 0.0).begun, threads,
                 "each thread notes that it began");
    check_promises(threads, run.damaged(), checks);
  }

 private:
  static int wanted_threads(const base::Parameters& parameters) {
    const auto wanted = static_cast<int>(parameters.integer("most_threads"));
    return wanted > 0 ? wanted : std::max(1, static_cast<int>(base::distinct_cores().size()));
  }

  static void report_settings(harness::Run& run) {
    for (const char* name : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "OMP_PROC_BIND", "OMP_PLACES"}) {
      const char* value = std::getenv(name);
      run.table("settings").row({name, value ? value : "not set"});
    }
    run.table("settings")
        .row({"bound by the probe", run.parameters().text("bind") == "cores" ? "yes" : "no"});
  }

  // The reference is timed within every outer repetition, so that a drifting clock touches both.
  void measure_constructs(harness::Run& run, int threads) {
    auto phase = run.phases().scope("constructs");
    const double least_s = run.parameters().real("test_seconds");
    std::map<Construct, std::int64_t> inner;
    for (Construct construct : constructs)
      inner[construct] = calibrate(construct, threads, length_, least_s);
    Worker worker;
    std::int64_t units = 1;
    while (time_units(worker, units, length_) < least_s) units *= 2;
    for (std::int64_t repetition = 0; repetition < run.parameters().integer("outer_repetitions");
         ++repetition) {
      const double reference_s = time_units(worker, units, length_) / static_cast<double>(units);
      for (Construct construct : constructs) {
        const Outcome outcome = run_construct(construct, threads, inner[construct], length_);
        const double overhead_s =
            outcome.seconds / static_cast<double>(inner[construct]) - reference_s;
        run.table("overheads")
            .row({name_of(construct), threads, repetition, inner[construct], outcome.seconds,
                  reference_s, overhead_s});
        wrong_outcomes_ += !outcome.right();
        if (threads == most_) keep_lowest(construct, overhead_s);
      }
    }
  }

  void keep_lowest(Construct construct, double overhead_s) {
    const auto [entry, is_new] = lowest_.emplace(construct, overhead_s);
    if (!is_new) entry->second = std::min(entry->second, overhead_s);
  }

  // Unpinned, so that new threads may run anywhere.
  void measure_creation(harness::Run& run, int threads) {
    auto phase = run.phases().scope("starting");
    for (std::int64_t repetition = 0;
         threads > 1 && repetition < run.parameters().integer("outer_repetitions"); ++repetition) {
      const Start start = time_creation(threads);
      if (start.begun == 0) return;
      short_teams_ += start.begun != threads;
      run.table("creation").row({threads, repetition, start.fork_s});
    }
  }

  void measure_forks(harness::Run& run, int threads) {
    auto phase = run.phases().scope("starting");
    const double longest_s = run.parameters().real("idle_seconds");
    for (std::int64_t repetition = 0; repetition < run.parameters().integer("outer_repetitions");
         ++repetition)
      for (double idle_s : {0.0, longest_s / 100.0, longest_s}) {
        const Start start = time_start(threads, idle_s);
        short_teams_ += start.begun != threads;
        run.table("forks").row({threads, repetition, idle_s, start.fork_s, start.join_s});
      }
  }

  void measure_equal_work(harness::Run& run, int threads) {
    auto phase = run.phases().scope("starting");
    Worker worker;
    std::int64_t units = 1;
    while (time_units(worker, units, length_) < run.parameters().real("test_seconds")) units *= 2;
    for (std::int64_t repetition = 0; repetition < run.parameters().integer("outer_repetitions");
         ++repetition) {
      const auto seconds = time_equal_work(threads, units, length_);
      for (int thread = 0; thread < threads; ++thread)
        run.table("equal_work").row({threads, repetition, thread, seconds[thread]});
    }
  }

  static void report_binding(harness::Run& run, int threads,
                             std::optional<base::PinnedTeam>& team) {
    std::vector<int> seen(threads, -1);
#pragma omp parallel num_threads(threads)
    seen[omp_get_thread_num()] = ::sched_getcpu();
    for (int thread = 0; thread < threads; ++thread)
      run.table("binding").row(
          {threads, thread, team ? team->processors()[thread] : -1, seen[thread]});
    base::require_environment(
        !team || seen == team->processors(), "the threads left the processors they were pinned to",
        "the kernel moved them", "look for a service that changes affinities");
  }

  static void check_promises(int threads, bool damage, base::Checks& checks) {
    const Violations found = find_violations(threads, 50, damage);
    auto none = [&](const char* name, std::int64_t count, const char* reason) {
      checks.equal(name, static_cast<double>(count), 0.0, reason);
    };
    none("for: iterations not run exactly once", found.loop, "each iteration counts itself");
    none("barrier: threads in an earlier phase", found.barrier,
         "after a barrier every thread is in the same phase");
    none("critical: lost updates", found.exclusion, "a plain counter in the region");
    none("single: regions not run exactly once", found.single, "a plain counter in the region");
    none("reduction: error of the sum", found.reduction, "1 + 2 + ... + n = n (n + 1) / 2");
  }

  int most_ = 1;
  std::int64_t length_ = 1, wrong_outcomes_ = 0, short_teams_ = 0;
  std::map<Construct, double> lowest_;
};

}  // namespace
}  // namespace hakaru::probes::threads

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<probes::threads::Threads>();
}
