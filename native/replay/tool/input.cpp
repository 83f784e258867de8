#include "native/replay/tool/input.hpp"

#include "native/base/require.hpp"
#include "native/schedule/json.hpp"
#ifdef HAKARU_HAS_TRACES
#include "native/trace/reader/trace.hpp"
#endif

namespace hakaru::replay {

schedule::Schedule read_input(const std::string& path) {
  if (path.ends_with(".json")) return schedule::read_json(path);
#ifdef HAKARU_HAS_TRACES
  return trace::read_otf2(path);
#else
  throw base::UserError(base::ExitCode::environment,
                        base::explain("cannot read '" + path + "'", "this build, without MPI, has no reader of traces",
                                      "build the preset release"));
#endif
}

}  // namespace hakaru::replay
