#include "native/replay/engine/collective_table.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace hakaru::replay {

namespace {

struct Point {
  double x;
  double log_s;
};

// Piecewise linear; beyond the ends with the given slopes.
double interpolate(const std::vector<Point>& points, double x, double slope_below,
                   double slope_above) {
  if (x <= points.front().x) return points.front().log_s + slope_below * (x - points.front().x);
  if (x >= points.back().x) return points.back().log_s + slope_above * (x - points.back().x);
  const auto upper =
      std::find_if(points.begin(), points.end(), [x](const Point& p) { return p.x >= x; });
  const auto lower = upper - 1;
  const double share = (x - lower->x) / (upper->x - lower->x);
  return lower->log_s + share * (upper->log_s - lower->log_s);
}

double last_slope(const std::vector<Point>& points) {
  if (points.size() < 2) return 0;
  const Point& a = points[points.size() - 2];
  const Point& b = points.back();
  return std::max(0.0, (b.log_s - a.log_s) / (b.x - a.x));
}

double stages(double ranks) { return std::ceil(std::log2(ranks)); }

}  // namespace

double wire_together(const CollectivePrice& price, double ranks, double bytes) {
  return bytes * (stages(ranks) * price.stage_wire_s_per_byte + price.wire_s_per_byte);
}

double measured_time(const std::vector<TableEntry>& table, double ranks, double bytes) {
  std::map<double, std::map<double, double>> by_ranks;
  for (const TableEntry& entry : table)
    by_ranks[entry.ranks][std::log2(entry.bytes + 1)] = std::log2(std::max(entry.seconds, 1e-12));
  std::vector<Point> over_ranks;
  for (const auto& [r, row] : by_ranks) {
    std::vector<Point> over_bytes;
    for (const auto& [b, log_s] : row) over_bytes.push_back({b, log_s});
    const double beyond = over_bytes.size() < 2 ? 0.0 : 1.0;
    over_ranks.push_back(
        {std::log2(r), interpolate(over_bytes, std::log2(bytes + 1), 0.0, beyond)});
  }
  return std::exp2(interpolate(over_ranks, std::log2(ranks), 0.0, last_slope(over_ranks)));
}

double price_together(const CollectivePrice& price, double ranks, double bytes) {
  if (!price.table.empty()) return measured_time(price.table, ranks, bytes);
  return price.hardware_s + stages(ranks) * (price.stage_s + price.stage_s_per_byte * bytes);
}

}  // namespace hakaru::replay
