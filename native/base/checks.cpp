#include "native/base/checks.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace hakaru::base {

void Checks::add(const std::string& name, double value, double reference, double tolerance,
                 const char* comparison, bool passed, const std::string& reason) {
  checks_.push_back({name, value, reference, tolerance, comparison, passed, reason});
}

void Checks::relative(const std::string& name, double value, double reference, double tolerance,
                      const std::string& reason) {
  add(name, value, reference, tolerance, "relative",
      std::abs(value - reference) <= tolerance * std::abs(reference), reason);
}

void Checks::absolute(const std::string& name, double value, double reference, double tolerance,
                      const std::string& reason) {
  add(name, value, reference, tolerance, "absolute", std::abs(value - reference) <= tolerance,
      reason);
}

void Checks::at_most(const std::string& name, double value, double limit,
                     const std::string& reason) {
  add(name, value, limit, 0.0, "at most", value <= limit, reason);
}

void Checks::at_least(const std::string& name, double value, double limit,
                      const std::string& reason) {
  add(name, value, limit, 0.0, "at least", value >= limit, reason);
}

void Checks::equal(const std::string& name, double value, double reference,
                   const std::string& reason) {
  add(name, value, reference, 0.0, "equal", value == reference, reason);
}

bool Checks::passed() const {
  return !checks_.empty() &&
         std::all_of(checks_.begin(), checks_.end(), [](const Check& c) { return c.passed; });
}

json to_json(const Checks& checks) {
  json out = json::array();
  for (const auto& check : checks.all())
    out.push_back({{"name", check.name},
                   {"value", check.value},
                   {"reference", check.reference},
                   {"tolerance", check.tolerance},
                   {"comparison", check.comparison},
                   {"passed", check.passed},
                   {"reason", check.reason}});
  return out;
}

}  // namespace hakaru::base
