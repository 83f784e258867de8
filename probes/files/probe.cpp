// Writing and reading files in several ways; each file's contents are verified byte by byte.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "native/base/clock.hpp"
#include "native/base/require.hpp"
#include "native/harness/program.hpp"
#include "probes/files/description.hpp"
#include "probes/files/metadata.hpp"
#include "probes/files/place.hpp"
#include "probes/files/pointers.hpp"
#include "probes/files/ways.hpp"

namespace hakaru::probes::files {
namespace {

using parallel::Communicator;

constexpr int all_blocks[] = {1, 4, 16, 256};
constexpr std::size_t small_bytes = 4096;  // of a rank: what an operation costs
constexpr int pointer_blocks = 16, hint_blocks = 256;

class Files final : public harness::Program {
 public:
  base::Description describe() const override { return description(); }

  base::Work work(const base::Parameters& parameters, const base::Layout& layout) const override {
    const double bytes = static_cast<double>(parameters.integer("bytes")) * layout.ranks;
    return {bytes, 3.0 * bytes, {{"ways"}, {"pointers"}, {"hints"}, {"metadata"}}};
  }

  std::string refuse(const base::Parameters& parameters, const base::Layout&) const override {
    if (parameters.integer("bytes") % (1 << 16) == 0) return "";
    return "bytes is no multiple of 65536, and 256 blocks of each rank could not be aligned";
  }

  void repeat(harness::Run& run) override {
    const auto bytes = static_cast<std::size_t>(run.parameters().integer("bytes"));
    const auto samples = static_cast<int>(run.parameters().integer("samples"));
    start(run);
    const FileSystem place = file_system_of(folder_->path());
    run.table("places").row({folder_of(run.parameters()), place.name, place.reach});
    measure_ways(run, bytes, samples);
    measure_pointers(run, bytes, samples);
    measure_hints(run, bytes, samples);
    measure_metadata(run, samples);
    if (best_s_ > 0.0)
      run.metrics().add("synced_rate", static_cast<double>(bytes) * world().size() / best_s_);
    folder_.reset();
  }

  void check(harness::Run&, base::Checks& checks) override { check_wrong(checks); }

  void verify(harness::Run& run, base::Checks& checks) override {
    start(run);
    damaged_ = run.damaged();
    for (Way way : ways_here(run))
      for (int blocks : all_blocks)
        if (blocks == 1 || !has_own_file(way)) verify_way(run, way, blocks);
    for (Pointer pointer : all_pointers)
      attempt(run, name_of(pointer),
              [&] { note(write_by(world(), pointer, pattern(1 << 14, 4), next(), 1).wrong); });
    attempt(run, "metadata",
            [&] { note(static_cast<std::size_t>(metadata(world(), *folder_, 5).wrong)); });
    folder_.reset();
    check_wrong(checks);
  }

 private:
  void start(harness::Run& run) {
    world_.emplace(Communicator::world());
    wrong_ = checked_ = 0;
    end_s_ = base::now_s() + run.parameters().real("most_seconds");
    best_s_ = 0.0;
    try {
      folder_ = std::make_unique<SharedFolder>(world(), folder_of(run.parameters()));
    } catch (const Unavailable& why) {
      base::require_environment(false, "files cannot be written", why.what(),
                                "name a folder that may be written with folder=PATH");
    }
  }

  Pattern pattern(std::size_t bytes, int blocks) const {
    return {world().size(), blocks, bytes / static_cast<std::size_t>(blocks)};
  }
  std::string next() { return folder_->path(fmt::format("file-{}", ++number_)); }
  void note(std::size_t wrong) {
    wrong_ += static_cast<double>(wrong) + (damaged_ ? 1.0 : 0.0);
    checked_ += 1.0;
  }

  // Collective: what one rank cannot do, none does, and the rest goes on.
  template <typename Measurement>
  void attempt(harness::Run& run, const std::string& what, const Measurement& measurement) {
    try {
      agree(world(), base::now_s() < end_s_ ? "" : "the time, most_seconds, is over");
      measurement();
    } catch (const Unavailable& why) {
      run.table("missing").row({what, why.what()});
      if (world().rank() == 0)
        fmt::print("files: {} is not measured ({}); the rest goes on\n", what, why.what());
    }
  }

  // The ways whose library is here; each other one is told once.
  std::vector<Way> ways_here(harness::Run& run) {
    std::vector<Way> found;
    for (Way way : all_ways)
      if (const std::string why = left_out(way); why.empty())
        found.push_back(way);
      else
        attempt(run, name_of(way), [&] { throw Unavailable(why); });
    return found;
  }

  void require_room(const Pattern& wanted, std::size_t beside = 0) const {
    const double room = file_system_of(folder_->path()).free_bytes;
    const auto bytes = static_cast<double>(wanted.file_bytes() + beside);
    agree(world(), room > 1.1 * bytes
                       ? ""
                       : fmt::format("{:g} bytes are wanted and {:g} are free", bytes, room));
  }

  void measure_ways(harness::Run& run, std::size_t bytes, int samples) {
    auto phase = run.phases().scope("ways");
    const std::vector<Way> ways = ways_here(run);
    for (int sample = 0; sample < samples; ++sample)  // in turns
      for (int blocks : all_blocks) {
        run.progress(0.5, fmt::format("sample {}, {} blocks", sample + 1, blocks));
        for (Way way : ways)
          if (blocks == 1 || !has_own_file(way))
            attempt(run, fmt::format("{}, {} blocks", name_of(way), blocks),
                    [&] { one_way(run, way, pattern(bytes, blocks), sample); });
      }
    for (int sample = 0; sample < samples; ++sample)
      for (Way way : ways)
        if (way != Way::split_direct)
          attempt(run, fmt::format("{}, {} bytes", name_of(way), small_bytes),
                  [&] { one_way(run, way, pattern(small_bytes, 1), sample); });
  }

  // Written, read out of the page cache, forgotten, read again; verified after each.
  void one_way(harness::Run& run, Way way, const Pattern& pattern, int sample) {
    require_room(pattern, library_of(way) ? header_bytes : 0);
    const std::string stem = next();
    const auto seed = static_cast<unsigned>(number_);
    const Bytes data = contents_of(pattern, world().rank(), seed);
    const WriteTimes written = write(world(), way, pattern, stem, data);
    note(wrong_bytes(world(), way, pattern, stem, seed));
    run.table("writes").row({name_of(way), pattern.blocks, world().size(), pattern.file_bytes(),
                             sample, written.cached_s, written.synced_s});
    if (way == Way::independent && pattern.blocks == 1 && pattern.rank_bytes() > small_bytes)
      best_s_ = best_s_ > 0.0 ? std::min(best_s_, written.synced_s) : written.synced_s;
    for (const char* from : {"cache", "device"}) {
      const bool cold = from[0] == 'd';
      const double resident = residency(path_of(way, stem, world().rank()), cold);
      Bytes found(data.size());
      const double seconds = read(world(), way, pattern, stem, found);
      note(
          static_cast<std::size_t>(world().sum(static_cast<std::int64_t>(differing(found, data)))));
      run.table("reads").row({name_of(way), pattern.blocks, world().size(), pattern.file_bytes(),
                              sample, from, resident, seconds});
    }
    remove(world(), way, stem);
  }

  // The largest share that any rank sees; one rank of a host asks for forgetting.
  double residency(const std::string& path, bool cold) const {
    std::string failed;
    double share = 0.0;
    try {
      if (cold) forget(path);
      world().barrier();
      share = resident_share(path);
    } catch (const Unavailable& why) {
      failed = why.what();
      if (cold) world().barrier();
    }
    agree(world(), failed);
    return world().maximum(share);
  }

  void measure_pointers(harness::Run& run, std::size_t bytes, int samples) {
    auto phase = run.phases().scope("pointers");
    for (Pointer pointer : all_pointers)
      for (int sample = 0; sample < samples; ++sample)
        attempt(run, name_of(pointer), [&] {
          const Pattern wanted = pattern(bytes, pointer_blocks);
          require_room(wanted);
          const std::string path = next();
          const PointerTimes found =
              write_by(world(), pointer, wanted, path, static_cast<unsigned>(number_));
          note(found.wrong);
          run.table("pointers")
              .row({name_of(pointer), pointer_blocks, wanted.file_bytes(), sample, found.write_s,
                    found.work_s});
        });
  }

  void measure_hints(harness::Run& run, std::size_t bytes, int samples) {
    auto phase = run.phases().scope("hints");
    const Pattern wanted = pattern(bytes, hint_blocks);
    for (int sample = 0; sample < samples; ++sample)  // in turns
      for (const Hint& hint : all_hints())
        for (Way way : {Way::independent, Way::collective})
          attempt(run, fmt::format("{} with {}", name_of(way), hint.name()), [&] {
            require_room(wanted);
            const std::string stem = next();
            const auto seed = static_cast<unsigned>(number_);
            const WriteTimes found =
                write(world(), way, wanted, stem, contents_of(wanted, world().rank(), seed), hint);
            note(wrong_bytes(world(), way, wanted, stem, seed));
            remove(world(), way, stem);
            run.table("hints").row({hint.name(), name_of(way), hint_blocks, wanted.file_bytes(),
                                    sample, found.cached_s, found.synced_s});
          });
  }

  void measure_metadata(harness::Run& run, int samples) {
    auto phase = run.phases().scope("metadata");
    const auto files = static_cast<int>(run.parameters().integer("files"));
    for (int sample = 0; sample < samples; ++sample)
      attempt(run, "metadata", [&] {
        const MetadataTimes found = metadata(world(), *folder_, files);
        note(static_cast<std::size_t>(found.wrong));
        for (const auto& [operation, seconds] : {std::pair{"create", found.create_s},
                                                 {"stat", found.stat_s},
                                                 {"delete", found.delete_s}})
          run.table("metadata").row({operation, world().size(), sample, seconds});
      });
  }

  void verify_way(harness::Run& run, Way way, int blocks) {
    attempt(run, fmt::format("{}, {} blocks", name_of(way), blocks), [&] {
      const Pattern wanted = pattern(1 << 20, blocks);
      require_room(wanted, library_of(way) ? header_bytes : 0);
      const std::string stem = next();
      Bytes data = contents_of(wanted, world().rank(), 7);
      if (damaged_ && world().rank() == 0) data[data.size() / 2] ^= 1;
      write(world(), way, wanted, stem, data);
      const auto wrong = static_cast<double>(wrong_bytes(world(), way, wanted, stem, 7));
      Bytes found(data.size());
      read(world(), way, wanted, stem, found);
      const auto unread = world().sum(static_cast<std::int64_t>(differing(found, data)));
      wrong_ += wrong + static_cast<double>(unread);
      checked_ += 2.0;
      remove(world(), way, stem);
    });
  }

  void check_wrong(base::Checks& checks) const {
    checks.equal("bytes and files that are not what was written", wrong_, 0.0,
                 "every byte of every file is known by its place");
    checks.at_least("files that were looked at", checked_, 1.0,
                    "without any there is nothing to tell");
  }

  const Communicator& world() const { return *world_; }

  std::optional<Communicator> world_;  // describing is done without MPI
  std::unique_ptr<SharedFolder> folder_;
  double wrong_ = 0.0, checked_ = 0.0, best_s_ = 0.0, end_s_ = 0.0;
  bool damaged_ = false;
  int number_ = 0;
};

}  // namespace
}  // namespace hakaru::probes::files

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<probes::files::Files>();
}
