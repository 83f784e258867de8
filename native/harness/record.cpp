#include "native/harness/record.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <random>

#include "native/base/atomic_file.hpp"
#include "native/base/clock.hpp"
#include "native/base/require.hpp"
#include "native/base/system.hpp"
#include "native/harness/work.hpp"

namespace hakaru::harness {
namespace {

using base::json;

std::string make_id(const std::string& timestamp, const std::string& program) {
  std::string compact;
  for (char c : timestamp)
    if (c != '-' && c != ':') compact += c;
  std::random_device random;
  return fmt::format("{}-{}-{:06x}", compact, program, (random() ^ ::getpid()) & 0xffffffu);
}

json read_context(const std::string& path) {
  if (path.empty()) return json::object();
  json context = json::parse(base::read_file(path), nullptr, false);
  base::require(context.is_object(), fmt::format("{} is not a JSON object", path),
                "--context takes what is to be copied into the record",
                "mend or leave out the file");
  return context;
}

// Of a run all parameters; of a verification those that it heeds.
json parameters_of(const base::Description& description, const CommandLine& line) {
  if (line.command != Command::verify) return line.parameters.to_json();
  json heeded = json::object();
  for (const auto& name : description.verified().parameters)
    heeded[name] = line.parameters.to_json().at(name);
  return heeded;
}

}  // namespace

json evaluate(const Program& program, const base::Description& description,
              const base::Parameters& parameters, const base::Layout& layout) {
  const std::string refusal = program.refuse(parameters, layout);
  json out{{"parameters", parameters.to_json()},
           {"ranks", layout.ranks},
           {"threads", layout.threads},
           {"refused", refusal.empty() ? json(nullptr) : json(refusal)},
           {"size_meaning", description.size_meaning()}};
  if (refusal.empty())
    out.update(base::to_json(work_of(program, description, parameters, layout)));
  else
    out.update(base::to_json(base::Work{}));
  return out;
}

json begin_record(const base::Description& description, const CommandLine& line,
                  const base::Layout& layout, const std::string& kind) {
  const std::string now = base::utc_timestamp();
  const std::string file_stem = std::filesystem::path(line.record_file).stem();
  json phases = json::array();
  for (const auto& phase : description.phases())
    phases.push_back({{"name", phase.name}, {"kind", base::name_of(phase.kind)}});
  json record{{"schema", "hakaru/record/1"},
              {"id", file_stem.empty() ? make_id(now, description.name()) : file_stem},
              {"program", description.name()},
              {"kind", kind},
              {"command", name_of(line.command)},
              {"verdict", "not verified"},
              {"started", now},
              {"preset", line.preset ? json(*line.preset) : json(nullptr)},
              {"campaign", line.campaign.empty() ? json(nullptr) : json(line.campaign)},
              {"parameters", parameters_of(description, line)},
              {"layout",
               {{"ranks", layout.ranks},
                {"threads", layout.threads},
                {"hosts", json::array()},
                {"oversubscribed", false},
                {"binding_problems", json::array()},
                {"binding", json::array()}}},
              {"work", json::object()},
              {"phases", phases},
              {"warmup_discarded", 0},
              {"repetitions", json::array()},
              {"metrics", json::array()},
              {"tables", json::array()},
              {"checks", json::array()},
              {"environment", base::environment()},
              {"context", read_context(line.context_file)}};
  if (line.cold) record["cold"] = true;
  fail(record, "ended before it finished", static_cast<int>(base::ExitCode::environment));
  return record;
}

void fail(json& record, const std::string& reason, int exit_code) {
  record["status"] = "failed";
  record["failure"] = {{"reason", reason}, {"exit_code", exit_code}, {"standard_error", ""}};
  record["finished"] = base::utc_timestamp();
}

}  // namespace hakaru::harness
