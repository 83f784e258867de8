// What a run-time library does for an item, step by step: the whole, the same with one character an
// item, system calls for as many bytes, and conversions in memory.
#pragma once

#include <string>
#include <vector>

#include "probes/formatted_io/items.hpp"

namespace hakaru::probes::formatted_io {

enum class Direction { write, read };
const char* name_of(Direction direction);

struct Step {
  const char* name;  // "text", "lines", "characters", "calls"
  Direction direction;
  std::int64_t bytes;  // of the file
  double seconds;
};
// Fortran's steps for real*8, in `folder`: text by (4d24.15), lines: a statement a line, characters
// by (4a1), and calls: bytes as many as the text's by write(2) and read(2), 8192 at a time. Adds
// the numbers that did not come back to `wrong`. Throws Unavailable.
std::vector<Step> fortran_steps(const Items& items, const std::string& folder, std::int64_t& wrong);

struct Conversion {
  const char* by;  // "snprintf", "to_chars", "fmt", "strtod", "from_chars"
  Direction direction;
  double seconds;
};
// Of every number, in memory; `items` must be real*8, Values::decimal. Adds the numbers that did
// not come back to `wrong`.
std::vector<Conversion> conversions(const Items& items, std::int64_t& wrong);

}  // namespace hakaru::probes::formatted_io
