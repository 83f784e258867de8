// Communicators: who is in them, and which call of a collective belongs to which.
#pragma once

#include <cstdint>
#include <vector>

#include "native/replay/engine/actor.hpp"
#include "native/replay/engine/options.hpp"
#include "native/schedule/schedule.hpp"

namespace hakaru::replay {

// One collective that ranks of a communicator call together.
struct Instance {
  const schedule::Operation* operation = nullptr;  // of who came first
  std::int32_t first_rank = -1;
  std::int32_t arrived = 0;
  const Algorithm* algorithm = nullptr;
  const CollectivePrice* price = nullptr;
  bool together = false;  // all wait for each other
  bool lockstep = false;  // the same, and make their steps together
  double latest_s = 0, before_latest_s = 0;
  std::int32_t latest_rank = -1;
  std::uint32_t latest_stretches = UINT32_MAX;
  double bytes = 0;  // of all ranks, and the most of one rank
  double most_bytes = 0;
  std::vector<std::uint32_t> waiting;  // actors
};

class Groups {
 public:
  explicit Groups(const schedule::Schedule& schedule);

  Group group(std::uint32_t family, std::int32_t rank);
  // The instance that the next collective call of a rank belongs to, and its number.
  Instance& enter(const Group& group, std::int32_t rank, std::uint32_t& number);
  Instance& instance(const Group& group, std::uint32_t number);
  // To be called when all ranks have arrived and nobody will look at it again.
  void retire(const Group& group);
  // Whether some rank gives lengths per partner to this collective on this family.
  bool has_lengths(std::uint32_t family, schedule::Collective what) const {
    return lengths_[family] >> static_cast<unsigned>(what) & 1U;
  }

  // Instances that some ranks have entered and others have not: visit(family, group number,
  // instance, members).
  template <class Visit>
  void for_each_open(const Visit& visit) const {
    for (std::uint32_t f = 0; f < families_.size(); ++f)
      for (std::uint32_t g = 0; g < families_[f].open.size(); ++g)
        for (const Instance& one : families_[f].open[g].instances)
          if (one.arrived < size(f, g)) visit(f, g, one);
  }
  std::int32_t size(std::uint32_t family, std::uint32_t number) const;

 private:
  struct Open {
    std::uint32_t first = 0;  // number of the first one kept
    std::vector<Instance> instances;
    std::uint32_t retired = 0;
  };
  struct Family {
    bool prepared = false;
    std::vector<std::uint32_t> group_of;  // empty: the world, or self
    std::vector<std::int32_t> index_of;
    std::vector<std::uint32_t> calls;  // by rank: collectives entered
    std::vector<Open> open;            // by group
  };
  void prepare(std::uint32_t family);

  const schedule::Schedule& schedule_;
  std::vector<Family> families_;
  std::vector<std::uint32_t> lengths_;
};

}  // namespace hakaru::replay
