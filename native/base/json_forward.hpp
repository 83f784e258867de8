// The name of JSON values for headers that only speak of them; reading JSON takes seconds to compile.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace hakaru::base {

using json = nlohmann::json;

}  // namespace hakaru::base
