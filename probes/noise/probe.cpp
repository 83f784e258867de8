// What the operating system, and whoever else, takes from a program: fixed work, fixed time, and
// detours, on every core at once.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "native/base/cores.hpp"
#include "native/harness/program.hpp"
#include "probes/noise/quanta.hpp"
#include "probes/noise/watch.hpp"

namespace hakaru::probes::noise {
namespace {

constexpr std::size_t most_detours = 20'000;  // of a core

class Noise final : public harness::Program {
 public:
  base::Description describe() const override {
    base::Description d("noise", "time that the system takes from a program, on every core");
    d.real("seconds", 2.0, 1e-3, 3600.0, "s", "length of each of the three measurements")
        .real("work_seconds", 1e-3, 1e-6, 1.0, "s", "the work of a quantum, undisturbed")
        .real("window_seconds", 4e-4, 1e-6, 1.0, "s", "window of the fixed time quantum")
        .real("least_detour", 5e-7, 1e-8, 1.0, "s", "shorter gaps are no detours")
        .integer("cores", 0, 0, 4096, "1", "cores to keep busy; 0: every core that may be used")
        .integer("reserve", 0, 0, 4095, "1", "cores of these to leave to the system")
        .preset("small", {{"seconds", 0.2}}, "well under a second")
        .phase("fixed work", base::PhaseKind::compute, "the same work again and again")
        .phase("fixed time", base::PhaseKind::compute, "work that fits into windows")
        .phase("watch", base::PhaseKind::compute, "reading the clock")
        .metric("share", "1", base::Better::lower, "mean / minimum - 1 of fixed work, worst core")
        .metric("longest", "s", base::Better::lower, "longest detour of any core")
        .table("fixed_work", {{"core", "1"}, {"start", "s"}, {"seconds", "s"}},
               "every quantum of fixed work")
        .table("fixed_time", {{"core", "1"}, {"window", "1"}, {"chunks", "1"}},
               "chunks of work in each window of window_seconds")
        .table("detours", {{"core", "1"}, {"start", "s"}, {"length", "s"}},
               "gaps between two readings of the clock, less the shortest gap")
        .table("watched",
               {{"core", "1"},
                {"seconds", "s"},
                {"shortest_gap", "s"},
                {"readings", "1"},
                {"left_out", "1"},
                {"left_out_s", "s"}},
               "how long each core was watched; detours beyond the room for them")
        .table("binding", {{"core", "1"}, {"processor", "1"}, {"seen", "1"}},
               "processor a thread was pinned to and seen on")
        .limits(1, 0)
        .verifies({}, "detours made on purpose")
        .size_meaning("cores kept busy");
    return d;
  }

  base::Work work(const base::Parameters& parameters, const base::Layout&) const override {
    const double busy = std::max(1, busy_cores(parameters));
    return {busy,
            0.0,
            {{"fixed work", 0, 0, 0, 0, 0, static_cast<double>(quanta(parameters))},
             {"fixed time", 0, 0, 0, 0, 0, static_cast<double>(windows(parameters))},
             {"watch", 0, 0, 0, 0, 0, 1}}};
  }

  std::string refuse(const base::Parameters& parameters, const base::Layout&) const override {
    const auto usable = static_cast<int>(base::distinct_cores().size());
    if (parameters.integer("cores") > usable)
      return fmt::format("{} threads are to be pinned and {} cores may be used",
                         parameters.integer("cores"), usable);
    if (busy_cores(parameters) < 1)
      return fmt::format("{} of {} cores are reserved, which leaves none",
                         parameters.integer("reserve"), wanted_cores(parameters));
    return "";
  }

  void repeat(harness::Run& run) override {
    auto processors = base::distinct_cores();
    processors.resize(wanted_cores(run.parameters()));
    processors.erase(processors.begin(), processors.begin() + run.parameters().integer("reserve"));
    base::PinnedTeam team(processors);
    measure_work(run, team);
    measure_time(run, team);
    measure_detours(run, team);
    const bool in_place = team.in_place();
    for (int i = 0; i < team.size(); ++i)
      run.table("binding").row({i, team.processors()[i], team.seen()[i]});
    base::require_environment(in_place, "the threads left the processors they were pinned to",
                              "the kernel moved them",
                              "look for a service that changes affinities");
  }

  void check(harness::Run&, base::Checks& checks) override {
    checks.equal("cores whose work was not done", wrong_, 0.0,
                 "the chain of multiplications has come to the number that it must");
  }

  void verify(harness::Run& run, base::Checks& checks) override {
    const std::int64_t units = units_of(1e-5);
    FixedWork work = fixed_work(500, units);
    if (run.damaged()) ++work.value;
    checks.equal("fixed work: result", work.value == work_result(1, 500 * units), 1.0,
                 "the chain has come to the number that it must");
    checks.equal("fixed time: result", right(fixed_time(100, 1e-4, units), units), 1.0,
                 "as many chunks as were counted");
    const std::vector<double> pauses{0.01, 0.02, 0.035};
    constexpr double pause_s = 3e-4;
    Watch watched = watch(0.05, 5e-7, most_detours, pauses, pause_s);
    if (run.damaged()) watched.detours.clear();
    checks.at_least("detours made on purpose and found", found_of(watched, pauses, pause_s), 3.0,
                    "three of 0.3 ms at known times");
  }

 private:
  static int wanted_cores(const base::Parameters& parameters) {
    const auto wanted = static_cast<int>(parameters.integer("cores"));
    return wanted > 0 ? wanted : static_cast<int>(base::distinct_cores().size());
  }
  static int busy_cores(const base::Parameters& parameters) {
    return wanted_cores(parameters) - static_cast<int>(parameters.integer("reserve"));
  }
  static std::int64_t quanta(const base::Parameters& p) {
    return std::max<std::int64_t>(1, std::llround(p.real("seconds") / p.real("work_seconds")));
  }
  static std::int64_t windows(const base::Parameters& p) {
    return std::max<std::int64_t>(1, std::llround(p.real("seconds") / p.real("window_seconds")));
  }

  static bool right(const FixedTime& time, std::int64_t units) {
    std::int64_t chunks = time.beyond;
    for (std::int64_t one : time.chunks) chunks += one;
    return time.value == work_result(1, chunks * units);
  }

  static double found_of(const Watch& watched, const std::vector<double>& pauses, double pause_s) {
    return static_cast<double>(std::count_if(pauses.begin(), pauses.end(), [&](double at) {
      return std::any_of(watched.detours.begin(), watched.detours.end(), [&](const Detour& one) {
        return one.start_s <= at + pause_s && one.start_s + one.length_s >= at + pause_s;
      });
    }));
  }

  void measure_work(harness::Run& run, const base::PinnedTeam& team) {
    auto phase = run.phases().scope("fixed work");
    const std::int64_t units = units_of(run.parameters().real("work_seconds"));
    const std::int64_t count = quanta(run.parameters());
    std::vector<FixedWork> found(team.size());
#pragma omp parallel num_threads(team.size())
    {
#pragma omp barrier
      found[omp_get_thread_num()] = fixed_work(count, units);
    }
    wrong_ = 0;
    double worst = 0.0;
    for (int core = 0; core < team.size(); ++core) {
      const auto& seconds = found[core].seconds;
      double total_s = 0.0;
      for (std::int64_t i = 0; i < count; ++i) {
        run.table("fixed_work").row({core, found[core].start_s[i], seconds[i]});
        total_s += seconds[i];
      }
      const double least_s = *std::min_element(seconds.begin(), seconds.end());
      worst = std::max(worst, total_s / static_cast<double>(count) / least_s - 1.0);
      wrong_ += found[core].value != work_result(1, count * units);
    }
    run.metrics().add("share", worst);
  }

  void measure_time(harness::Run& run, const base::PinnedTeam& team) {
    auto phase = run.phases().scope("fixed time");
    const double window_s = run.parameters().real("window_seconds");
    const std::int64_t units = units_of(window_s / 500.0), count = windows(run.parameters());
    std::vector<FixedTime> found(team.size());
#pragma omp parallel num_threads(team.size())
    {
#pragma omp barrier
      found[omp_get_thread_num()] = fixed_time(count, window_s, units);
    }
    for (int core = 0; core < team.size(); ++core) {
      for (std::int64_t i = 0; i < count; ++i)
        run.table("fixed_time").row({core, i, found[core].chunks[i]});
      wrong_ += !right(found[core], units);
    }
  }

  static void measure_detours(harness::Run& run, const base::PinnedTeam& team) {
    auto phase = run.phases().scope("watch");
    const double seconds = run.parameters().real("seconds");
    const double least_s = run.parameters().real("least_detour");
    std::vector<Watch> found(team.size());
#pragma omp parallel num_threads(team.size())
    {
#pragma omp barrier
      found[omp_get_thread_num()] = watch(seconds, least_s, most_detours);
    }
    double longest_s = 0.0;
    for (int core = 0; core < team.size(); ++core) {
      const Watch& one = found[core];
      for (const Detour& detour : one.detours) {
        run.table("detours").row({core, detour.start_s, detour.length_s});
        longest_s = std::max(longest_s, detour.length_s);
      }
      run.table("watched").row(
          {core, one.seconds, one.shortest_gap_s, one.readings, one.left_out, one.left_out_s});
    }
    run.metrics().add("longest", longest_s);
  }

  double wrong_ = 0;
};

}  // namespace
}  // namespace hakaru::probes::noise

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<probes::noise::Noise>();
}
