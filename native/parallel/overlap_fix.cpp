#include "native/parallel/distributed_array.hpp"
#include "native/parallel/section.hpp"

namespace hakaru::parallel {

// The rank next to this one, -1 where the array ends.
int DistributedArray::neighbour(int d, int direction) const {
  Coordinates coordinates = coordinates_of(rank_);
  const Dimension& along = dimension(d);
  int& place = coordinates[static_cast<std::size_t>(d)];
  place += direction;
  if (!along.periodic && (place < 0 || place >= along.ranks)) return -1;
  place = (place + along.ranks) % along.ranks;
  return rank_of(coordinates);
}

// A halo may be written when its owner has come here, and read when the data have come to it.
void DistributedArray::overlap_fix() {
  const int dimensions = static_cast<int>(dimensions_.size());
  const auto raise = [&](int rank, int flag) {
    if (rank >= 0) memory_.put(rank, 0, nullptr, 0, {.received = flag});
  };
  for (int d = 0; d < dimensions; ++d) {
    if (dimension(d).halo == 0) continue;
    raise(neighbour(d, -1), halo_flag(d, ready_high));
    raise(neighbour(d, +1), halo_flag(d, ready_low));
  }
  for (int d = 0; d < dimensions; ++d) {
    if (dimension(d).halo == 0) continue;
    const int low = neighbour(d, -1), high = neighbour(d, +1);
    if (low >= 0) {
      memory_.wait_flag(halo_flag(d, ready_low));
      put_halo(d, -1, low);
    }
    if (high >= 0) {
      memory_.wait_flag(halo_flag(d, ready_high));
      put_halo(d, +1, high);
    }
    if (low >= 0) memory_.wait_flag(halo_flag(d, data_low));
    if (high >= 0) memory_.wait_flag(halo_flag(d, data_high));
  }
}

// Own elements at the low (direction -1) or high end to the halo of the neighbour that lies there.
// Of the dimensions before d the halos go along, of those after d they do not.
void DistributedArray::put_halo(int d, int direction, int rank) {
  const Coordinates here = coordinates_of(rank_), there = coordinates_of(rank);
  const std::vector<std::size_t> own_steps = steps_of(here), their_steps = steps_of(there);
  std::vector<SectionAxis> axes;
  std::size_t local = 0, remote = 0;
  for (int e = 0; e < static_cast<int>(dimensions_.size()); ++e) {
    const auto at = static_cast<std::size_t>(e);
    const Dimension& along = dimensions_[at];
    std::int64_t count = along.halo, own_first = along.halo, their_first = 0;
    if (e != d) {
      count = e < d ? along.stored(here[at]) : along.count(here[at]);
      own_first = their_first = e < d ? 0 : along.halo;
    } else if (direction < 0) {
      their_first = along.halo + along.count(there[at]);
    } else {
      own_first = along.count(here[at]);
    }
    local += static_cast<std::size_t>(own_first) * own_steps[at];
    remote += static_cast<std::size_t>(their_first) * their_steps[at];
    axes.push_back({static_cast<std::size_t>(count), their_steps[at], own_steps[at]});
  }
  const int flag = halo_flag(d, direction < 0 ? data_high : data_low);
  Section(axes, element_bytes_)
      .for_each([&](std::size_t remote_offset, const Stride& their, std::size_t local_offset,
                    const Stride& own, bool is_last) {
        memory_.put_stride(rank, remote + remote_offset, their,
                           memory_.memory() + local + local_offset, own,
                           {.received = is_last ? flag : 0});
      });
}

}  // namespace hakaru::parallel
