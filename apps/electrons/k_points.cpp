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

void symmetrise(const CellGrid& grid, const std::vector<Operation>& operations, double* density) {
  if (operations.size() < 2) return;
  std::vector<double> mean(grid.size(), 0.0);
  const Shape& n = grid.points;
  for (const Operation& operation : operations) {
    std::size_t at = 0;
    Shape x;
    for (x[0] = 0; x[0] < n[0]; ++x[0])
      for (x[1] = 0; x[1] < n[1]; ++x[1])
        for (x[2] = 0; x[2] < n[2]; ++x[2]) {
          Shape to;
          for (int d = 0; d < 3; ++d) {
            const int place = operation.sign[d] * x[operation.axis[d]] + operation.shift[d];
            to[d] = ((place % n[d]) + n[d]) % n[d];
          }
          mean[at++] += density[grid.index(to[0], to[1], to[2])];
        }
  }
  for (std::size_t i = 0; i < mean.size(); ++i)
    density[i] = mean[i] / static_cast<double>(operations.size());
}

Vector symmetrise(const std::vector<Operation>& operations, const Vector& vector) {
  Vector mean{};
  for (const Operation& operation : operations)
    for (int d = 0; d < 3; ++d)
      mean[d] += operation.sign[d] * vector[operation.axis[d]] / double(operations.size());
  return mean;
}

}  // namespace hakaru::apps::electrons
