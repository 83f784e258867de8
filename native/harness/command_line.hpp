// The command line of every program.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "native/base/description.hpp"
#include "native/base/parameters.hpp"

namespace hakaru::harness {

enum class Command { help, describe, schedule, run, verify };

struct CommandLine {
  explicit CommandLine(base::Parameters defaults) : parameters(std::move(defaults)) {}
  Command command = Command::help;
  base::Parameters parameters;
  std::optional<std::string> preset;
  int ranks = 1;  // describe and schedule only: the layout to evaluate
  int threads = 1;
  int repetitions = 0;  // 0: the default (schedule: 1; run: that of usual_run)
  int warmup = -1;      // -1: the default (that of usual_run)
  std::string record_file, context_file, campaign;
  std::string output_file;  // schedule only; "": standard output
  bool damage = false;
  bool cold = false;  // run only: nothing of a phase's data is in a cache when it begins
};

// Throws UserError(usage) for anything that is not understood, and for what verify would not heed.
// The preset is applied first, assignments after it.
CommandLine parse_command_line(const base::Description& description,
                               const std::vector<std::string>& words);

const char* name_of(Command command);

}  // namespace hakaru::harness
