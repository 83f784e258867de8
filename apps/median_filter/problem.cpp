#include "apps/median_filter/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "native/base/mixed_bits.hpp"

namespace hakaru::apps::median_filter {
namespace {

// Beyond it a table of comparisons would not fit into a cache.
constexpr std::int64_t most_window_points = 32768;

template <std::size_t count>
std::size_t place(const char* const (&names)[count], const std::string& name) {
  const auto found = std::find(std::begin(names), std::end(names), name);
  if (found == std::end(names)) throw std::logic_error("no such choice: " + name);
  return static_cast<std::size_t>(found - std::begin(names));
}

std::uint64_t bits_of(const Extent& image, std::int64_t x, std::int64_t y, std::int64_t z,
                      std::uint64_t channel) {
  const auto point = static_cast<std::uint64_t>((z * image.y + y) * image.x + x);
  return base::mixed_bits(base::golden_step * (2 * point + channel + 1));
}

std::int64_t positive_remainder(std::int64_t a, std::int64_t n) { return (a % n + n) % n; }

}  // namespace

Edge edge_named(const std::string& name) { return static_cast<Edge>(place(edge_names, name)); }

Values values_named(const std::string& name) {
  return static_cast<Values>(place(values_names, name));
}

std::int64_t value_bytes(Values values) { return values == Values::real_double ? 8 : 4; }

std::int64_t source_of(Edge edge, std::int64_t at, std::int64_t points) {
  if (0 <= at && at < points) return at;
  switch (edge) {
    case Edge::nearest:
      return std::clamp<std::int64_t>(at, 0, points - 1);
    case Edge::reflect: {
      const std::int64_t place = positive_remainder(at, 2 * points);
      return std::min(place, 2 * points - 1 - place);
    }
    case Edge::mirror: {
      if (points == 1) return 0;
      const std::int64_t place = positive_remainder(at, 2 * points - 2);
      return std::min(place, 2 * points - 2 - place);
    }
    case Edge::wrap:
      return positive_remainder(at, points);
    case Edge::constant:
      break;
  }
  return outside;
}

double brightness(const Extent& image, std::int64_t x, std::int64_t y, std::int64_t z) {
  const std::uint64_t bits = bits_of(image, x, y, z, 0);
  if (bits % 32 == 0) return bits / 32 % 2 == 0 ? 0.0 : 1.0;
  const double ramp = static_cast<double>((x + 2 * y + 3 * z) % 64) / 128.0;
  return 0.25 + ramp + static_cast<double>(bits >> 40) * 0x1p-26;
}

double weight(const Extent& image, std::int64_t x, std::int64_t y, std::int64_t z) {
  return static_cast<double>(bits_of(image, x, y, z, 1) >> 11) * 0x1p-53;
}

std::string Problem::name() const {
  const std::string edge = beyond.edge == Edge::constant
                               ? fmt::format("constant {:g}", beyond.value)
                               : std::string(edge_names[static_cast<std::size_t>(beyond.edge)]);
  return fmt::format("{} x {} x {}, window {} x {} x {}, {}, {} pass{}", image.x, image.y, image.z,
                     window.x, window.y, window.z, edge, passes, passes == 1 ? "" : "es");
}

Problem problem_of(const base::Parameters& parameters) {
  const auto extent = [&](const char* x, const char* y, const char* z) {
    const std::int64_t along_x = parameters.integer(x);
    const std::int64_t along_y = parameters.integer(y), along_z = parameters.integer(z);
    return Extent{along_x, along_y ? along_y : along_x, along_z ? along_z : along_x};
  };
  return {extent("nx", "ny", "nz"),
          {extent("window_x", "window_y", "window_z")},
          {edge_named(parameters.text("edge")), parameters.real("edge_value")},
          parameters.integer("passes")};
}

std::string refuse_problem(const base::Parameters& parameters) {
  const Problem problem = problem_of(parameters);
  if (problem.window.points() > most_window_points)
    return fmt::format("the window {} x {} x {} has {} points, more than {}: use a smaller one",
                       problem.window.x, problem.window.y, problem.window.z,
                       problem.window.points(), most_window_points);
  return "";
}

}  // namespace hakaru::apps::median_filter
