// The same iteration by an independent serial code: complex numbers instead of pairs, whole columns
// one after the other, elimination from the other end.
#pragma once

#include <vector>

#include "apps/tomcatv/map.hpp"

namespace hakaru::apps::tomcatv {

struct Reference {
  std::vector<Point> mesh;        // i + n j
  double residual_x, residual_y;  // largest, of the last iteration
};

Reference reference_mesh(Map map, std::int64_t n, std::int64_t iterations);

}  // namespace hakaru::apps::tomcatv
