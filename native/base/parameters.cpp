#include "native/base/parameters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string_view>

#include "native/base/require.hpp"

namespace hakaru::base {
namespace {

template <typename Number>
std::from_chars_result read(const char* begin, const char* end, Number& number) {
  return std::from_chars(begin, end, number);
}

#if !defined(__cpp_lib_to_chars)
// Libraries of older compilers read no floating-point numbers. `begin` ends with a null.
std::from_chars_result read(const char* begin, const char* end, double& number) {
  const std::string_view text(begin, static_cast<std::size_t>(end - begin));
  if (text.empty() || text.find_first_of("+xX \t\n") == 0 ||
      text.find_first_of("xX") != std::string_view::npos)
    return {begin, std::errc::invalid_argument};
  char* stop = nullptr;
  number = std::strtod(begin, &stop);
  return {stop, stop == begin ? std::errc::invalid_argument : std::errc{}};
}
#endif

template <typename Number>
Number parse_number(const Parameter& parameter, const std::string& text, const char* what) {
  Number number{};
  const auto [end, error] = read(text.data(), text.data() + text.size(), number);
  require(error == std::errc{} && end == text.data() + text.size(),
          fmt::format("{}={} is not {}", parameter.name, text, what), parameter.help,
          fmt::format("give a number from {} to {}", parameter.minimum, parameter.maximum));
  const double real = static_cast<double>(number);
  require(std::isfinite(real) && parameter.minimum <= real && real <= parameter.maximum,
          fmt::format("{}={} is out of range", parameter.name, text), parameter.help,
          fmt::format("give a number from {} to {}", parameter.minimum, parameter.maximum));
  return number;
}

}  // namespace

json parse_value(const Parameter& parameter, const std::string& text) {
  switch (parameter.type) {
    case ParameterType::integer:
      return parse_number<std::int64_t>(parameter, text, "a whole number");
    case ParameterType::real:
      return parse_number<double>(parameter, text, "a number");
    case ParameterType::choice: {
      const auto& choices = parameter.choices;
      require(std::find(choices.begin(), choices.end(), text) != choices.end(),
              fmt::format("{}={} is not one of its choices", parameter.name, text), parameter.help,
              fmt::format("give one of: {}", fmt::join(choices, ", ")));
      return text;
    }
    case ParameterType::boolean:
      require(text == "true" || text == "false",
              fmt::format("{}={} is neither true nor false", parameter.name, text), parameter.help,
              "give true or false");
      return text == "true";
    case ParameterType::text:
      return text;
  }
  return {};
}

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = word.size() / 2 + 1;
  for (const auto& candidate : candidates) {
    std::vector<std::size_t> row(candidate.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 0; i < word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i + 1;
      for (std::size_t j = 0; j < candidate.size(); ++j) {
        const std::size_t substitute = diagonal + (word[i] != candidate[j]);
        diagonal = row[j + 1];
        row[j + 1] = std::min({substitute, diagonal + 1, row[j] + 1});
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

Parameters::Parameters(const Description& description) : description_(&description) {
  for (const auto& parameter : description.parameters())
    values_[parameter.name] = parameter.default_value;
}

void Parameters::apply_preset(const std::string& name) {
  const Preset* preset = description_->find_preset(name);
  std::vector<std::string> names;
  for (const auto& known : description_->presets()) names.push_back(known.name);
  require(preset != nullptr, fmt::format("there is no preset '{}'", name),
          fmt::format("{} has: {}", description_->name(), fmt::join(names, ", ")),
          "choose one of them");
  for (const auto& [key, value] : preset->values.items()) values_[key] = value;
}

void Parameters::assign(const std::string& assignment) {
  const auto equals = assignment.find('=');
  require(equals != std::string::npos && equals > 0,
          fmt::format("'{}' is not understood", assignment), "parameters are written name=value",
          fmt::format("see '{} help'", description_->name()));
  const std::string name = assignment.substr(0, equals);
  json value = parse_value(parameter(name), assignment.substr(equals + 1));
  require(assigned_.insert(name).second, fmt::format("{} is given twice", name),
          "it is not clear which value is meant", "leave one of them out");
  values_[name] = std::move(value);
}

const Parameter& Parameters::parameter(const std::string& name) const {
  const Parameter* found = description_->find_parameter(name);
  if (!found) {
    std::vector<std::string> names;
    for (const auto& known : description_->parameters()) names.push_back(known.name);
    const std::string guess = nearest(name, names);
    require(false, fmt::format("there is no parameter '{}'", name),
            fmt::format("{} has: {}", description_->name(), fmt::join(names, ", ")),
            guess.empty() ? fmt::format("see '{} help'", description_->name())
                          : fmt::format("did you mean '{}'?", guess));
  }
  return *found;
}

const json& Parameters::value(const std::string& name, ParameterType type) const {
  const Parameter* found = description_->find_parameter(name);
  HAKARU_EXPECTS(found != nullptr);
  HAKARU_EXPECTS(found->type == type);
  return values_.at(name);
}

std::int64_t Parameters::integer(const std::string& name) const {
  return value(name, ParameterType::integer).get<std::int64_t>();
}

double Parameters::real(const std::string& name) const {
  return value(name, ParameterType::real).get<double>();
}

bool Parameters::boolean(const std::string& name) const {
  return value(name, ParameterType::boolean).get<bool>();
}

const std::string& Parameters::text(const std::string& name) const {
  const Parameter* found = description_->find_parameter(name);
  HAKARU_EXPECTS(found != nullptr &&
                 (found->type == ParameterType::choice || found->type == ParameterType::text));
  return values_.at(name).get_ref<const std::string&>();
}

}  // namespace hakaru::base
