#include "apps/tomcatv/map.hpp"

namespace hakaru::apps::tomcatv {

Point place(Map map, double xi, double eta) {
  return map == Map::square ? Point(xi, eta) : std::exp(Point(0.7 * xi - 0.3 * eta, eta));
}

Point interpolated(Map map, std::int64_t n, std::int64_t i, std::int64_t j) {
  const double xi = static_cast<double>(i) / static_cast<double>(n - 1);
  const double eta = static_cast<double>(j) / static_cast<double>(n - 1);
  if (i == 0 || j == 0 || i == n - 1 || j == n - 1) return place(map, xi, eta);
  const Point west_east = (1.0 - xi) * place(map, 0, eta) + xi * place(map, 1, eta);
  const Point south_north = (1.0 - eta) * place(map, xi, 0) + eta * place(map, xi, 1);
  const Point south = (1.0 - xi) * place(map, 0, 0) + xi * place(map, 1, 0);
  const Point north = (1.0 - xi) * place(map, 0, 1) + xi * place(map, 1, 1);
  return west_east + south_north - (1.0 - eta) * south - eta * north;
}

}  // namespace hakaru::apps::tomcatv
