#include "native/harness/execution.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <utility>

#include "native/base/atomic_file.hpp"
#include "native/base/clock.hpp"
#include "native/base/handover.hpp"
#include "native/base/run_delay.hpp"
#include "native/base/system.hpp"
#include "native/harness/binding.hpp"
#include "native/harness/cold_caches.hpp"
#include "native/harness/record.hpp"
#include "native/harness/summary.hpp"
#include "native/harness/termination.hpp"
#include "native/harness/work.hpp"

namespace hakaru::harness {
namespace {

using base::ExitCode;
using base::json;

// Told to a tracer from construction to destruction.
class Region {
 public:
  Region(base::PhaseObserver* observer, const char* name) : observer_(observer), name_(name) {
    if (observer_) observer_->begin(name_);
  }
  ~Region() {
    if (observer_) observer_->end(name_);
  }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

 private:
  base::PhaseObserver* observer_;
  const char* name_;
};

struct Usage {
  double steal_s, load_average, involuntary_switches, major_faults;
};

Usage observe_usage() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return {base::steal_seconds(), base::load_average(), static_cast<double>(usage.ru_nivcsw),
          static_cast<double>(usage.ru_majflt)};
}

// Largest resident set of this process so far in B.
double peak_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

class Execution final : public Run {
 public:
  Execution(Program& program, const base::Description& description, const CommandLine& line,
            Ranks& ranks)
      : program_(program),
        description_(description),
        line_(line),
        ranks_(ranks),
        layout_{ranks.size(), line.threads},
        phases_(description.phases()),
        metrics_(description.metrics()) {
    for (const auto& table : description.tables()) tables_.emplace(table.name, base::Table(table));
    phases_.tell(ranks.observer());
  }

  const base::Parameters& parameters() const override { return line_.parameters; }
  base::Layout layout() const override { return layout_; }
  int rank() const override { return ranks_.rank(); }
  base::Phases& phases() override { return phases_; }
  base::Metrics& metrics() override { return metrics_; }
  base::Table& table(const std::string& name) override { return tables_.at(name); }
  bool damaged() const override { return line_.damage; }
  void progress(double fraction, const std::string& what) override {
    static const bool watched = ::isatty(STDERR_FILENO) || std::getenv("HAKARU_PROGRESS");
    if (watched && rank() == 0)
      fmt::print(stderr, "progress {:.3f} {}\n", std::clamp(fraction, 0.0, 1.0), what);
  }

  ExitCode perform() {
    record_ = begin_record(description_, line_, layout_, kind_of_program());
    if (!line_.record_file.empty() && rank() == 0) base::require_writable(line_.record_file);
    record_wanted_ = !line_.record_file.empty();
    refuse_impossible();
    if (line_.cold) base::take_caches_for_full();
    observe_layout();
    if (line_.cold) empty_caches();
    arm();
    const Usage before = observe_usage();
    base::Checks checks;
    if (line_.command == Command::run) {
      repeat();
      program_.check(*this, checks);
    } else {
      program_.verify(*this, checks);
    }
    const bool passed = judge(checks);
    const ExitCode code = passed ? ExitCode::ok : ExitCode::verification;
    finish(before, checks, passed);
    forget_write_on_signal();
    if (rank() == 0) {
      print_summary(record_);
      const bool wanted = std::exchange(record_wanted_, false);  // a failure to write is said once
      if (wanted) base::write_file_atomically(line_.record_file, record_.dump());
    }
    ranks_.barrier();
    return code;
  }

  // Called on the rank that failed.
  void write_failure(const std::string& reason, ExitCode code) {
    forget_write_on_signal();
    if (!record_wanted_) return;
    fail(record_, reason, static_cast<int>(code));
    if (code == ExitCode::verification) record_["verdict"] = "failed";
    try {
      base::write_file_atomically(line_.record_file, record_.dump());
    } catch (const std::exception& error) {
      fmt::print(stderr, "{}: {}\n", description_.name(), error.what());
    }
  }

 private:
  void refuse_impossible() {
    require_limits(description_, layout_);
    if (line_.command == Command::run)
      require_accepted(program_, description_, line_.parameters, layout_);
  }

  void empty_caches() {
    const base::Work work = work_of(program_, description_, line_.parameters, layout_);
    cold_ = std::make_unique<ColdCaches>(work.phases, layout_.threads, ranks_.observer());
    phases_.tell(cold_.get());
  }

  void observe_layout() {
    const BindingReport binding = observe_binding(ranks_, layout_.threads);
    record_["work"] = evaluate(program_, description_, line_.parameters, layout_);
    record_["environment"]["mpi_library"] = ranks_.library();
    const std::size_t hosts = ranks_.all(true) && rank() == 0 ? binding.hosts.size() : 1;
    if (rank() == 0) {
      record_["layout"]["hosts"] = binding.hosts;
      record_["layout"]["binding"] = binding.ranks;
      record_["layout"]["oversubscribed"] = binding.oversubscribed;
      record_["layout"]["binding_problems"] = binding.problems;
      cores_apart_ = hosts == 1 && !binding.oversubscribed;
      if (line_.command == Command::run) require_memory(hosts);
    }
    ranks_.barrier();
  }

  void require_memory(std::size_t hosts) {
    const double emptying =
        line_.cold ? static_cast<double>(ColdCaches::bytes(layout_.threads)) : 0;
    const double needed =
        (record_["work"]["memory_bytes"].get<double>() + emptying * layout_.ranks) /
        static_cast<double>(hosts);
    const double available = base::available_memory_bytes();
    base::require_environment(
        needed <= available,
        fmt::format("{} needs about {:.1f} GiB of memory on {}", description_.name(),
                    needed / 1073741824.0, base::host_name()),
        fmt::format("{:.1f} GiB are available", available / 1073741824.0),
        "choose a smaller problem or more hosts");
  }

  void arm() {
    if (line_.record_file.empty()) return;
    write_on_signal(line_.record_file, [&](const char* signal, int exit_code) {
      json interrupted = record_;
      fail(interrupted, fmt::format("ended by signal {}", signal), exit_code);
      return interrupted.dump();
    });
  }

  void repeat() {
    const bool app = kind_of_program() == "app";
    const UsualRun usual = usual_run(kind_of_program());
    const int warmup = line_.warmup >= 0 ? line_.warmup : usual.warmup;
    const int repetitions = line_.repetitions > 0 ? line_.repetitions : usual.repetitions;
    progress(0.0, "prepare");
    program_.prepare(*this);
    for (int i = 0; i < warmup; ++i) {
      const Region region(ranks_.observer(), warmup_region);
      program_.repeat(*this);
    }
    metrics_.clear();
    for (auto& [name, table] : tables_) table.clear();
    record_["warmup_discarded"] = warmup;
    for (int i = 0; i < repetitions; ++i) {
      if (app) progress(static_cast<double>(i) / repetitions, "repetition");
      timed_repetition();
    }
    record_["phases"].push_back({{"name", idle_phase}, {"kind", "idle"}});
  }

  void timed_repetition() {
    phases_.reset();
    const double handover_s = ask_handover_s();
    if (cold_) cold_->take_spent_s();
    const base::RunDelay delay;
    ranks_.barrier();
    const double start = base::now_s();
    {
      const Region region(ranks_.observer(), repetition_region);
      program_.repeat(*this);
    }
    const double emptied_s = cold_ ? cold_->take_spent_s() : 0.0;
    const double own = base::now_s() - start - emptied_s;
    {
      const Region region(ranks_.observer(), idle_phase);
      ranks_.barrier();
    }
    const double whole = base::now_s() - start - emptied_s;
    // What was waited while caches were emptied nobody can tell from the rest.
    const auto waited = cold_ ? base::RunDelay::Waited{} : delay.waited();
    std::vector<double> mine{own, whole - own, waited.longest_s, waited.all_s};
    mine.insert(mine.end(), phases_.seconds().begin(), phases_.seconds().end());
    const std::vector<double> all = ranks_.gather(mine);
    if (rank() == 0)
      record_["repetitions"].push_back(repetition_json(all, mine.size(), handover_s));
  }

  double ask_handover_s() {
    if (traced_) return 0.0;
    if (layout_.ranks > 1) return ranks_.handover_s(cores_apart_);
    return cores_apart_ ? base::handover_of_threads_s(layout_.threads) : 0.0;
  }

  json repetition_json(const std::vector<double>& all, std::size_t fields,
                       double handover_s) const {
    auto field = [&](std::size_t which) {
      std::vector<double> values;
      for (std::size_t start = 0; start < all.size(); start += fields)
        values.push_back(all[start + which]);
      return values;
    };
    const std::vector<double> own = field(0);
    json phases = json::object();
    for (std::size_t i = 0; i < description_.phases().size(); ++i)
      phases[description_.phases()[i].name] = field(4 + i);
    phases[idle_phase] = field(1);
    json repetition{{"wall_s", *std::max_element(own.begin(), own.end())},
                    {"rank_s", own},
                    {"waited_s", field(2)},
                    {"waited_all_s", field(3)},
                    {"phases", phases}};
    if (handover_s > 0.0) repetition["handover_s"] = handover_s;
    return repetition;
  }

  // True when checks exist and hold on every rank. Failures seen by other ranks are named.
  bool judge(const base::Checks& checks) {
    std::string failures;
    for (const auto& check : checks.all())
      if (!check.passed) failures += (failures.empty() ? "" : ", ") + check.name;
    const auto of_ranks = ranks_.gather(failures);
    if (rank() == 0)
      for (std::size_t other = 1; other < of_ranks.size(); ++other)
        if (!of_ranks[other].empty() && failures.empty())
          fmt::print(stderr, "rank {}: failed checks: {}\n", other, of_ranks[other]);
    const bool nothing_to_check = line_.command == Command::run && checks.all().empty();
    return ranks_.all(nothing_to_check || checks.passed());
  }

  void finish(const Usage& before, const base::Checks& checks, bool passed) {
    const Usage after = observe_usage();
    json peaks = json::array();
    for (const double peak : ranks_.gather(std::vector<double>{peak_bytes()}))
      peaks.push_back(static_cast<std::int64_t>(peak));
    if (rank() == 0) record_["memory"] = {{"rank_peak_bytes", peaks}};
    record_["metrics"] = metrics_.to_json();
    for (const auto& [name, table] : tables_) record_["tables"].push_back(table.to_json());
    record_["checks"] = base::to_json(checks);
    record_["verdict"] = !passed ? "failed" : checks.all().empty() ? "not verified" : "passed";
    auto& environment = record_["environment"];
    environment["load_average"] = {before.load_average, after.load_average};
    environment["steal_s"] = after.steal_s - before.steal_s;
    environment["involuntary_switches"] = after.involuntary_switches - before.involuntary_switches;
    environment["major_faults"] = after.major_faults - before.major_faults;
    record_["status"] = passed ? "ok" : "failed";
    record_["finished"] = base::utc_timestamp();
    record_["failure"] = nullptr;
    if (!passed) fail(record_, "verification failed", static_cast<int>(ExitCode::verification));
  }

  Program& program_;
  const base::Description& description_;
  const CommandLine& line_;
  Ranks& ranks_;
  base::Layout layout_;
  base::Phases phases_;
  base::Metrics metrics_;
  std::map<std::string, base::Table> tables_;
  std::unique_ptr<ColdCaches> cold_;  // none: caches are left as they are
  json record_;
  // By hakaru's tracer (native/trace/preload/environment.c), which sees PMPI's messages, too.
  const bool traced_ = std::getenv("HAKARU_TRACE_FOLDER") != nullptr;
  bool cores_apart_ = false;    // at rank 0: every thread has a core of one host to itself
  bool record_wanted_ = false;  // and may be possible: once it failed, it is not tried again
};

}  // namespace

// A probe takes its own samples within one repetition.
UsualRun usual_run(const std::string& kind) {
  return kind == "app" ? UsualRun{5, 1} : UsualRun{1, 0};
}

void require_limits(const base::Description& description, const base::Layout& layout) {
  auto limit = [&](int wanted, int most, const char* what) {
    base::require(most == 0 || wanted <= most,
                  fmt::format("{} cannot use {} {}", description.name(), wanted, what),
                  fmt::format("it allows {}", most), "use fewer");
  };
  limit(layout.ranks, description.maximum_ranks(), "ranks");
  limit(layout.threads, description.maximum_threads(), "threads");
}

void require_accepted(const Program& program, const base::Description& description,
                      const base::Parameters& parameters, const base::Layout& layout) {
  const std::string refusal = program.refuse(parameters, layout);
  base::require(refusal.empty(), fmt::format("{} cannot run like this", description.name()),
                refusal, "change the parameters or the number of ranks");
}

ExitCode execute(Program& program, const base::Description& description, const CommandLine& line,
                 Ranks& ranks) {
  Execution execution(program, description, line, ranks);
  auto report = [&](const std::string& reason, ExitCode code, bool every_rank) {
    if (!every_rank || ranks.rank() == 0)
      fmt::print(stderr, "{}: {}\n", description.name(), reason);
    if (!every_rank || ranks.rank() == 0) execution.write_failure(reason, code);
    if (ranks.size() > 1 && !every_rank) ranks.abort(static_cast<int>(code));
    return code;
  };
  try {
    return execution.perform();
  } catch (const base::UserError& error) {
    // Usage errors depend on what all ranks know, so all ranks see them; other errors may strike
    // one rank alone.
    return report(error.what(), error.code(), error.code() == ExitCode::usage);
  } catch (const std::bad_alloc&) {
    return report("out of memory (the system refused an allocation); choose a smaller problem",
                  ExitCode::environment, false);
  } catch (const std::exception& error) {
    return report(error.what(), ExitCode::environment, false);
  }
}

}  // namespace hakaru::harness
