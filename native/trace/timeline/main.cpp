// hakaru_trace_timeline: what the timeline of a trace shows, as JSON.
#include <fmt/format.h>

#include <string>

#include "native/base/atomic_file.hpp"
#include "native/command/words.hpp"
#include "native/trace/timeline/timeline.hpp"

namespace {

using namespace hakaru::trace;

struct Wanted {
  std::string archive, output;
  Window window;
  Limits limits;
};

void declare(CLI::App& app, Wanted& wanted) {
  app.add_option("archive", wanted.archive, "OTF2 archive")->required();
  app.add_option("--output", wanted.output, "file to write instead of standard output");
  app.add_option("--from", wanted.window.from_s, "only from this second of the trace on");
  app.add_option("--to", wanted.window.to_s, "only up to this second of the trace");
  app.add_option("--rows", wanted.limits.rows, "rows at most; more ranks share them")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--cells", wanted.limits.cells, "cells of the finest level at most");
  app.add_option("--pieces", wanted.limits.pieces, "single calls and bursts at most");
  app.add_option("--messages", wanted.limits.messages, "messages and sums of messages at most");
}

int tell(const Wanted& wanted) {
  const Trace trace = read_trace(wanted.archive, {.times = true, .silent_times = true});
  const std::string text = timeline(trace, wanted.window, wanted.limits)
                               .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
                           "\n";
  if (wanted.output.empty())
    fmt::print("{}", text);
  else
    hakaru::base::write_file_atomically(wanted.output, text);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  constexpr const char* name = "hakaru_trace_timeline";
  return hakaru::command::reported(name, stderr, [&] {
    CLI::App app("What the timeline of an OTF2 trace shows, by levels of detail, as JSON.", name);
    Wanted wanted;
    declare(app, wanted);
    const bool asked = hakaru::command::read_words(app, {words + 1, words + count});
    return asked ? tell(wanted) : 0;
  });
}
