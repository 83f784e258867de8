#include "native/harness/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "native/base/require.hpp"

namespace hakaru::harness {
namespace {

constexpr int most_threads = 4096, most_ranks = 1 << 24, most_repetitions = 1'000'000;

int parse_count(const std::string& option, const std::string& text, int minimum, int maximum) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  base::require(error == std::errc{} && end == text.data() + text.size() && minimum <= value &&
                    value <= maximum,
                fmt::format("{} {} cannot be used", option, text), "it is not a count in range",
                fmt::format("give a whole number from {} to {}", minimum, maximum));
  return value;
}

Command parse_command(const std::string& word, const std::string& program) {
  if (word == "help" || word == "--help" || word == "-h") return Command::help;
  if (word == "describe") return Command::describe;
  if (word == "schedule") return Command::schedule;
  if (word == "run") return Command::run;
  base::require(word == "verify", fmt::format("'{}' is not a command of {}", word, program),
                "the commands are describe, run, verify, schedule and help",
                fmt::format("see '{} help'", program));
  return Command::verify;
}

int default_threads() {
  const char* text = std::getenv("OMP_NUM_THREADS");
  const int value = text ? std::atoi(text) : 1;
  return value >= 1 && value <= most_threads ? value : 1;
}

class Parser {
 public:
  Parser(const base::Description& description, const std::vector<std::string>& words)
      : description_(description), words_(words), line_(base::Parameters(description)) {}

  CommandLine parse() {
    line_.threads = default_threads();
    if (words_.empty()) return line_;
    line_.command = parse_command(words_[0], description_.name());
    for (next_ = 1; next_ < words_.size();) {
      const std::string word = words_[next_++];
      if (word.rfind("-", 0) == 0)
        option(word);
      else
        assignments_.push_back(word);
    }
    if (line_.preset) apply_preset(*line_.preset);
    for (const auto& assignment : assignments_) line_.parameters.assign(assignment);
    if (line_.command == Command::verify) require_verified();
    return line_;
  }

 private:
  void apply_preset(const std::string& name) {
    line_.parameters.apply_preset(name);
    const int repetitions = description_.find_preset(name)->repetitions;
    if (repetitions == 0 || line_.repetitions > 0) return;
    line_.repetitions = repetitions;
    if (line_.warmup < 0) line_.warmup = 0;
  }

  // What is given is verified or refused. The preset `small` stands for "as it is verified": every
  // leaf has it.
  void require_verified() const {
    const base::Verified& verified = description_.verified();
    const auto heeded = [&](const std::string& name) {
      return std::find(verified.parameters.begin(), verified.parameters.end(), name) !=
             verified.parameters.end();
    };
    const auto refuse = [&](const std::string& given) {
      base::require(false, fmt::format("{} verify does not take {}", description_.name(), given),
                    fmt::format("it checks {}{}", verified.what,
                                verified.parameters.empty()
                                    ? ""
                                    : fmt::format("; of the parameters it takes {}",
                                                  fmt::join(verified.parameters, ", "))),
                    fmt::format("leave it out, or use '{} run', which checks its result",
                                description_.name()));
    };
    for (const auto& assignment : assignments_)
      if (!heeded(assignment.substr(0, assignment.find('=')))) refuse(assignment);
    if (!line_.preset || *line_.preset == "small") return;
    for (const auto& [name, value] : description_.find_preset(*line_.preset)->values.items())
      if (!heeded(name)) refuse("--preset " + *line_.preset);
  }

  const std::string& value(const std::string& option_name) {
    base::require(next_ < words_.size(), fmt::format("{} needs a value", option_name), "",
                  fmt::format("see '{} help'", description_.name()));
    return words_[next_++];
  }

  void option(const std::string& word) {
    if (word == "--help" || word == "-h")
      line_.command = Command::help;
    else if (word == "--preset")
      line_.preset = value(word);
    else if (word == "--ranks")
      line_.ranks = parse_count(word, value(word), 1, most_ranks);
    else if (word == "--threads")
      line_.threads = parse_count(word, value(word), 1, most_threads);
    else if (word == "--repetitions")
      line_.repetitions = parse_count(word, value(word), 1, most_repetitions);
    else if (word == "--warmup")
      line_.warmup = parse_count(word, value(word), 0, most_repetitions);
    else if (word == "--record")
      line_.record_file = value(word);
    else if (word == "--context")
      line_.context_file = value(word);
    else if (word == "--campaign")
      line_.campaign = value(word);
    else if (word == "--output")
      line_.output_file = value(word);
    else if (word == "--damage")
      line_.damage = true;
    else if (word == "--cold")
      line_.cold = true;
    else
      base::require(false, fmt::format("there is no option {}", word), "",
                    fmt::format("see '{} help'", description_.name()));
    base::require(word != "--ranks" || line_.command == Command::describe ||
                      line_.command == Command::schedule,
                  "--ranks is for describe and schedule only",
                  "the number of ranks of a run is what the MPI launcher starts",
                  "use mpirun -n, or hakaru");
    for (const char* other : {"--record", "--context", "--campaign", "--warmup"})
      base::require(word != other || line_.command != Command::schedule,
                    word + " is not for schedule", "it starts no run", "leave it out");
    base::require(word != "--output" || line_.command == Command::schedule,
                  "--output is for schedule only", "", "leave it out");
    base::require(word != "--damage" || line_.command == Command::verify,
                  "--damage is for verify only", "", "leave it out");
    base::require(word != "--cold" || line_.command == Command::run, "--cold is for run only", "",
                  "leave it out");
  }

  const base::Description& description_;
  const std::vector<std::string>& words_;
  std::vector<std::string> assignments_;
  std::size_t next_ = 0;
  CommandLine line_;
};

}  // namespace

CommandLine parse_command_line(const base::Description& description,
                               const std::vector<std::string>& words) {
  return Parser(description, words).parse();
}

const char* name_of(Command command) {
  switch (command) {
    case Command::help:
      return "help";
    case Command::describe:
      return "describe";
    case Command::schedule:
      return "schedule";
    case Command::run:
      return "run";
    case Command::verify:
      return "verify";
  }
  return "";
}

}  // namespace hakaru::harness
