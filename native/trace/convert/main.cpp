// hakaru_trace_convert RAW_FOLDER ARCHIVE_FOLDER [--json]
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "native/base/require.hpp"
#include "native/trace/convert/convert.hpp"

namespace {

using hakaru::trace::Conversion;

void report(const Conversion& c, bool json) {
  const double per_event =
      c.events > 0 ? static_cast<double>(c.archive_bytes) / static_cast<double>(c.events) : 0;
  if (json) {
    const nlohmann::json object{{"ranks", c.ranks},
                                {"events", c.events},
                                {"raw_bytes", c.raw_bytes},
                                {"archive_bytes", c.archive_bytes},
                                {"warnings", c.warnings}};
    fmt::print("{}\n", object.dump());
    return;
  }
  for (const std::string& warning : c.warnings) fmt::print(stderr, "warning: {}\n", warning);
  fmt::print("{} ranks, {} events, {} bytes ({:.1f} per event)\n", c.ranks, c.events,
             c.archive_bytes, per_event);
}

int convert_as_asked(const std::vector<std::string>& words) {
  std::vector<std::string> folders;
  bool json = false;
  for (const std::string& word : words) {
    if (word == "--json")
      json = true;
    else
      folders.push_back(word);
  }
  if (folders.size() != 2 || folders[0].starts_with("--")) {
    fmt::print(stderr,
               "usage: hakaru_trace_convert RAW_FOLDER ARCHIVE_FOLDER [--json]\n"
               "Makes an OTF2 archive of the raw traces (rank-*.hkr) that the tracer wrote.\n");
    return 2;
  }
  const bool terminal = isatty(STDERR_FILENO);
  auto shown = std::chrono::steady_clock::now();
  const Conversion conversion =
      hakaru::trace::convert(folders[0], folders[1], [&](std::int32_t done, std::int32_t ranks) {
        const auto now = std::chrono::steady_clock::now();
        if (!terminal || now - shown < std::chrono::milliseconds(500)) return;
        shown = now;
        fmt::print(stderr, "\rconverting rank {} of {} {}", done, ranks, done == ranks ? "\n" : "");
      });
  report(conversion, json);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  try {
    return convert_as_asked({words + 1, words + count});
  } catch (const hakaru::base::UserError& error) {
    fmt::print(stderr, "hakaru_trace_convert: {}\n", error.what());
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "hakaru_trace_convert: {}; please report this\n", error.what());
    return 4;
  }
}
