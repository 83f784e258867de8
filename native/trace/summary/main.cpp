// hakaru_trace_summary ARCHIVE [--json] [--phases user|functions|none] [--from MARK] [--to MARK]
// [--read]
#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "native/base/require.hpp"
#include "native/trace/summary/summary.hpp"

namespace {

using hakaru::base::require;
using namespace hakaru::trace;

constexpr const char* usage =
    "usage: hakaru_trace_summary ARCHIVE [--json] [--phases user|functions|none] [--from MARK] "
    "[--to "
    "MARK] [--read]\n"
    "Says where the time of an OTF2 trace went and who waited for whom, between MPI_Init and "
    "MPI_Finalize or between two marks: a phase, or MPI_Barrier:3 for when the third one returned. "
    "--read only reads, and prints what it is of and how long that took.\n";

struct Wanted {
  std::string archive;
  ReadOptions options;
  Marks marks;
  bool json = false, read_only = false;
};

Wanted parse(const std::vector<std::string>& words) {
  Wanted wanted;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--json")
      wanted.json = true;
    else if (word == "--read")
      wanted.read_only = true;
    else if (word == "--from" || word == "--to") {
      require(i + 1 < words.size() && !words[i + 1].empty(), word + " names no mark", "",
              "name a phase or an MPI call");
      (word == "--from" ? wanted.marks.from : wanted.marks.to) = words[i + 1];
      ++i;
    } else if (word == "--phases") {
      const std::string value = i + 1 < words.size() ? words[++i] : "";
      require(value == "user" || value == "functions" || value == "none",
              "--phases is not understood", "\"" + value + "\"", "say user, functions or none");
      wanted.options.phases = value == "user"   ? PhaseRegions::user
                              : value == "none" ? PhaseRegions::none
                                                : PhaseRegions::functions;
    } else {
      require(!word.starts_with("--") && wanted.archive.empty(), "an argument is not understood",
              word, "see --help");
      wanted.archive = word;
    }
  }
  require(!wanted.archive.empty(), "no archive is given", "", "see --help");
  return wanted;
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
  const std::vector<std::string> words(arguments + 1, arguments + count);
  if (words.size() == 1 && (words[0] == "--help" || words[0] == "help")) {
    fmt::print("{}", usage);
    return 0;
  }
  try {
    return summarise_as_asked(parse(words));
  } catch (const hakaru::base::UserError& error) {
    fmt::print(stderr, "hakaru_trace_summary: {}\n", error.what());
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "hakaru_trace_summary: {}; please report this\n", error.what());
    return 4;
  }
}
