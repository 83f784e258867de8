#include "native/replay/tool/input.hpp"

#include <filesystem>

#include "native/base/require.hpp"
#include "native/schedule/json.hpp"
#ifdef HAKARU_TRACE_READER
#include "native/trace/reader/trace.hpp"
#endif

namespace hakaru::replay {

Input read_input(const std::string& path) {
  const bool archive = path.ends_with(".otf2") || std::filesystem::is_directory(path);
  if (!archive) return {schedule::read_json(path), {}};
#ifdef HAKARU_TRACE_READER
  trace::Trace trace = trace::read_replayable(path);
  return {std::move(trace.schedule), std::move(trace.warnings)};
#else
  throw base::UserError(base::ExitCode::environment,
                        base::explain("cannot read '" + path + "'", "this build has no OTF2 reader",
                                      "install OTF2 and build again"));
#endif
}

}  // namespace hakaru::replay
