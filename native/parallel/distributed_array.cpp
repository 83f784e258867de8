#include "native/parallel/distributed_array.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "native/base/require.hpp"

namespace hakaru::parallel {

OwnedElements Dimension::owned(int rank, std::int64_t begin, std::int64_t end) const {
  if (distribution == Distribution::block) {
    const std::int64_t from = std::max(begin, first(rank));
    const std::int64_t to = std::min(end, first(rank + 1));
    return {from, std::max<std::int64_t>(to - from, 0), 1, from - first(rank) + halo};
  }
  const std::int64_t from = begin + ((rank - begin) % ranks + ranks) % ranks;
  return {from, from < end ? (end - from + ranks - 1) / ranks : 0, ranks, from / ranks};
}

namespace {

std::vector<Dimension> checked(std::vector<Dimension> dimensions, std::size_t element_bytes) {
  base::require(!dimensions.empty() && dimensions.size() <= 3 && element_bytes > 0,
                "a distributed array of this shape cannot be made",
                fmt::format("{} dimensions of elements of {} B", dimensions.size(), element_bytes),
                "give one to three dimensions");
  for (const Dimension& one : dimensions) {
    base::require(one.length >= 1 && one.ranks >= 1 && one.halo >= 0,
                  "a dimension of a distributed array cannot be made",
                  fmt::format("{} elements, {} ranks, halo {}", one.length, one.ranks, one.halo));
    base::require(
        one.halo == 0 ||
            (one.distribution == Distribution::block && one.halo <= one.length / one.ranks),
        "a halo does not fit its dimension",
        fmt::format("halo {}, {} elements over {} ranks", one.halo, one.length, one.ranks),
        "distribute by blocks at least as long as the halo");
  }
  return dimensions;
}

}  // namespace

DistributedArray::DistributedArray(const Communicator& group, std::size_t element_bytes,
                                   std::vector<Dimension> dimensions, RemotePath path)
    : dimensions_(checked(std::move(dimensions), element_bytes)),
      element_bytes_(element_bytes),
      rank_(group.rank()),
      memory_((check_grid(group.size()), group), bytes_of(group.rank()),
              most_moves + halo_flags * static_cast<int>(dimensions_.size()), path) {}

void DistributedArray::check_grid(int ranks) const {
  std::int64_t grid = 1;
  for (const Dimension& one : dimensions_) grid *= one.ranks;
  base::require(grid == ranks, "the grid of a distributed array is not its group",
                fmt::format("the grid has {} places, the group {} ranks", grid, ranks),
                "make the product of the dimensions' ranks that of the group");
}

DistributedArray::Coordinates DistributedArray::coordinates_of(int rank) const {
  Coordinates coordinates(dimensions_.size());
  for (std::size_t d = dimensions_.size(); d-- > 0; rank /= dimensions_[d].ranks)
    coordinates[d] = rank % dimensions_[d].ranks;
  return coordinates;
}

int DistributedArray::rank_of(const Coordinates& coordinates) const {
  int rank = 0;
  for (std::size_t d = 0; d < dimensions_.size(); ++d)
    rank = rank * dimensions_[d].ranks + coordinates[d];
  return rank;
}

std::vector<std::size_t> DistributedArray::steps_of(const Coordinates& coordinates) const {
  std::vector<std::size_t> steps(dimensions_.size());
  std::size_t step = element_bytes_;
  for (std::size_t d = dimensions_.size(); d-- > 0;) {
    steps[d] = step;
    step *= static_cast<std::size_t>(dimensions_[d].stored(coordinates[d]));
  }
  return steps;
}

std::size_t DistributedArray::bytes_of(int rank) const {
  const Coordinates coordinates = coordinates_of(rank);
  return steps_of(coordinates)[0] * static_cast<std::size_t>(dimensions_[0].stored(coordinates[0]));
}

std::size_t DistributedArray::place(const std::array<std::int64_t, 3>& index) const {
  const std::vector<std::size_t> steps = steps_of(coordinates_of(rank_));
  std::size_t place = 0;
  for (std::size_t d = 0; d < dimensions_.size(); ++d)
    place += static_cast<std::size_t>(index[d] + dimensions_[d].halo) * steps[d];
  return place;
}

}  // namespace hakaru::parallel
