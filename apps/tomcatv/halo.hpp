// The mesh in memory that the neighbours may write to, and the exchange of its outermost columns.
#pragma once

#include "apps/tomcatv/plan.hpp"
#include "native/parallel/remote_memory.hpp"

namespace hakaru::apps::tomcatv {

class Halo {
 public:
  // Collective.
  Halo(const Plan& plan, const parallel::Communicator& world);

  double* coordinate(int which);  // 0: x, 1: y

  // `count` coordinates from `which` on: the outermost own columns become the neighbours' columns
  // on both sides, each by one strided PUT. published: between two barriers.
  void exchange(int count, int which);

 private:
  void put(int neighbour, int which, std::int64_t own_column, std::int64_t their_column);

  Plan plan_;
  const parallel::Communicator& world_;
  std::size_t bytes_;  // of one coordinate
  parallel::RemoteMemory exposed_;
};

}  // namespace hakaru::apps::tomcatv
