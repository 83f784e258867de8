#include "native/harness/schedule_command.hpp"

#include <fmt/format.h>

#include <iostream>
#include <sstream>

#include "native/base/atomic_file.hpp"
#include "native/base/require.hpp"
#include "native/harness/execution.hpp"
#include "native/harness/work.hpp"
#include "native/schedule/json.hpp"
#include "native/schedule/stream_writer.hpp"

namespace hakaru::harness {
namespace {

std::string in_words(const base::Description& description, const CommandLine& line,
                     int repetitions) {
  std::string text = description.name();
  for (const auto& parameter : description.parameters()) {
    const base::json& value = line.parameters.to_json().at(parameter.name);
    text += fmt::format(" {}={}", parameter.name,
                        value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text + fmt::format(", {} ranks x {} threads, repetitions: {}", line.ranks, line.threads,
                            repetitions);
}

void write_rank(const RankSchedule& leaf, schedule::StreamWriter& writer, int repetitions,
                std::size_t phases) {
  using schedule::Collective;
  // Own time, time until the last rank's end, two times waited for a processor, and the phases: see
  // Execution::timed_repetition.
  const std::uint64_t times_bytes = (4 + phases) * sizeof(double);
  writer.repeat(static_cast<std::uint64_t>(repetitions), [&] {
    writer.collective(Collective::barrier, 0);
    writer.phase(repetition_region, [&] { leaf(writer); });
    writer.phase(idle_phase, [&] { writer.collective(Collective::barrier, 0); });
    writer.collective(Collective::gather, times_bytes, schedule::world, 0);
  });
  writer.finish();
}

}  // namespace

schedule::Schedule make_schedule(const Program& program, const base::Description& description,
                                 const CommandLine& line) {
  const base::Layout layout{line.ranks, line.threads};
  require_limits(description, layout);
  require_accepted(program, description, line.parameters, layout);
  program.require_schedule(line.parameters);
  const RankSchedule leaf = program.schedule(line.parameters, layout);
  base::require(static_cast<bool>(leaf), fmt::format("{} has no schedule", description.name()),
                "it does not say what its ranks do in order", "trace a run instead");
  const int repetitions = line.repetitions > 0 ? line.repetitions : 1;
  schedule::Schedule out;
  out.ranks = line.ranks;
  out.program = description.name();
  out.description = in_words(description, line, repetitions);
  out.memory_bytes = static_cast<std::uint64_t>(
      work_of(program, description, line.parameters, layout).memory_bytes / line.ranks);
  out.phases = phases_of(description);
  out.phases.push_back({repetition_region, base::name_of(base::PhaseKind::compute)});
  out.phases.push_back({idle_phase, base::name_of(base::PhaseKind::idle)});
  for (int rank = 0; rank < line.ranks; ++rank) {
    schedule::StreamWriter writer(out, rank);
    write_rank(leaf, writer, repetitions, description.phases().size());
  }
  schedule::validate(out);
  return out;
}

void write_schedule(const Program& program, const base::Description& description,
                    const CommandLine& line) {
  if (!line.output_file.empty()) base::require_writable(line.output_file);
  const schedule::Schedule made = make_schedule(program, description, line);
  if (line.output_file.empty()) {
    schedule::write_json(made, std::cout);
    std::cout.flush();
    base::require_environment(std::cout.good(), "the schedule was not written",
                              "standard output takes no more", "write to a file with --output");
    return;
  }
  std::ostringstream text;
  schedule::write_json(made, text);
  base::write_file_atomically(line.output_file, text.str());
}

}  // namespace hakaru::harness
