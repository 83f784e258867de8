#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "native/base/require.hpp"
#include "native/parallel/distributed_array.hpp"
#include "native/parallel/section.hpp"

namespace hakaru::parallel {

void DistributedArray::check_box(const Box& box) const {
  base::require(box.begin.size() == dimensions_.size() && box.end.size() == dimensions_.size(),
                "a box has not the dimensions of its array",
                fmt::format("the array has {}", dimensions_.size()));
  for (std::size_t d = 0; d < dimensions_.size(); ++d)
    base::require(
        0 <= box.begin[d] && box.begin[d] <= box.end[d] && box.end[d] <= dimensions_[d].length,
        "a box is not within its array",
        fmt::format("elements {} ... {} of dimension {}, which has {}", box.begin[d],
                    box.end[d] - 1, d, dimensions_[d].length));
}

template <typename Part>
void DistributedArray::for_each_part(const Box& box, Part part) const {
  const std::size_t dimensions = dimensions_.size();
  std::vector<std::size_t> local_steps(dimensions);
  std::size_t step = element_bytes_;
  for (std::size_t d = dimensions; d-- > 0;) {
    local_steps[d] = step;
    step *= static_cast<std::size_t>(box.end[d] - box.begin[d]);
  }
  for (int rank = 0; rank < memory_.group().size(); ++rank) {
    const Coordinates coordinates = coordinates_of(rank);
    const std::vector<std::size_t> remote_steps = steps_of(coordinates);
    std::vector<SectionAxis> axes;
    std::size_t remote = 0, local = 0;
    for (std::size_t d = 0; d < dimensions; ++d) {
      const OwnedElements own = dimensions_[d].owned(coordinates[d], box.begin[d], box.end[d]);
      if (own.count > 0) {
        remote += static_cast<std::size_t>(own.local_first) * remote_steps[d];
        local += static_cast<std::size_t>(own.first - box.begin[d]) * local_steps[d];
      }
      axes.push_back({static_cast<std::size_t>(own.count), remote_steps[d],
                      static_cast<std::size_t>(own.step) * local_steps[d]});
    }
    const Section section(axes, element_bytes_);
    if (section.strides() > 0) part(rank, remote, local, section);
  }
}

Move DistributedArray::spread_move_to(const Box& box, const void* local) {
  check_box(box);
  for_each_part(box, [&](int rank, std::size_t remote, std::size_t here, const Section& section) {
    const auto* from = static_cast<const std::byte*>(local) + here;
    section.for_each([&](std::size_t remote_offset, const Stride& there, std::size_t local_offset,
                         const Stride& own, bool) {
      memory_.put_stride(rank, remote + remote_offset, there, from + local_offset, own);
    });
  });
  return Move(*this, 0, 0);
}

Move DistributedArray::spread_move_from(const Box& box, void* local) {
  check_box(box);
  const int flag = free_move_flag();
  std::uint64_t raises = 0;
  for_each_part(box, [&](int rank, std::size_t remote, std::size_t here, const Section& section) {
    auto* to = static_cast<std::byte*>(local) + here;
    section.for_each([&](std::size_t remote_offset, const Stride& there, std::size_t local_offset,
                         const Stride& own, bool) {
      memory_.get_stride(rank, remote + remote_offset, there, to + local_offset, own,
                         {.received = flag});
    });
    raises += section.strides();
  });
  under_way_[static_cast<std::size_t>(flag - 1)] = true;
  return Move(*this, flag, raises);
}

int DistributedArray::free_move_flag() {
  const auto free = std::find(under_way_.begin(), under_way_.end(), false);
  base::require(free != under_way_.end(), "too many copies are under way",
                fmt::format("{} from one array", most_moves), "wait for one of them");
  return static_cast<int>(free - under_way_.begin()) + 1;
}

Move::Move(Move&& other) noexcept
    : array_(std::exchange(other.array_, nullptr)), flag_(other.flag_), raises_(other.raises_) {}

Move::~Move() {
  if (std::uncaught_exceptions() == 0) wait();
}

void Move::wait() {
  if (array_ == nullptr) return;
  DistributedArray& array = *std::exchange(array_, nullptr);
  if (flag_ == 0) return array.memory_.acknowledge();
  if (raises_ > 0) array.memory_.wait_flag(flag_, raises_);
  array.under_way_[static_cast<std::size_t>(flag_ - 1)] = false;
}

}  // namespace hakaru::parallel
