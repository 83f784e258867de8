// Verification results: a value, its reference, a tolerance, the reason for the tolerance, and
// whether it holds. NaN never passes.
#pragma once

#include <string>
#include <vector>

#include "native/base/json_forward.hpp"

namespace hakaru::base {

struct Check {
  std::string name;
  double value, reference, tolerance;
  std::string comparison;
  bool passed;
  std::string reason;
};

class Checks {
 public:
  // |value - reference| <= tolerance * |reference|
  void relative(const std::string& name, double value, double reference, double tolerance,
                const std::string& reason);
  // |value - reference| <= tolerance
  void absolute(const std::string& name, double value, double reference, double tolerance,
                const std::string& reason);
  void at_most(const std::string& name, double value, double limit, const std::string& reason);
  void at_least(const std::string& name, double value, double limit, const std::string& reason);
  // Exact equality.
  void equal(const std::string& name, double value, double reference, const std::string& reason);

  const std::vector<Check>& all() const { return checks_; }
  bool passed() const;  // false when there are none: nothing checked is nothing verified

 private:
  void add(const std::string& name, double value, double reference, double tolerance,
           const char* comparison, bool passed, const std::string& reason);
  std::vector<Check> checks_;
};

json to_json(const Checks& checks);

}  // namespace hakaru::base
