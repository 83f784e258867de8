#include "apps/electrons/input.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <cmath>
#include <map>
#include <sstream>

#include "apps/electrons/field.hpp"
#include "native/base/require.hpp"

namespace hakaru::apps::electrons {
namespace {

// What a key of the file sets: parameters, one or three, and the unit of a quantity ("" for
// numbers, words and lists).
struct Key {
  std::vector<std::string> parameters;
  std::string unit;
};

const std::map<std::string, Key> keys = {
    {"crystal.name", {{"crystal"}, ""}},
    {"crystal.constant", {{"constant"}, "bohr"}},
    {"grid.points", {{"nx", "ny", "nz"}, ""}},
    {"k_points.mesh", {{"kx", "ky", "kz"}, ""}},
    {"k_points.symmetry", {{"symmetry"}, ""}},
    {"pseudopotential.reach", {{"reach"}, ""}},
    {"ground_state.extra_bands", {{"extra_bands"}, ""}},
    {"ground_state.file", {{"ground_state"}, ""}},
    {"ground_state.interval", {{"ground_state_interval"}, ""}},
    {"time.step", {{"dt"}, "au"}},
    {"time.steps", {{"steps"}, ""}},
    {"time.corrections", {{"corrections"}, ""}},
    {"time.frozen", {{"frozen"}, ""}},
    {"field.kind", {{"field"}, ""}},
    {"field.direction", {{"direction"}, ""}},
    {"field.impulse", {{"impulse"}, ""}},
    {"field.intensity", {{"intensity"}, "W/cm^2"}},
    {"field.photon_energy", {{"photon_energy"}, "eV"}},
    {"field.duration", {{"duration"}, "fs"}},
    {"field.geometry", {{"geometry"}, ""}},
    {"film.points", {{"points"}, ""}},
    {"film.spacing", {{"spacing"}, "bohr"}},
    {"film.vacuum_before", {{"vacuum_before"}, ""}},
    {"film.vacuum_after", {{"vacuum_after"}, ""}},
    {"output.energy_interval", {{"energy_interval"}, ""}},
    {"output.energy_max", {{"energy_max"}, "eV"}},
    {"output.checkpoint", {{"checkpoint"}, ""}},
    {"output.checkpoint_interval", {{"checkpoint_interval"}, ""}},
    {"output.restart", {{"restart"}, ""}}};

// Each unit as a multiple of the first of its kind.
struct Unit {
  std::string kind;
  double size;
};
const std::map<std::string, Unit> units = {{"bohr", {"length", 1.0}},
                                           {"angstrom", {"length", 1.0 / 0.529177210903}},
                                           {"nm", {"length", 10.0 / 0.529177210903}},
                                           {"um", {"length", 1e4 / 0.529177210903}},
                                           {"fs", {"time", 1.0}},
                                           {"as", {"time", 1e-3}},
                                           {"au", {"time", time_unit_fs}},
                                           {"eV", {"energy", 1.0}},
                                           {"meV", {"energy", 1e-3}},
                                           {"hartree", {"energy", hartree_ev}},
                                           {"W/cm^2", {"intensity", 1.0}},
                                           {"TW/cm^2", {"intensity", 1e12}}};

std::string known_keys() {
  std::string all;
  for (const auto& [name, key] : keys) all += (all.empty() ? "" : ", ") + name;
  return all;
}

// A TOML value as the command line would say it.
std::string word_of(const toml::node& node, const std::string& name, const std::string& unit) {
  if (const auto text = node.value<std::string>(); text && node.is_string())
    return unit.empty() ? *text : fmt::format("{:.17g}", quantity(*text, unit));
  base::require(unit.empty(), name + " has no unit", "a length, time, energy or intensity has one",
                fmt::format("write for example \"1.0 {}\"", unit));
  if (node.is_boolean()) return *node.value<bool>() ? "true" : "false";
  if (node.is_integer()) return fmt::format("{}", *node.value<std::int64_t>());
  base::require(node.is_floating_point(), name + " has a value that cannot be used",
                "it is neither a number nor a word", "see the tutorial");
  return fmt::format("{:.17g}", *node.value<double>());
}

class Reader {
 public:
  explicit Reader(const base::Parameters& given) : given_(given), result_(given) {}

  void section(const std::string& name, const toml::node& node) {
    const toml::table* table = node.as_table();
    base::require(table != nullptr, name + " stands outside of a section", "",
                  "known keys: " + known_keys());
    for (const auto& [key, value] : *table) entry(name + "." + std::string(key.str()), value);
  }

  const base::Parameters& result() const { return result_; }

 private:
  void entry(const std::string& name, const toml::node& node) {
    const auto found = keys.find(name);
    std::vector<std::string> names;
    for (const auto& [known, key] : keys) names.push_back(known);
    base::require(found != keys.end(), "there is no input " + name, "",
                  "did you mean " + base::nearest(name, names) + "? Known: " + known_keys());
    const Key& key = found->second;
    if (key.parameters.size() == 1) return set(key.parameters[0], word_of(node, name, key.unit));
    const toml::array* list = node.as_array();
    base::require(list != nullptr && list->size() == key.parameters.size(),
                  name + " is no list of three numbers", "there are three axes",
                  "write for example [16, 16, 16]");
    for (std::size_t i = 0; i < list->size(); ++i)
      set(key.parameters[i], word_of(*list->get(i), name, key.unit));
  }

  void set(const std::string& parameter, const std::string& word) {
    if (!given_.assigned(parameter)) result_.assign(parameter + "=" + word);
  }

  const base::Parameters& given_;
  base::Parameters result_;
};

}  // namespace

double quantity(const std::string& text, const std::string& wanted) {
  std::istringstream stream(text);
  double value = 0.0;
  std::string unit, rest;
  const bool read = static_cast<bool>(stream >> value >> unit) && !(stream >> rest);
  const Unit& target = units.at(wanted);
  const auto found = units.find(unit);
  std::string known;
  for (const auto& [name, one] : units)
    if (one.kind == target.kind) known += (known.empty() ? "" : ", ") + name;
  base::require(
      read && std::isfinite(value) && found != units.end() && found->second.kind == target.kind,
      fmt::format("\"{}\" is no {}", text, target.kind), "",
      fmt::format("write a number, a space and one of: {}", known));
  return value * found->second.size / target.size;
}

base::Parameters with_input(const base::Parameters& given, const std::string& path) {
  toml::table file;
  try {
    file = toml::parse_file(path);
  } catch (const toml::parse_error& error) {
    base::require(false, "cannot use the input " + path,
                  fmt::format("{} in line {}", error.description(), error.source().begin.line),
                  "check the file");
  }
  Reader reader(given);
  for (const auto& [name, node] : file) reader.section(std::string(name.str()), node);
  return reader.result();
}

}  // namespace hakaru::apps::electrons
