// hakaru_trace_summary: where the time of a trace went and who waited for whom.
#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "native/command/words.hpp"
#include "native/trace/summary/summary.hpp"

namespace {

using namespace hakaru::trace;

struct Wanted {
  std::string archive;
  ReadOptions options;
  Marks marks;
  bool json = false, read_only = false;
};

PhaseRegions regions_of(const std::string& name) {
  if (name == "user") return PhaseRegions::user;
  return name == "none" ? PhaseRegions::none : PhaseRegions::functions;
}

void declare(CLI::App& app, Wanted& wanted) {
  const char* mark = "a phase, or MPI_Barrier:3 for when the third one returned";
  const auto named = CLI::Validator(
      [](const std::string& text) { return text.empty() ? "it names no mark" : ""; }, "MARK");
  app.add_option("archive", wanted.archive, "OTF2 archive")->required();
  app.add_flag("--json", wanted.json, "as JSON");
  app.add_option_function<std::string>(
         "--phases", [&](const std::string& name) { wanted.options.phases = regions_of(name); },
         "regions that are phases")
      ->check(CLI::IsMember({"user", "functions", "none"}));
  app.add_option("--from", wanted.marks.from, std::string("from this mark: ") + mark)->check(named);
  app.add_option("--to", wanted.marks.to, std::string("to this mark: ") + mark)->check(named);
  app.add_flag("--read", wanted.read_only,
               "only read; prints what it is of and how long that took");
}

int summarise_as_asked(const Wanted& wanted) {
  const auto begin = std::chrono::steady_clock::now();
  ReadOptions options = wanted.options;
  options.times = !wanted.read_only;
  options.silent_times = wanted.marks.any();
  const Trace trace = read_trace(wanted.archive, options);
  if (wanted.read_only) {
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const nlohmann::json object{{"events", trace.events()},
                                {"seconds", seconds},
                                {"program", trace.schedule.program},
                                {"warnings", trace.warnings}};
    fmt::print("{}\n", object.dump());
    return 0;
  }
  const Summary summary = summarise(trace, wanted.marks);
  fmt::print("{}", wanted.json ? as_json(trace, summary) + "\n" : as_text(trace, summary));
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  constexpr const char* name = "hakaru_trace_summary";
  return hakaru::command::reported(name, stderr, [&] {
    CLI::App app(
        "Says where the time of an OTF2 trace went and who waited for whom, between MPI_Init and "
        "MPI_Finalize or between two marks.",
        name);
    Wanted wanted;
    declare(app, wanted);
    const bool asked = hakaru::command::read_words(app, {arguments + 1, arguments + count});
    return asked ? summarise_as_asked(wanted) : 0;
  });
}
