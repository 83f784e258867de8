// Many questions about one input, which is read once: reading a trace takes longer than to replay
// it.
#pragma once

#include <cstdint>
#include <iosfwd>

#include "native/replay/tool/input.hpp"
#include "native/replay/tool/output.hpp"

namespace hakaru::replay {

// What is the same for all of them.
struct Asked {
  nlohmann::json options = nlohmann::json::object();  // in addition to those of a question
  double read_s = 0;                                  // of the input
  std::uint64_t with_gaps = 0;                        // operations of the input
  bool each_rank = false;
  bool sends_changed = false;
  std::uint64_t changed_sends = 0;
};

// What is said against the input, and what the network cannot price of it.
std::vector<std::string> warnings(const Input& input, const nlohmann::json& network,
                                  const Asked& asked);

// The result with all that is said of the input.
nlohmann::json told(const Result& result, const Input& input, const nlohmann::json& network,
                    const Spent& spent, const Asked& asked);

// A line {"network", "options"} after the other until there is none; for each a line with its
// answer, or {"problem", "code"}, the exit code that one run would have had.
void serve(Input& input, const Asked& asked, std::istream& questions, std::ostream& answers);

}  // namespace hakaru::replay
