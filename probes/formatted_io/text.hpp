// The text of a file, made digit by digit without any conversion, and what of a file differs from
// it.
#pragma once

#include <cstdint>
#include <string>

#include "probes/formatted_io/items.hpp"

namespace hakaru::probes::formatted_io {

inline constexpr int text_width = 24;  // of a real

// How a language writes 15 digits in 24 characters.
enum class Notation {
  fortran,  // d24.15: 0.123456789012345D+01
  c,        // %24.14E: 1.23456789012345E+00
  small     // the same with e, as std::to_chars writes it
};

// 24 characters, no zero byte behind them. |exponent| < 100.
void put(char* field, const Decimal& decimal, Notation notation);

// Bytes of the file that are not those of the items' text, among them those that are missing or too
// many. The items must be Values::decimal. Throws Unavailable when it cannot be read.
std::int64_t wrong_text(const std::string& path, const Items& items, Notation notation);
// Bytes of the file that are not the items' own; `marks`: bytes before and after them (the length
// of a record in Fortran), which must say the length where there are 4.
std::int64_t wrong_binary(const std::string& path, const Items& items, int marks);

}  // namespace hakaru::probes::formatted_io
