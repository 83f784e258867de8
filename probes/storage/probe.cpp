// What ways of writing one file (or one for each rank) take: to open it, for a call, for a byte.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "native/harness/program.hpp"
#include "probes/storage/ways.hpp"

namespace hakaru::probes::storage {
namespace {

using parallel::Communicator;

std::vector<Amount> amounts_of(const base::Parameters& parameters) {
  const auto of = [&](const char* name) {
    return static_cast<std::size_t>(parameters.integer(name));
  };
  return {{1, of("small_bytes")},
          {of("small_calls"), of("small_bytes")},
          {of("large_calls"), of("large_bytes")}};
}

class StorageProbe final : public harness::Program {
 public:
  base::Description describe() const override {
    base::Description d("storage", "what ways of writing files take");
    d.integer("small_bytes", 4096, 1, 1 << 30, "B", "bytes of a small call of a rank")
        .integer("small_calls", 256, 2, 1'000'000, "1", "small calls of a rank for one file")
        .integer("large_bytes", 1 << 20, 1, 1 << 30, "B", "bytes of a large call of a rank")
        .integer("large_calls", 8, 1, 1'000'000, "1", "large calls of a rank for one file")
        .integer("files", 7, 1, 100'000, "1", "files written in each way and amount")
        .boolean("sync", false, "wait until each file is on the disk")
        .text("folder", ".", "where the files are written, and removed")
        .preset("small",
                {{"small_calls", 16}, {"large_calls", 2}, {"large_bytes", 65536}, {"files", 3}},
                "well under a second")
        .phase("write", base::PhaseKind::io, "files written in all ways")
        .metric("best", "B/s", base::Better::higher, "bytes of all ranks in large calls, best way")
        .table("ways",
               {{"way", "text"},
                {"pattern", "text"},
                {"ranks", "1"},
                {"calls", "1"},
                {"bytes", "B"},
                {"file", "1"},
                {"seconds", "s"}},
               "time of one file on the slowest rank, from opening to closing; calls of a rank, "
               "bytes of a call")
        .verifies({"small_bytes"}, "the bytes of files written in each way, in the current folder")
        .size_meaning("bytes of the large files of a rank");
    return d;
  }

  base::Work work(const base::Parameters& parameters, const base::Layout& layout) const override {
    double bytes = 0, most = 0;
    for (const Amount amount : amounts_of(parameters)) {
      const auto one = static_cast<double>(amount.calls * amount.bytes);
      bytes += one;
      most = std::max(most, one);
    }
    const double files = static_cast<double>(parameters.integer("files")), ranks = layout.ranks;
    const double all = bytes * files * ranks * static_cast<double>(std::size(methods));
    return {most, 2.0 * most * ranks, {{"write", 0, all, all, 0, 0, ranks}}};
  }

  void repeat(harness::Run& run) override {
    auto phase = run.phases().scope("write");
    const auto world = Communicator::world();
    const std::vector<Amount> amounts = amounts_of(run.parameters());
    double best = 0;
    for (std::int64_t file = 0; file < run.parameters().integer("files"); ++file)
      for (const Method method : methods)
        for (const Amount amount : amounts) {
          const double seconds = one_file(run, world, method, amount);
          run.table("ways").row({name_of(method.way), name_of(method.pattern), world.size(),
                                 amount.calls, amount.bytes, file, seconds});
          const auto bytes =
              static_cast<double>(amount.calls * amount.bytes) * static_cast<double>(world.size());
          if (&amount == &amounts.back()) best = std::max(best, bytes / seconds);
        }
    run.metrics().add("best", best);
  }

  void check(harness::Run& run, base::Checks& checks) override { check_bytes(run, checks); }
  void verify(harness::Run& run, base::Checks& checks) override { check_bytes(run, checks); }

 private:
  double one_file(harness::Run& run, const Communicator& world, Method method, Amount amount) {
    Writer writer = new_writer(run, world);
    const double seconds = writer.write(method, amount);
    writer.remove(method);
    return seconds;
  }

  Writer new_writer(harness::Run& run, const Communicator& world) {
    const auto process = static_cast<double>(run.rank() == 0 ? ::getpid() : 0);
    return {world,
            fmt::format("{}/.hakaru-storage-{:.0f}-{}", run.parameters().text("folder"),
                        world.maximum(process), number_++),
            run.parameters().boolean("sync")};
  }

  void check_bytes(harness::Run& run, base::Checks& checks) {
    const auto world = Communicator::world();
    const auto bytes = static_cast<std::size_t>(
        std::min<std::int64_t>(run.parameters().integer("small_bytes"), 4096));
    const Amount amount{3, bytes};
    for (const Method method : methods) {
      Writer writer = new_writer(run, world);
      writer.write(method, amount);
      if (run.damaged() && run.rank() == 0) writer.damage(method);
      const double wrong = writer.wrong_bytes(method, amount);
      writer.remove(method);
      checks.equal(fmt::format("{} {}: wrong bytes", name_of(method.way), name_of(method.pattern)),
                   wrong, 0.0, "each rank finds its bytes where they belong");
    }
  }

  int number_ = 0;
};

}  // namespace
}  // namespace hakaru::probes::storage

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<probes::storage::StorageProbe>();
}
