#include "native/base/samples.hpp"

#include "native/base/require.hpp"

namespace hakaru::base {

Metrics::Metrics(const std::vector<MetricDescription>& metrics)
    : descriptions_(metrics), samples_(metrics.size()) {}

void Metrics::add(const std::string& name, double value) {
  for (std::size_t i = 0; i < descriptions_.size(); ++i) {
    if (descriptions_[i].name != name) continue;
    samples_[i].push_back(value);
    return;
  }
  throw std::logic_error("metric '" + name + "' is not described");
}

void Metrics::clear() {
  for (auto& samples : samples_) samples.clear();
}

json Metrics::to_json() const {
  json out = json::array();
  for (std::size_t i = 0; i < descriptions_.size(); ++i)
    out.push_back({{"name", descriptions_[i].name},
                   {"unit", descriptions_[i].unit},
                   {"samples", samples_[i]}});
  return out;
}

void Table::row(const json& values) {
  HAKARU_EXPECTS(values.is_array() && values.size() == description_.columns.size());
  rows_.push_back(values);
}

json Table::to_json() const {
  json columns = json::array();
  for (const auto& column : description_.columns)
    columns.push_back({{"name", column.name}, {"unit", column.unit}});
  return {{"name", description_.name}, {"columns", columns}, {"rows", rows_}};
}

}  // namespace hakaru::base
