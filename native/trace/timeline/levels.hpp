// Levels of detail: what fills each bin of time of each row.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "native/trace/timeline/pieces.hpp"

namespace hakaru::trace {

// Bytes as RFC 4648 writes them.
std::string base64(const void* data, std::size_t bytes);

template <typename Value>
std::string base64(const std::vector<Value>& values) {
  return base64(values.data(), values.size() * sizeof(Value));
}

struct Axis {
  double from_s = 0, to_s = 0;
  std::size_t ranks = 0, rows = 0, ranks_per_row = 1;

  double length_s() const { return to_s - from_s; }
  std::size_t row_of(std::size_t rank) const { return rank / ranks_per_row; }
};

// What one row's bins hold, s: [bin][column].
class Bins {
 public:
  Bins(const Axis& axis, std::size_t bins, std::size_t columns)
      : axis_(axis), bins_(bins), columns_(columns), seconds_(bins * columns) {}

  void add(std::size_t column, double begin_s, double end_s);
  void clear() { std::fill(seconds_.begin(), seconds_.end(), 0.0); }
  double at(std::size_t bin, std::size_t column) const { return seconds_[bin * columns_ + column]; }
  std::size_t bins() const { return bins_; }
  std::size_t columns() const { return columns_; }
  // Of a column over all bins.
  double sum(std::size_t column) const;
  // Four bins become one.
  Bins coarser() const;

 private:
  Axis axis_;
  std::size_t bins_, columns_;
  std::vector<double> seconds_;
};

// Bytes of one level, row after row.
struct Level {
  std::size_t bins = 0;
  std::vector<std::uint8_t> states, phases;  // that fill most of a bin; 255: nothing does
  std::vector<std::uint8_t> computing, communicating, waiting;  // shares, 255 is all of the bin

  void add_row(const Bins& states, const Bins& phases, const Bins& shares, double full_s);
  nlohmann::json document() const;
};

// As many bins for a row as the limits allow: 256 times a power of four.
std::size_t finest(std::size_t rows, std::size_t pieces, std::size_t cells, std::size_t most);

}  // namespace hakaru::trace
