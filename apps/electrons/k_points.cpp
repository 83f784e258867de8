#include "apps/electrons/k_points.hpp"

#include <map>
#include <numbers>

namespace hakaru::apps::electrons {
namespace {

using Odd = std::array<int, 3>;  // 2 i - n - 1

Odd rotate(const Operation& operation, const Odd& k) {
  Odd result;
  for (int d = 0; d < 3; ++d) result[d] = operation.sign[d] * k[operation.axis[d]];
  return result;
}

}  // namespace

std::vector<KPoint> monkhorst_pack(const Shape& mesh, const Crystal& crystal,
                                   const std::vector<Operation>& operations) {
  std::map<Odd, std::size_t> known;
  std::vector<KPoint> points;
  const double weight = 1.0 / (double(mesh[0]) * mesh[1] * mesh[2]);
  for (int x = 0; x < mesh[0]; ++x)
    for (int y = 0; y < mesh[1]; ++y)
      for (int z = 0; z < mesh[2]; ++z) {
        const Odd k{2 * x + 1 - mesh[0], 2 * y + 1 - mesh[1], 2 * z + 1 - mesh[2]};
        std::size_t at = points.size();
        for (const Operation& operation : operations)
          if (const auto found = known.find(rotate(operation, k)); found != known.end())
            at = found->second;
        known[k] = at;
        if (at == points.size()) {
          points.push_back({});
          for (int d = 0; d < 3; ++d)
            points.back().k[d] = std::numbers::pi * k[d] / (mesh[d] * crystal.lengths[d]);
        }
        points[at].weight += weight;
      }
  return points;
}

}  // namespace hakaru::apps::electrons
