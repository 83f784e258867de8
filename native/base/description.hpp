// What a leaf declares once about itself: parameters, phases, metrics, tables, presets.
// Command-line parsing, help, Python, models and reports all come from it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "native/base/json_forward.hpp"

namespace hakaru::base {

enum class PhaseKind { compute, communicate, io, idle };
enum class Better { higher, lower };
enum class ParameterType { integer, real, choice, boolean, text };

const char* name_of(PhaseKind kind);
const char* name_of(ParameterType type);

struct Parameter {
  std::string name;
  ParameterType type;
  json default_value;
  std::string unit;  // "1" for counts
  std::string help;
  double minimum = 0.0;  // integer and real only, inclusive
  double maximum = 0.0;
  std::vector<std::string> choices;  // choice only
};

struct Preset {
  std::string name;
  json values;  // parameter name -> value
  std::string help;
  int repetitions = 0;  // of a run that asks for no other number, without warm-up; 0: the usual
};

// What `verify` looks at: it computes problems of its own but for the parameters that it heeds.
struct Verified {
  std::vector<std::string> parameters;  // each value that is given is among what is checked
  std::string what;                     // is checked, for people: "verify checks ..."
};

struct PhaseDescription {
  std::string name;
  PhaseKind kind;
  std::string help;
  bool by_index = false;  // loads from places that other data say, as sparse matrices do
};

struct MetricDescription {
  std::string name;
  std::string unit;
  Better better;
  std::string help;
};

struct Column {
  std::string name;
  std::string unit;  // "text" for words, "1" for counts
};

struct TableDescription {
  std::string name;
  std::string help;
  std::vector<Column> columns;
};

// Ranks and threads of one execution.
struct Layout {
  int ranks = 1;
  int threads = 1;  // per rank
};

// Work of one phase in one repetition, summed over all ranks.
struct PhaseWork {
  std::string phase;
  double flops = 0.0;
  double bytes = 0.0;                 // B loaded and stored
  double bytes_write_allocate = 0.0;  // B, counting the read of each written cache line
  double messages = 0.0;
  double message_bytes = 0.0;  // B that leave the ranks
  double calls = 0.0;
  double indexed_bytes = 0.0;   // B of a phase that loads by index
  double gathered_bytes = 0.0;  // B of the data that it loads from by index
};

struct Work {
  double size = 0.0;          // the scalar problem size N that growth laws speak of
  double memory_bytes = 0.0;  // B, all ranks together
  std::vector<PhaseWork> phases;
  double gathered_bytes = 0.0;  // B of the data that phases load from by index, all ranks together
};

class Description {
 public:
  Description(std::string name, std::string title)
      : name_(std::move(name)), title_(std::move(title)) {}

  Description& integer(const std::string& name, std::int64_t value, std::int64_t minimum,
                       std::int64_t maximum, const std::string& unit, const std::string& help);
  Description& real(const std::string& name, double value, double minimum, double maximum,
                    const std::string& unit, const std::string& help);
  Description& choice(const std::string& name, const std::string& value,
                      std::vector<std::string> choices, const std::string& help);
  Description& boolean(const std::string& name, bool value, const std::string& help);
  Description& text(const std::string& name, const std::string& value, const std::string& help);

  // `values` is an object {"parameter": value}; every leaf needs the preset "small" (runs in
  // seconds), every app the preset "long" (about ten minutes on one core).
  Description& preset(const std::string& name, const json& values, const std::string& help,
                      int repetitions = 0);
  // Parameters that verify heeds; it refuses all others when they are given.
  Description& verifies(std::vector<std::string> parameters, const std::string& what);
  Description& phase(const std::string& name, PhaseKind kind, const std::string& help);
  // The phase before loads by index: its bytes come as those of a sparse matrix do.
  Description& by_index();
  Description& metric(const std::string& name, const std::string& unit, Better better,
                      const std::string& help);
  Description& table(const std::string& name, std::vector<Column> columns, const std::string& help);

  // Zero means no limit.
  Description& limits(int maximum_ranks, int maximum_threads);
  Description& size_meaning(const std::string& meaning);

  const std::string& name() const { return name_; }
  const std::string& title() const { return title_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<Preset>& presets() const { return presets_; }
  const std::vector<PhaseDescription>& phases() const { return phases_; }
  const std::vector<MetricDescription>& metrics() const { return metrics_; }
  const std::vector<TableDescription>& tables() const { return tables_; }
  int maximum_ranks() const { return maximum_ranks_; }
  int maximum_threads() const { return maximum_threads_; }
  const std::string& size_meaning() const { return size_meaning_; }
  const Verified& verified() const { return verified_; }

  // nullptr when there is none of that name.
  const Parameter* find_parameter(const std::string& name) const;
  const Preset* find_preset(const std::string& name) const;

  // The static part of the description file.
  json to_json() const;

 private:
  std::string name_, title_, size_meaning_ = "problem size";
  std::vector<Parameter> parameters_;
  std::vector<Preset> presets_;
  std::vector<PhaseDescription> phases_;
  std::vector<MetricDescription> metrics_;
  std::vector<TableDescription> tables_;
  int maximum_ranks_ = 0, maximum_threads_ = 0;
  Verified verified_{{}, "problems of its own"};
};

json to_json(const Work& work);

}  // namespace hakaru::base
