// The items of LMbench's summary, each by LMbench's definition, with raw samples.
#include <fmt/format.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <csignal>

#include "native/harness/program.hpp"
#include "probes/operating_system/description.hpp"

namespace hakaru::probes::operating_system {
namespace {

// A pipe whose reader has gone is an error of a call, not the end of the program.
class PipesEndQuietly {
 public:
  PipesEndQuietly() { before_ = std::signal(SIGPIPE, SIG_IGN); }
  ~PipesEndQuietly() { std::signal(SIGPIPE, before_); }
  PipesEndQuietly(const PipesEndQuietly&) = delete;
  PipesEndQuietly& operator=(const PipesEndQuietly&) = delete;

 private:
  void (*before_)(int);
};

// The kernel's number of the kind of file system, in words where it is a usual one.
std::string file_system_of(const std::string& folder) {
  struct statfs found {};
  if (::statfs(folder.c_str(), &found) != 0) return "unknown";
  switch (static_cast<unsigned long>(found.f_type)) {
    case 0x01021994:
      return "tmpfs";
    case 0xEF53:
      return "ext4";
    case 0x58465342:
      return "xfs";
    case 0x9123683E:
      return "btrfs";
    case 0x794c7630:
      return "overlay";
    case 0x6969:
      return "nfs";
    case 0x0BD00BD0:
      return "lustre";
    default:
      return fmt::format("{:#x}", static_cast<unsigned long>(found.f_type));
  }
}

class OperatingSystem final : public harness::Program {
 public:
  base::Description describe() const override { return description(); }

  base::Work work(const base::Parameters& parameters, const base::Layout&) const override {
    const Conditions conditions = conditions_of(parameters);
    const auto samples = static_cast<double>(conditions.sampling.samples);
    return {samples, 2.0 * static_cast<double>(conditions.memory_bytes), {{"items"}}};
  }

  void repeat(harness::Run& run) override {
    auto phase = run.phases().scope("items");
    const PipesEndQuietly quiet;
    const Conditions conditions = conditions_of(run.parameters());
    run.table("places").row({"folder", conditions.folder});
    run.table("places").row({"file system", file_system_of(conditions.folder)});
    run.table("places").row({"cache line", std::to_string(::sysconf(_SC_LEVEL1_DCACHE_LINESIZE))});
    truth_ = Truth();
    measured_ = 0;
    const Items items = chosen(all_items(conditions), run.parameters().text("items"));
    for (std::size_t i = 0; i < items.size(); ++i) {
      run.progress(static_cast<double>(i) / static_cast<double>(items.size()), items[i].name);
      measure(run, items[i], conditions);
    }
    run.metrics().add("measured", static_cast<double>(measured_));
  }

  void check(harness::Run&, base::Checks& checks) override { check_truth(checks); }

  void verify(harness::Run& run, base::Checks& checks) override {
    const PipesEndQuietly quiet;
    Conditions conditions = conditions_of(run.parameters());
    conditions.sampling = {1, 1e-5};
    conditions.file_bytes = conditions.memory_bytes = 1 << 20;
    conditions.stream_bytes = 1 << 18;
    truth_ = Truth(run.damaged());
    measured_ = 0;
    for (const Item& item : all_items(conditions)) try {
        measured_ += !item.measure(conditions, truth_).empty();
      } catch (const Unavailable& why) {
        fmt::print("operating_system: {} is not verified ({})\n", item.name, why.what());
      }
    check_truth(checks);
  }

 private:
  void measure(harness::Run& run, const Item& item, const Conditions& conditions) {
    try {
      const std::vector<double> seconds = item.measure(conditions, truth_);
      for (std::size_t i = 0; i < seconds.size(); ++i)
        run.table("items").row({item.group, item.name, i, item.bytes, seconds[i]});
      ++measured_;
    } catch (const Unavailable& why) {
      run.table("missing").row({item.group, item.name, why.what()});
      fmt::print("operating_system: {} is not measured ({}); the other items go on\n", item.name,
                 why.what());
    }
  }

  void check_truth(base::Checks& checks) const {
    if (truth_.wrong() > 0) fmt::print("operating_system: {}\n", truth_.first_wrong());
    checks.equal("operations that did not do what they must", static_cast<double>(truth_.wrong()),
                 0.0, "results of calls, answers, sums and contents are known");
    checks.at_least("operations that were checked", static_cast<double>(truth_.checked()),
                    static_cast<double>(measured_), "every item checks what it did");
    checks.at_least("items measured", static_cast<double>(measured_), 1.0,
                    "without any there is nothing to tell");
  }

  Truth truth_;
  std::int64_t measured_ = 0;
};

}  // namespace
}  // namespace hakaru::probes::operating_system

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<probes::operating_system::OperatingSystem>();
}
