// hakaru_trace_summary ARCHIVE [--json] [--phases user|functions|none] [--read]
#include <fmt/format.h>

#include <chrono>
#include <string>
#include <vector>

#include "native/base/require.hpp"
#include "native/trace/summary/summary.hpp"

namespace {

using hakaru::base::require;
using namespace hakaru::trace;

constexpr const char* usage =
    "usage: hakaru_trace_summary ARCHIVE [--json] [--phases user|functions|none] [--read]\n"
    "Says where the time of an OTF2 trace went and who waited for whom. --read only reads, and "
    "prints how long that took.\n";

struct Wanted {
  std::string archive;
  ReadOptions options;
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
    else if (word == "--phases") {
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
  const Trace trace = read_trace(wanted.archive, options);
  if (wanted.read_only) {
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    fmt::print("{{\"events\": {}, \"seconds\": {}}}\n", trace.events(), seconds);
    return 0;
  }
  const Summary summary = summarise(trace);
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
