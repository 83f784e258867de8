// Formatted and unformatted files: types, languages, file systems, buffers, and the steps of a
// library. Every byte that is written and every value that comes back is verified.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "native/base/clock.hpp"
#include "native/base/require.hpp"
#include "native/harness/program.hpp"
#include "probes/formatted_io/description.hpp"
#include "probes/formatted_io/place.hpp"
#include "probes/formatted_io/steps.hpp"
#include "probes/formatted_io/verification.hpp"
#include "probes/formatted_io/ways.hpp"

namespace hakaru::probes::formatted_io {
namespace {

constexpr std::int64_t buffers[] = {4096, 65536, 1 << 20};
constexpr std::int64_t most_returned = 100'000;

std::string folder_of(const base::Parameters& parameters) {
  std::error_code none;
  const std::string named = parameters.text("folder");
  return named.empty() ? std::filesystem::temp_directory_path(none).string() : named;
}

bool wanted(const base::Parameters& parameters, Way way) {
  const std::string language = parameters.text("language");
  const std::string own = about(way).language;
  return language == "all" || (language == "fortran" && own == "Fortran") ||
         (language == "c" && own == "C") || (language == "c++" && own == "C++");
}

class FormattedIo final : public harness::Program {
 public:
  base::Description describe() const override { return description(); }

  base::Work work(const base::Parameters& parameters, const base::Layout&) const override {
    const auto items = static_cast<double>(parameters.integer("items"));
    return {items, 2.0 * 16.0 * items, {{"write"}, {"read"}, {"steps"}, {"values"}}};
  }

  std::string refuse(const base::Parameters& parameters, const base::Layout&) const override {
    const bool missing = parameters.text("language") == "fortran" && fortran_compiler().empty();
    return missing ? "there was no Fortran compiler when hakaru was built" : "";
  }

  void repeat(harness::Run& run) override {
    start(run);
    const auto samples = run.parameters().integer("samples");
    run.table("compilers").row({"C, C++", "GNU or alike, " __VERSION__});
    run.table("compilers").row({"Fortran", fortran_compiler()});
    for (const Place& place : places_) run.table("places").row({place.name, place.system.name});
    for (std::int64_t sample = 0; sample < samples; ++sample) {
      for (const Place& place : places_)
        for (Type type : all_types)
          if (&place == &places_.front() || type == Type::real8)
            measure_type(run, place, type, sample);
      measure_steps(run, sample);
      measure_buffers(run, sample);
    }
    for (Type type : {Type::real4, Type::real8}) measure_returned(run, type);
    if (best_rate_ > 0.0) run.metrics().add("text_rate", best_rate_);
    finish();
  }

  void check(harness::Run&, base::Checks& checks) override { found_.add_to(checks); }

  void verify(harness::Run& run, base::Checks& checks) override {
    start(run, false);
    try {
      for (Way way : ways_)
        if (!is_fortran(way) || !fortran_compiler().empty())
          for (Type type : all_types)
            verify_way(way, type, places_.front().path, run.damaged(), found_);
    } catch (const Unavailable& why) {
      base::require_environment(false, "files cannot be verified", why.what(),
                                "name a folder with some room with folder=PATH");
    }
    finish();
    found_.add_to(checks);
  }

 private:
  void start(harness::Run& run, bool timed = true) {
    found_ = {};
    best_rate_ = 0.0;
    number_ = 0;
    end_s_ = base::now_s() + (timed ? run.parameters().real("most_seconds") : 1e9);
    ways_.clear();
    for (Way way : all_ways)
      if (wanted(run.parameters(), way)) ways_.push_back(way);
    try {
      const std::string parent = folder_of(run.parameters());
      folders_.push_back(std::make_unique<Folder>(parent));
      places_ = {{"folder", folders_.back()->path(), file_system_of(folders_.back()->path())}};
    } catch (const Unavailable& why) {
      base::require_environment(false, "files cannot be written", why.what(),
                                "name a folder that may be written with folder=PATH");
    }
    if (timed && run.parameters().boolean("elsewhere")) find_others(run);
  }

  void finish() {
    loop_.reset();
    folders_.clear();
    places_.clear();
  }

  void find_others(harness::Run& run) {
    attempt(run, "memory", [&] {
      const FileSystem shared = file_system_of("/dev/shm");
      if (shared.name != "tmpfs") throw Unavailable("/dev/shm is no tmpfs");
      if (places_.front().system.name == "tmpfs") return;
      folders_.push_back(std::make_unique<Folder>("/dev/shm"));
      places_.push_back({"memory", folders_.back()->path(), shared});
    });
    attempt(run, "ext4 on a loop device", [&] {
      const std::int64_t text = text_bytes(Type::real8, run.parameters().integer("items"));
      loop_ = std::make_unique<LoopMount>(places_.front().path, text + text / 4 + (32 << 20));
      places_.push_back({"loop", loop_->path(), file_system_of(loop_->path())});
    });
  }

  // What cannot be done is told, and the rest goes on.
  template <typename Measurement>
  void attempt(harness::Run& run, const std::string& what, const Measurement& measurement) {
    try {
      if (base::now_s() > end_s_) throw Unavailable("the time, most_seconds, is over");
      measurement();
    } catch (const Unavailable& why) {
      if (!told_.insert(what + why.what()).second) return;
      run.table("missing").row({what, why.what()});
      fmt::print("formatted_io: {} is not measured ({}); the rest goes on\n", what, why.what());
    }
  }

  void measure_type(harness::Run& run, const Place& place, Type type, std::int64_t sample) {
    const Items items(type, run.parameters().integer("items"), Values::decimal,
                      static_cast<std::uint64_t>(sample) + 1);
    for (Way way : ways_) measure(run, place, way, items, sample, 0);
  }

  void measure_buffers(harness::Run& run, std::int64_t sample) {
    const Items items(Type::real8, run.parameters().integer("items"), Values::decimal,
                      static_cast<std::uint64_t>(sample) + 1);
    for (std::int64_t buffer : buffers)
      for (Way way : ways_)
        if (about(way).takes_buffer) measure(run, places_.front(), way, items, sample, buffer);
  }

  void measure(harness::Run& run, const Place& place, Way way, const Items& items,
               std::int64_t sample, std::int64_t buffer) {
    const About& own = about(way);
    const std::string what =
        fmt::format("{} by {}, {}, {}{}", own.language, own.library, name_of(items.type()),
                    place.name, buffer ? fmt::format(", buffer {} B", buffer) : "");
    attempt(run, what, [&] {
      run.progress(0.5, what);
      const std::string path = fmt::format("{}/{}", place.path, ++number_);
      const Removed removed{path};
      require_room(place, file_bytes(way, items));
      write_and_read(run, place, way, items, sample, buffer, path);
    });
  }

  struct Removed {
    std::string path;
    ~Removed() {
      std::error_code ignored;
      std::filesystem::remove(path, ignored);
    }
  };

  static void require_room(const Place& place, std::int64_t bytes) {
    const double room = file_system_of(place.path).free_bytes;
    if (room < 1.02 * static_cast<double>(bytes))
      throw Unavailable(fmt::format("{} bytes are wanted and {:.0f} are free", bytes, room));
  }

  void write_and_read(harness::Run& run, const Place& place, Way way, const Items& items,
                      std::int64_t sample, std::int64_t buffer, const std::string& path) {
    const About& own = about(way);
    const std::int64_t shown = is_fortran(way) && own.formatted ? fortran_buffer() : buffer;
    const auto row = [&](const Watch& watch) {
      return std::vector<base::json>{own.language,
                                     own.library,
                                     own.formatted ? "formatted" : "unformatted",
                                     name_of(items.type()),
                                     place.name,
                                     place.system.name,
                                     items.count(),
                                     file_bytes(way, items),
                                     shown,
                                     sample,
                                     watch.library_s(),
                                     watch.user_s(),
                                     watch.system_s()};
    };
    const Watch written = timed(run, "write", [&] { return write(way, items, path, buffer); });
    auto cells = row(written);
    cells.push_back(written.flush_s());
    cells.push_back(synchronise(path));
    run.table("writes").row(cells);
    found_.bytes(wrong(way, items, path));
    if (own.formatted && items.type() == Type::real8)
      best_rate_ = std::max(best_rate_, static_cast<double>(file_bytes(way, items)) /
                                            (written.library_s() + written.flush_s()));
    if (!own.reads) return;
    Items back(items.type(), items.count());
    const Watch taken = timed(run, "read", [&] { return read(way, back, path, buffer); });
    run.table("reads").row(row(taken));
    found_.values(differing(items, back));
  }

  template <typename Work>
  static Watch timed(harness::Run& run, const char* phase, const Work& work) {
    auto scope = run.phases().scope(phase);
    return work();
  }

  void measure_steps(harness::Run& run, std::int64_t sample) {
    auto phase = run.phases().scope("steps");
    const std::int64_t count = run.parameters().integer("items");
    const Items items(Type::real8, count, Values::decimal, static_cast<std::uint64_t>(sample) + 1);
    std::int64_t wrong = 0;
    if (wanted(run.parameters(), Way::fortran))
      attempt(run, "steps of Fortran", [&] {
        require_room(places_.front(), text_bytes(Type::real8, count));
        for (const Step& one : fortran_steps(items, places_.front().path, wrong))
          run.table("steps").row(
              {one.name, name_of(one.direction), count, one.bytes, sample, one.seconds});
      });
    attempt(run, "conversions", [&] {
      for (const Conversion& one : conversions(items, wrong))
        run.table("conversions").row({one.by, name_of(one.direction), count, sample, one.seconds});
    });
    found_.values(wrong);
  }

  void measure_returned(harness::Run& run, Type type) {
    auto phase = run.phases().scope("values");
    const std::int64_t count = std::min(run.parameters().integer("items"), most_returned);
    for (Way way : ways_)
      if (about(way).formatted && about(way).reads)
        attempt(run, fmt::format("values of {} by {}", about(way).language, about(way).library),
                [&] {
                  const Returned found = returned(way, type, count, places_.front().path);
                  run.table("returned")
                      .row({about(way).language, about(way).library, name_of(type), count,
                            count - found.differing, found.rounding});
                  found_.roundings(type, found);
                });
  }

  std::vector<Way> ways_;
  std::vector<Place> places_;
  std::vector<std::unique_ptr<Folder>> folders_;
  std::unique_ptr<LoopMount> loop_;
  std::set<std::string> told_;
  Found found_;
  double best_rate_ = 0.0, end_s_ = 0.0;
  int number_ = 0;
};

}  // namespace
}  // namespace hakaru::probes::formatted_io

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<probes::formatted_io::FormattedIo>();
}
