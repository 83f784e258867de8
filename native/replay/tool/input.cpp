#include "native/replay/tool/input.hpp"

#include <fmt/core.h>

#include "native/base/require.hpp"

namespace hakaru::replay {

schedule::Schedule read_input(const std::string& path) {
  throw base::UserError(base::ExitCode::usage,
                        fmt::format("cannot read '{}' (this build reads generated schedules only); use --generate", path));
}

}  // namespace hakaru::replay
