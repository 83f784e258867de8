#include "native/harness/help.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hakaru::harness {
namespace {

std::string allowed(const base::Parameter& parameter) {
  switch (parameter.type) {
    case base::ParameterType::integer:
    case base::ParameterType::real:
      return fmt::format("{} to {}", parameter.minimum, parameter.maximum);
    case base::ParameterType::choice:
      return fmt::format("{}", fmt::join(parameter.choices, " | "));
    case base::ParameterType::boolean:
      return "true | false";
    case base::ParameterType::text:
      return "text";
  }
  return "";
}

std::string shown(const base::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

std::string help_text(const base::Description& description, bool uses_mpi) {
  const std::string& name = description.name();
  std::string text = fmt::format("{}: {}\n\n", name, description.title());
  text += fmt::format(
      "usage: {0} run      [parameter=value ...] [--preset P] [--threads T] [--repetitions N] "
      "[--warmup N] [--cold] [--record FILE]\n"
      "       {0} verify   [parameter=value ...] [--preset P] [--threads T] [--record FILE] "
      "[--damage]\n"
      "       {0} describe [parameter=value ...] [--preset P] [--threads T] [--ranks R]\n"
      "       {0} schedule [parameter=value ...] [--preset P] [--threads T] [--ranks R] "
      "[--repetitions N] [--output FILE]\n",
      name);
  if (uses_mpi) text += fmt::format("       with ranks: mpirun -n R {} run ...\n", name);
  text += "\nparameters\n";
  for (const auto& parameter : description.parameters())
    text +=
        fmt::format("  {:<22} {}{} (default {}; {})\n", parameter.name, parameter.help,
                    parameter.unit == "1" || parameter.unit.empty() ? "" : " in " + parameter.unit,
                    shown(parameter.default_value), allowed(parameter));
  const base::Verified& verified = description.verified();
  text += fmt::format("\nverify checks {}; parameters that it takes: {}\n", verified.what,
                      verified.parameters.empty()
                          ? "none"
                          : fmt::format("{}", fmt::join(verified.parameters, ", ")));
  text += "\npresets\n";
  for (const auto& preset : description.presets())
    text += fmt::format("  {:<22} {}\n", preset.name, preset.help);
  text += "\nphases\n";
  for (const auto& phase : description.phases())
    text += fmt::format("  {:<22} {} ({})\n", phase.name, phase.help, base::name_of(phase.kind));
  text += "\nmetrics\n";
  for (const auto& metric : description.metrics())
    text += fmt::format("  {:<22} {} ({})\n", metric.name, metric.help, metric.unit);
  text +=
      "\noptions\n"
      "  --threads T            OpenMP threads of each rank (default OMP_NUM_THREADS or 1)\n"
      "  --repetitions N        timed repetitions; --warmup N discarded ones before them\n"
      "  --cold                 run: empty the caches before every phase, and leave out what that "
      "takes\n"
      "  --record FILE          write one JSON record; --context FILE is copied into it; "
      "--campaign ID names its campaign\n"
      "  --ranks R              describe, schedule: number of ranks that a run would have\n"
      "  --output FILE          schedule: where to write it (default: standard output)\n"
      "  --damage               verify: spoil the result on purpose; verification must then fail\n"
      "\nexit status: 0 ok, 2 usage, 3 verification failed, 4 environment\n";
  return text;
}

}  // namespace hakaru::harness
