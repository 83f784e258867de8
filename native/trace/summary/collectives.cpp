// Waiting at collectives: the k-th collective that a rank calls on a communicator is the k-th of
// every member.
#include <algorithm>

#include "native/trace/summary/summary.hpp"

namespace hakaru::trace {
namespace {

using schedule::Kind;
using schedule::Operation;

struct Instance {
  double last_arrival = 0;
  std::int32_t last_rank = -1;
  std::uint32_t arrived = 0;
};

bool is_collective(const Operation& o) {
  return o.kind == Kind::collective || o.kind == Kind::fence;
}

// Which group of its family a rank is in, and how many ranks the group has.
class Groups {
 public:
  explicit Groups(const schedule::Schedule& schedule)
      : schedule_(schedule), group_of_(schedule.communicators.size()) {
    for (std::size_t family = 0; family < group_of_.size(); ++family) {
      const auto& groups = schedule.communicators[family].groups;
      if (groups.empty()) continue;
      group_of_[family].assign(static_cast<std::size_t>(schedule.ranks), 0);
      for (std::size_t g = 0; g < groups.size(); ++g) {
        for (const std::int32_t rank : groups[g])
          group_of_[family][static_cast<std::size_t>(rank)] = static_cast<std::uint32_t>(g);
      }
    }
  }
  std::uint32_t of(std::uint32_t family, std::size_t rank) const {
    if (schedule_.communicators[family].self) return static_cast<std::uint32_t>(rank);
    return group_of_[family].empty() ? 0 : group_of_[family][rank];
  }
  std::size_t size(std::uint32_t family, std::uint32_t group) const {
    const schedule::CommunicatorFamily& f = schedule_.communicators[family];
    if (f.self) return 1;
    return f.groups.empty() ? static_cast<std::size_t>(schedule_.ranks) : f.groups[group].size();
  }

 private:
  const schedule::Schedule& schedule_;
  std::vector<std::vector<std::uint32_t>> group_of_;
};

// Calls `work(operation, time, (family, group), k)` for each collective of the rank.
template <typename Work>
void each_collective(const Trace& trace, const Groups& groups, std::size_t rank, Work&& work) {
  std::vector<std::size_t> count(trace.schedule.communicators.size());
  each_operation(trace, rank, [&](const Operation& o, const OperationTime& time) {
    if (!is_collective(o)) return;
    const std::uint32_t family = o.communicator;
    work(o, time, std::pair(family, groups.of(family, rank)), count[family]++);
  });
}

}  // namespace

void match_collectives(const Trace& trace, Summary& summary, Listener* listener) {
  const Groups groups(trace.schedule);
  using Key = std::pair<std::uint32_t, std::uint32_t>;
  std::map<Key, std::vector<Instance>> instances;
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    each_collective(
        trace, groups, rank,
        [&](const Operation&, const OperationTime& time, const Key& key, std::size_t k) {
          std::vector<Instance>& all = instances[key];
          if (k >= all.size()) all.resize(k + 1);
          if (all[k].arrived == 0 || time.enter_s > all[k].last_arrival) {
            all[k].last_arrival = time.enter_s;
            all[k].last_rank = static_cast<std::int32_t>(rank);
          }
          ++all[k].arrived;
        });
  }
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    each_collective(
        trace, groups, rank,
        [&](const Operation& o, const OperationTime& time, const Key& key, std::size_t k) {
          const Instance& instance = instances[key][k];
          const bool whole = instance.arrived == groups.size(key.first, key.second);
          if (o.request >= 0 || !whole) return;
          if (instance.last_arrival < time.leave_s)
            summary.causes[&time].later(instance.last_rank, instance.last_arrival);
          if (!summary.spans[rank].holds(time.enter_s)) return;
          const double seconds = std::min(instance.last_arrival, time.leave_s) - time.enter_s;
          Waiting& waiting =
              summary.collectives[time.call == no_call ? "" : trace.calls[time.call]];
          ++waiting.count;
          waiting.seconds += seconds;
          summary.collective_wait_of_rank[rank] += seconds;
          if (listener != nullptr && seconds > 0)
            listener->wait({static_cast<std::int32_t>(rank), instance.last_rank, time.enter_s,
                            seconds, time.call, WaitKind::collective});
        });
  }
}

}  // namespace hakaru::trace
