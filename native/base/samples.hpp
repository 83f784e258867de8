// Raw samples: metrics (one number a repetition) and tables (rows of a probe). Nothing is averaged
// here.
#pragma once

#include <string>
#include <vector>

#include "native/base/description.hpp"

namespace hakaru::base {

class Metrics {
 public:
  explicit Metrics(const std::vector<MetricDescription>& metrics);
  // Adds a sample to a described metric. Throws std::logic_error when it is not described.
  void add(const std::string& name, double value);
  void clear();
  json to_json() const;

 private:
  std::vector<MetricDescription> descriptions_;
  std::vector<std::vector<double>> samples_;
};

class Table {
 public:
  explicit Table(TableDescription description) : description_(std::move(description)) {}
  // Adds a row: a JSON array with one value a column. Throws std::logic_error when the number of
  // values differs.
  void row(const json& values);
  void clear() { rows_.clear(); }
  const TableDescription& description() const { return description_; }
  json to_json() const;

 private:
  TableDescription description_;
  std::vector<json> rows_;
};

}  // namespace hakaru::base
