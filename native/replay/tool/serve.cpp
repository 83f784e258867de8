#include "native/replay/tool/serve.hpp"

#include <iostream>
#include <string>

#include "native/base/clock.hpp"
#include "native/base/require.hpp"
#include "native/replay/engine/replay.hpp"

namespace hakaru::replay {
namespace {

using nlohmann::json;

json answered(Input& input, const Asked& asked, const std::string& line) {
  try {
    const json question = json::parse(line, nullptr, false);
    base::require(question.is_object() && question.contains("network"), "a question cannot be read",
                  "it is no JSON object with a network");
    json options = question.value("options", json::object());
    base::require(options.is_object(), "a question cannot be read", "its options are no object");
    options.update(asked.options);
    const json document = network_for(input, question["network"]);
    const auto network =
        make_network(document, input.schedule.ranks, input.schedule.in_large_pages);
    Costs costs = read_costs(document);
    const Options read = read_options(options, costs);
    const double begin = base::now_s();
    const Result result = replay::replay(input.schedule, *network, costs, read);
    return told(result, input, document, {asked.read_s, base::now_s() - begin}, asked);
  } catch (const base::UserError& error) {
    return {{"problem", error.what()}, {"code", static_cast<int>(error.code())}};
  }
}

}  // namespace

std::vector<std::string> warnings(const Input& input, const json& network, const Asked& asked) {
  std::vector<std::string> all = input.warnings;
  if (std::string missing = unpriced(asked.with_gaps, network); !missing.empty())
    all.push_back(std::move(missing));
  return all;
}

json told(const Result& result, const Input& input, const json& network, const Spent& spent,
          const Asked& asked) {
  json all = to_json(result, input.schedule, spent, asked.each_rank);
  if (asked.sends_changed) all["changed_sends"] = asked.changed_sends;
  const std::vector<std::string> said = warnings(input, network, asked);
  if (!said.empty()) all["warnings"] = said;
  return all;
}

void serve(Input& input, const Asked& asked, std::istream& questions, std::ostream& answers) {
  for (std::string line; std::getline(questions, line);)
    answers << answered(input, asked, line).dump() << std::endl;
}

}  // namespace hakaru::replay
