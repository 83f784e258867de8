// hakaru_replay: how long a schedule or a trace takes on a network.
#include <fmt/core.h>

#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "native/base/atomic_file.hpp"
#include "native/base/clock.hpp"
#include "native/base/require.hpp"
#include "native/command/words.hpp"
#include "native/replay/engine/replay.hpp"
#include "native/replay/tool/algorithms.hpp"
#include "native/replay/tool/generate.hpp"
#include "native/replay/tool/input.hpp"
#include "native/replay/tool/output.hpp"
#include "native/replay/tool/recording.hpp"
#include "native/replay/tool/serve.hpp"
#include "native/schedule/json.hpp"
#include "native/schedule/sends.hpp"
#include "native/schedule/slice.hpp"

namespace {

using namespace hakaru;
using namespace hakaru::replay;

struct Arguments {
  std::string input, generated, network, timeline, archive, only, written, sends, waits = "late";
  nlohmann::json options = nlohmann::json::object();
  bool check = false, json = false, each_rank = false, algorithms = false, serve = false;
  bool as_traced = false;
};

nlohmann::json read_json_file(const std::string& path) {
  nlohmann::json document = nlohmann::json::parse(base::read_file(path), nullptr, false);
  base::require(!document.is_discarded(), fmt::format("'{}' is no JSON", path));
  return document;
}

void set_option(nlohmann::json& options, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  base::require(equals != std::string::npos && equals > 0,
                fmt::format("cannot read --set '{}'", assignment), "KEY=VALUE is needed");
  const std::string text = assignment.substr(equals + 1);
  nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
  if (value.is_discarded()) value = text;
  std::string pointer = "/" + assignment.substr(0, equals);
  for (char& c : pointer)
    if (c == '.') c = '/';
  options[nlohmann::json::json_pointer(pointer)] = value;
}

constexpr const char* examples =
    "WHAT: pingpong:bytes=8,times=1  allreduce:ranks=8,bytes=8,times=1 (and other collectives)  "
    "barriers:ranks=8,times=1  halo2d:ranks=16,steps=1,bytes=8,compute_s=0  "
    "gather_reverse:ranks=8,bytes=8";

void declare(CLI::App& app, Arguments& arguments) {
  app.add_option("input", arguments.input, "a schedule (JSON) or an OTF2 archive");
  app.add_option("--generate", arguments.generated, "WHAT in the input's place");
  app.add_option("--network", arguments.network,
                 "the network document (docs/reference/replay-engine.md), JSON");
  app.add_option_function<std::string>(
         "--options",
         [&](const std::string& path) { arguments.options.merge_patch(read_json_file(path)); },
         "the options document, JSON")
      ->trigger_on_parse();
  app.add_option_function<std::string>(
         "--set", [&](const std::string& text) { set_option(arguments.options, text); },
         "KEY=VALUE, one option; VALUE is JSON or text, KEY may have dots: "
         "collectives.alltoall.algorithm=pairwise")
      ->trigger_on_parse();
  app.add_option("--only", arguments.only,
                 "only what ranks do inside this phase, its occurrences one after the other");
  app.add_option("--sends", arguments.sends,
                 "blocking sends become nonblocking, or persistent ones")
      ->check(CLI::IsMember({"nonblocking", "persistent"}));
  app.add_option("--waits", arguments.waits,
                 "of these sends: late, before the next message from the same memory; exchange, "
                 "also before the next computing")
      ->check(CLI::IsMember({"late", "exchange"}));
  app.add_option("--write", arguments.written, "write only the input, as a schedule (JSON)");
  app.add_flag("--check", arguments.check,
               "only whether the program can progress and is consistent");
  app.add_flag("--as-traced", arguments.as_traced,
               "what the tracer took counts as computing, as it did in the run that was traced");
  app.add_flag("--json", arguments.json, "the result as JSON");
  app.add_flag("--serve", arguments.serve,
               "read the input once, then answer a line of standard input after the other: "
               "{\"network\": ..., \"options\": ...}");
  app.add_flag("--ranks", arguments.each_rank, "with each rank's result");
  app.add_flag("--algorithms", arguments.algorithms, "only the algorithms of collectives, as JSON");
  app.add_option("--timeline", arguments.timeline, "what each rank does when, as CSV");
  app.add_option("--otf2", arguments.archive,
                 "what each rank does when, as an OTF2 archive: its folder");
  app.footer(examples);
}

void require_complete(const Arguments& arguments) {
  base::require(arguments.input.empty() != arguments.generated.empty(), "no input", "or two",
                "give a file or --generate WHAT");
  base::require(arguments.check || arguments.serve || !arguments.written.empty() ||
                    !arguments.network.empty(),
                "no network", "", "give --network FILE.json");
}

void check_only(const schedule::Schedule& schedule, bool json) {
  const std::uint64_t messages = check(schedule);
  const std::string relies = why_it_needs_buffers(schedule);
  if (json) {
    fmt::print("{}\n", nlohmann::json{{"progresses", true},
                                      {"ranks", schedule.ranks},
                                      {"messages", messages},
                                      {"relies_on_buffering", !relies.empty()},
                                      {"detail", relies}}
                           .dump());
  } else if (relies.empty()) {
    fmt::print("{} on {} ranks: it can progress, and nothing of {} messages is left over\n",
               schedule.program, schedule.ranks, messages);
  } else {
    fmt::print(
        "{} on {} ranks: it can progress where standard sends are buffered, and nothing of {} "
        "messages is left over. Without buffers:\n{}\n",
        schedule.program, schedule.ranks, messages, relies);
  }
}

// The input with other sends, when they were asked for; how many were changed.
std::uint64_t change_sends(schedule::Schedule& schedule, Arguments& arguments) {
  if (arguments.sends.empty()) return 0;
  const auto waits = arguments.waits == "late" ? schedule::Waits::late : schedule::Waits::exchange;
  const auto how = arguments.sends == "persistent" ? schedule::Started::persistent
                                                   : schedule::Started::nonblocking;
  schedule::NonblockingSends changed = schedule::nonblocking_sends(schedule, waits, how);
  schedule = std::move(changed.schedule);
  return changed.sends;
}

void replay_input(const Arguments& arguments, Input& input, const Asked& asked) {
  const schedule::Schedule& schedule = input.schedule;
  const nlohmann::json document = network_for(input, read_json_file(arguments.network));
  const auto network = make_network(document, schedule.ranks, schedule.in_large_pages);
  Costs costs = read_costs(document);
  const Options options = read_options(arguments.options, costs);
  Recording recording(schedule, arguments.timeline, arguments.archive);
  const double begin = base::now_s();
  const Result result = replay::replay(schedule, *network, costs, options, recording.observers());
  const Spent spent{asked.read_s, base::now_s() - begin};
  recording.write(result);
  if (arguments.json) {
    fmt::print("{}\n", told(result, input, document, spent, asked).dump());
    return;
  }
  for (const std::string& warning : warnings(input, document, asked))
    fmt::print("attention: {}\n", warning);
  print(result, schedule, spent, stdout);
}

int replay_as_asked(Arguments& arguments) {
  const double begin = base::now_s();
  Input input = arguments.generated.empty() ? read_input(arguments.input, arguments.as_traced)
                                            : Input{generate(arguments.generated), {}};
  schedule::Schedule& schedule = input.schedule;
  if (!arguments.only.empty()) schedule = schedule::only_phase(schedule, arguments.only);
  const std::uint64_t changed = change_sends(schedule, arguments);
  const double read_s = base::now_s() - begin;
  if (!arguments.written.empty()) {
    std::ostringstream text;
    schedule::write_json(schedule, text);
    base::write_file_atomically(arguments.written, text.str());
  } else if (arguments.check) {
    check_only(schedule, arguments.json);
  } else {
    const Asked asked{
        arguments.options,        read_s, operations_with_gaps(schedule), arguments.each_rank,
        !arguments.sends.empty(), changed};
    if (arguments.serve)
      serve(input, asked, std::cin, std::cout);
    else
      replay_input(arguments, input, asked);
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  constexpr const char* name = "hakaru_replay";
  return command::reported(name, stderr, [&] {
    CLI::App app("How long a schedule or a trace takes on a network.", name);
    Arguments arguments;
    declare(app, arguments);
    if (!command::read_words(app, {words + 1, words + count})) return 0;
    if (arguments.algorithms) {
      fmt::print("{}\n", algorithms_json().dump());
      return 0;
    }
    require_complete(arguments);
    return replay_as_asked(arguments);
  });
}
