// What was found wrong, and the checks of it.
#pragma once

#include <string>

#include "native/base/checks.hpp"
#include "probes/formatted_io/ways.hpp"

namespace hakaru::probes::formatted_io {

// Numbers with full significands that did not come back, and the largest rounding of 15 digits.
struct Returned {
  std::int64_t differing;
  double rounding;
};
// Throws Unavailable.
Returned returned(Way way, Type type, std::int64_t count, const std::string& folder);

class Found {
 public:
  void bytes(std::int64_t wrong) { bytes_ += wrong, ++looked_at_; }
  void values(std::int64_t wrong) { values_ += wrong, ++looked_at_; }
  void roundings(Type type, const Returned& found);
  void add_to(base::Checks& checks) const;

 private:
  std::int64_t bytes_ = 0, values_ = 0, singles_ = 0, looked_at_ = 0;
  double rounding_ = 0.0;
};

// Writes and reads a small file, whose last line is short, and looks at every byte and every value;
// `damage` spoils a byte of the file. Throws Unavailable.
void verify_way(Way way, Type type, const std::string& folder, bool damage, Found& found);

}  // namespace hakaru::probes::formatted_io
