#include "apps/median_filter/halo.hpp"

#include <algorithm>
#include <set>

namespace hakaru::apps::median_filter {

int owner_of(std::int64_t plane, std::int64_t planes, int ranks) {
  int owner = static_cast<int>(plane * ranks / planes);
  while (planes_of(planes, owner, ranks).end() <= plane) ++owner;
  while (planes_of(planes, owner, ranks).first > plane) --owner;
  return owner;
}

std::vector<Stretch> Needs::of(int rank) const {
  const base::Share own = planes_of(planes, rank, ranks);
  std::vector<Stretch> stretches;
  const auto add = [&](std::int64_t first, std::int64_t end) {
    for (std::int64_t at = first; at < end; ++at) {
      const std::int64_t source = source_of(edge, at, planes);
      const int owner = source == outside ? nobody : owner_of(source, planes, ranks);
      const std::int64_t place =
          owner == nobody ? outside : source - planes_of(planes, owner, ranks).first;
      if (at > first && stretches.back().owner == owner &&
          (owner == nobody || stretches.back().source + stretches.back().count == place))
        ++stretches.back().count;
      else
        stretches.push_back({owner, at - own.first, place, 1});
    }
  };
  add(own.first - Window::before(window), own.first);
  add(own.end(), own.end() + Window::after(window));
  return stretches;
}

std::vector<Needs::Sent> Needs::from(int rank) const {
  const std::int64_t before = Window::before(window), after = Window::after(window);
  const base::Share own = planes_of(planes, rank, ranks);
  // Those whose windows reach a plane of ours, and those whose windows reach beyond the image.
  std::set<int> near;
  const auto add_owners = [&](std::int64_t first, std::int64_t last) {
    const int from = owner_of(std::clamp<std::int64_t>(first, 0, planes - 1), planes, ranks);
    const int to = owner_of(std::clamp<std::int64_t>(last, 0, planes - 1), planes, ranks);
    for (int other = from; other <= to; ++other) near.insert(other);
  };
  add_owners(own.first - after, own.end() - 1 + before);
  if (before > 0) add_owners(0, before - 1);
  if (after > 0) add_owners(planes - after, planes - 1);
  std::vector<Sent> sent;
  for (const int other : near) {
    if (other == rank) continue;
    const std::vector<Stretch> stretches = of(other);
    for (std::size_t tag = 0; tag < stretches.size(); ++tag)
      if (stretches[tag].owner == rank)
        sent.push_back({other, static_cast<int>(tag), stretches[tag]});
  }
  return sent;
}

template <typename Value>
Halo<Value>::Halo(const Needs& needs, const parallel::Communicator& world)
    : world_(world), sent_(needs.from(world.rank())) {
  const std::vector<Stretch> stretches = needs.of(world.rank());
  for (std::size_t tag = 0; tag < stretches.size(); ++tag) {
    if (stretches[tag].owner == world.rank() || stretches[tag].owner == nobody) {
      own_.push_back(stretches[tag]);
    } else {
      others_.push_back(stretches[tag]);
      tags_.push_back(static_cast<int>(tag));
    }
  }
  requests_.resize(others_.size() + sent_.size());
}

template <typename Value>
void Halo<Value>::continue_own(Value* image, const Shape& shape, const Beyond& beyond) const {
  for (const Stretch& stretch : own_)
    continue_along_z(image, shape, beyond, stretch.first, stretch.source, stretch.count);
}

template <typename Value>
void Halo<Value>::exchange(Value* image, const Shape& shape) {
  const auto at = [&](std::int64_t plane) {
    return image + shape.index(-shape.lead, shape.first_row(), plane);
  };
  const auto values = [&](const Stretch& stretch) {
    return static_cast<int>(stretch.count * shape.plane);
  };
  const MPI_Datatype datatype = parallel::datatype_of<Value>();
  std::size_t next = 0;
  for (std::size_t i = 0; i < others_.size(); ++i)
    HAKARU_MPI(MPI_Irecv(at(others_[i].first), values(others_[i]), datatype, others_[i].owner,
                         tags_[i], world_.handle(), &requests_[next++]));
  for (const Needs::Sent& one : sent_)
    HAKARU_MPI(MPI_Isend(at(one.stretch.source), values(one.stretch), datatype, one.to, one.tag,
                         world_.handle(), &requests_[next++]));
  HAKARU_MPI(
      MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
}

template class Halo<std::int32_t>;
template class Halo<float>;
template class Halo<double>;

}  // namespace hakaru::apps::median_filter
