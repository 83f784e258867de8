#include "native/base/description.hpp"

#include "native/base/require.hpp"

namespace hakaru::base {

const char* name_of(PhaseKind kind) {
  switch (kind) {
    case PhaseKind::compute:
      return "compute";
    case PhaseKind::communicate:
      return "communicate";
    case PhaseKind::io:
      return "io";
    case PhaseKind::idle:
      return "idle";
  }
  return "";
}

const char* name_of(ParameterType type) {
  switch (type) {
    case ParameterType::integer:
      return "integer";
    case ParameterType::real:
      return "real";
    case ParameterType::choice:
      return "choice";
    case ParameterType::boolean:
      return "boolean";
    case ParameterType::text:
      return "text";
  }
  return "";
}

Description& Description::integer(const std::string& name, std::int64_t value, std::int64_t minimum,
                                  std::int64_t maximum, const std::string& unit,
                                  const std::string& help) {
  HAKARU_EXPECTS(minimum <= value && value <= maximum && !find_parameter(name));
  parameters_.push_back({name,
                         ParameterType::integer,
                         value,
                         unit,
                         help,
                         static_cast<double>(minimum),
                         static_cast<double>(maximum),
                         {}});
  return *this;
}

Description& Description::real(const std::string& name, double value, double minimum,
                               double maximum, const std::string& unit, const std::string& help) {
  HAKARU_EXPECTS(minimum <= value && value <= maximum && !find_parameter(name));
  parameters_.push_back({name, ParameterType::real, value, unit, help, minimum, maximum, {}});
  return *this;
}

Description& Description::choice(const std::string& name, const std::string& value,
                                 std::vector<std::string> choices, const std::string& help) {
  HAKARU_EXPECTS(!choices.empty() && !find_parameter(name));
  parameters_.push_back({name, ParameterType::choice, value, "1", help, 0, 0, std::move(choices)});
  return *this;
}

Description& Description::boolean(const std::string& name, bool value, const std::string& help) {
  HAKARU_EXPECTS(!find_parameter(name));
  parameters_.push_back({name, ParameterType::boolean, value, "1", help, 0, 0, {}});
  return *this;
}

Description& Description::text(const std::string& name, const std::string& value,
                               const std::string& help) {
  HAKARU_EXPECTS(!find_parameter(name));
  parameters_.push_back({name, ParameterType::text, value, "1", help, 0, 0, {}});
  return *this;
}

Description& Description::preset(const std::string& name, const json& values,
                                 const std::string& help, int repetitions) {
  for (const auto& [key, value] : values.items()) HAKARU_EXPECTS(find_parameter(key) != nullptr);
  presets_.push_back({name, values, help, repetitions});
  return *this;
}

Description& Description::verifies(std::vector<std::string> parameters, const std::string& what) {
  for (const auto& name : parameters) HAKARU_EXPECTS(find_parameter(name) != nullptr);
  verified_ = {std::move(parameters), what};
  return *this;
}

Description& Description::phase(const std::string& name, PhaseKind kind, const std::string& help) {
  phases_.push_back({name, kind, help});
  return *this;
}

Description& Description::by_index() {
  HAKARU_EXPECTS(!phases_.empty());
  phases_.back().by_index = true;
  return *this;
}

Description& Description::metric(const std::string& name, const std::string& unit, Better better,
                                 const std::string& help) {
  metrics_.push_back({name, unit, better, help});
  return *this;
}

Description& Description::table(const std::string& name, std::vector<Column> columns,
                                const std::string& help) {
  tables_.push_back({name, help, std::move(columns)});
  return *this;
}

Description& Description::limits(int maximum_ranks, int maximum_threads) {
  maximum_ranks_ = maximum_ranks;
  maximum_threads_ = maximum_threads;
  return *this;
}

Description& Description::size_meaning(const std::string& meaning) {
  size_meaning_ = meaning;
  return *this;
}

const Parameter* Description::find_parameter(const std::string& name) const {
  for (const auto& parameter : parameters_)
    if (parameter.name == name) return &parameter;
  return nullptr;
}

const Preset* Description::find_preset(const std::string& name) const {
  for (const auto& preset : presets_)
    if (preset.name == name) return &preset;
  return nullptr;
}

namespace {

json parameter_json(const Parameter& parameter) {
  json out{{"name", parameter.name},
           {"type", name_of(parameter.type)},
           {"default", parameter.default_value},
           {"unit", parameter.unit},
           {"help", parameter.help}};
  if (parameter.type == ParameterType::integer) {
    out["minimum"] = static_cast<std::int64_t>(parameter.minimum);
    out["maximum"] = static_cast<std::int64_t>(parameter.maximum);
  } else if (parameter.type == ParameterType::real) {
    out["minimum"] = parameter.minimum;
    out["maximum"] = parameter.maximum;
  } else if (parameter.type == ParameterType::choice) {
    out["choices"] = parameter.choices;
  }
  return out;
}

json preset_json(const Preset& preset) {
  json out{{"name", preset.name}, {"help", preset.help}, {"values", preset.values}};
  if (preset.repetitions > 0) out["repetitions"] = preset.repetitions;
  return out;
}

json columns_json(const std::vector<Column>& columns) {
  json out = json::array();
  for (const auto& column : columns) out.push_back({{"name", column.name}, {"unit", column.unit}});
  return out;
}

}  // namespace

json Description::to_json() const {
  json parameters = json::array(), presets = json::array(), phases = json::array(),
       metrics = json::array(), tables = json::array();
  for (const auto& parameter : parameters_) parameters.push_back(parameter_json(parameter));
  for (const auto& preset : presets_) presets.push_back(preset_json(preset));
  for (const auto& phase : phases_)
    phases.push_back({{"name", phase.name}, {"kind", name_of(phase.kind)}, {"help", phase.help}});
  for (const auto& metric : metrics_)
    metrics.push_back({{"name", metric.name},
                       {"unit", metric.unit},
                       {"better", metric.better == Better::higher ? "higher" : "lower"},
                       {"help", metric.help}});
  for (const auto& table : tables_)
    tables.push_back(
        {{"name", table.name}, {"help", table.help}, {"columns", columns_json(table.columns)}});
  auto limit = [](int value) { return value > 0 ? json(value) : json(nullptr); };
  return {{"schema", "hakaru/description/1"},
          {"name", name_},
          {"title", title_},
          {"parameters", parameters},
          {"presets", presets},
          {"verify", {{"parameters", verified_.parameters}, {"what", verified_.what}}},
          {"limits", {{"ranks", limit(maximum_ranks_)}, {"threads", limit(maximum_threads_)}}},
          {"phases", phases},
          {"metrics", metrics},
          {"tables", tables}};
}

json to_json(const Work& work) {
  json phases = json::array();
  for (const auto& phase : work.phases) {
    phases.push_back({{"phase", phase.phase},
                      {"flops", phase.flops},
                      {"bytes", phase.bytes},
                      {"bytes_write_allocate", phase.bytes_write_allocate},
                      {"messages", phase.messages},
                      {"message_bytes", phase.message_bytes},
                      {"calls", phase.calls}});
    if (phase.indexed_bytes > 0.0) phases.back()["indexed_bytes"] = phase.indexed_bytes;
    if (phase.gathered_bytes > 0.0) phases.back()["gathered_bytes"] = phase.gathered_bytes;
  }
  return {{"size", work.size}, {"memory_bytes", work.memory_bytes}, {"phases", phases}};
}

}  // namespace hakaru::base
