// Values for the parameters that a description declares, checked against it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "native/base/description.hpp"

namespace hakaru::base {

class Parameters {
 public:
  // All defaults of the description.
  explicit Parameters(const Description& description);

  // Sets every value of the named preset. Throws UserError(usage) when there is no such preset.
  void apply_preset(const std::string& name);
  // Parses `name=value`. Throws UserError(usage) for an unknown name, a wrong type, a value out of
  // range, or a second assignment to the same name.
  void assign(const std::string& assignment);
  // Whether assign() has set it, be it to its default.
  bool assigned(const std::string& name) const { return assigned_.count(name) > 0; }

  std::int64_t integer(const std::string& name) const;
  double real(const std::string& name) const;
  bool boolean(const std::string& name) const;
  // Value of a choice or a text.
  const std::string& text(const std::string& name) const;

  const json& to_json() const { return values_; }

 private:
  const Parameter& parameter(const std::string& name) const;
  const json& value(const std::string& name, ParameterType type) const;

  const Description* description_;
  json values_ = json::object();
  std::set<std::string> assigned_;
};

// Value of `text` for this parameter. Throws UserError(usage).
json parse_value(const Parameter& parameter, const std::string& text);

// The candidate closest to `word` by edit distance, or "" when none is near: for "did you mean".
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace hakaru::base
