// hakaru_trace_export: a trace for Perfetto, Paraver, or as CSV.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "native/base/require.hpp"
#include "native/command/words.hpp"
#include "native/trace/export/export.hpp"

namespace {

using namespace hakaru::trace;

struct Wanted {
  std::string archive, output;
  bool perfetto = false, paraver = false, csv = false;
};

void declare(CLI::App& app, Wanted& wanted) {
  app.add_option("archive", wanted.archive, "OTF2 archive")->required();
  app.add_option("--output", wanted.output, "file to write")->required();
  CLI::Option_group* const format = app.add_option_group("format");
  format->add_flag("--perfetto", wanted.perfetto, "Chrome trace JSON, which Perfetto reads");
  format->add_flag("--paraver", wanted.paraver, "Paraver: .prv, with .pcf and .row beside it");
  format->add_flag("--csv", wanted.csv, "a line for each call, burst, phase and message");
  format->require_option(1);
}

int write(const Wanted& wanted) {
  const Trace trace = read_trace(wanted.archive, {.times = true, .silent_times = true});
  const auto chosen = wanted.perfetto  ? export_perfetto
                      : wanted.paraver ? export_paraver
                                       : export_csv;
  const Exported done = chosen(trace, wanted.output);
  const nlohmann::json told{{"ranks", trace.ranks.size()}, {"calls", done.calls},
                            {"bursts", done.bursts},       {"messages", done.messages},
                            {"phases", done.phases},       {"bytes", done.bytes}};
  fmt::print("{}\n", told.dump());
  return 0;
}

}  // namespace

int main(int count, char** words) {
  constexpr const char* name = "hakaru_trace_export";
  return hakaru::command::reported(name, stderr, [&] {
    CLI::App app("An OTF2 trace in the formats of other viewers.", name);
    Wanted wanted;
    declare(app, wanted);
    const bool asked = hakaru::command::read_words(app, {words + 1, words + count});
    return asked ? write(wanted) : 0;
  });
}
