#include "native/harness/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace hakaru::harness {
namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

double number(const base::json& value) { return value.is_number() ? value.get<double>() : 0.0; }

void print_phases(const base::json& record) {
  const auto& repetitions = record.at("repetitions");
  if (repetitions.empty()) return;
  std::vector<double> walls;
  for (const auto& repetition : repetitions) walls.push_back(repetition.at("wall_s"));
  fmt::print("{} of {} repetitions: median {:.6g} s\n", record.at("program").get<std::string>(),
             walls.size(), median(walls));
  for (const auto& phase : record.at("phases")) {
    const std::string name = phase.at("name");
    std::vector<double> slowest;
    for (const auto& repetition : repetitions) {
      const auto seconds = repetition.at("phases").at(name).get<std::vector<double>>();
      slowest.push_back(*std::max_element(seconds.begin(), seconds.end()));
    }
    fmt::print("  {:<24} {:>12.6g} s  {}\n", name, median(slowest),
               phase.at("kind").get<std::string>());
  }
}

}  // namespace

void print_summary(const base::json& record) {
  print_phases(record);
  for (const auto& metric : record.at("metrics")) {
    const auto samples = metric.at("samples").get<std::vector<double>>();
    if (!samples.empty())
      fmt::print("  {:<24} {:>12.6g} {}\n", metric.at("name").get<std::string>(), median(samples),
                 metric.at("unit").get<std::string>());
  }
  for (const auto& check : record.at("checks"))
    fmt::print("{} {}: {:.9g}, {} {:.9g}, tolerance {:.3g} ({})\n",
               check.at("passed").get<bool>() ? "ok    " : "FAILED",
               check.at("name").get<std::string>(), number(check.at("value")),
               check.at("comparison").get<std::string>(), number(check.at("reference")),
               number(check.at("tolerance")), check.at("reason").get<std::string>());
  for (const auto& problem : record.at("layout").at("binding_problems"))
    fmt::print("warning: {}\n", problem.get<std::string>());
  fmt::print("verdict: {}\n", record.at("verdict").get<std::string>());
}

}  // namespace hakaru::harness
