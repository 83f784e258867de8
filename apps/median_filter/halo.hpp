// Planes that windows reach beyond a rank's own: where they come from, and their exchange.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "apps/median_filter/slab.hpp"
#include "native/base/share.hpp"
#include "native/parallel/communicator.hpp"

namespace hakaru::apps::median_filter {

// Planes are divided along z.
inline base::Share planes_of(std::int64_t planes, int rank, int ranks) {
  return base::share_of(planes, rank, ranks);
}
int owner_of(std::int64_t plane, std::int64_t planes, int ranks);

constexpr int nobody = -1;

// Consecutive planes that one rank needs from one owner, in the same order in both.
struct Stretch {
  int owner;            // a rank, or nobody: the constant
  std::int64_t first;   // as the rank that needs them counts: -1 is the plane below its own
  std::int64_t source;  // as the owner counts
  std::int64_t count;
};

// In ascending order; the number of a stretch among them is the tag of its message.
struct Needs {
  std::int64_t planes;  // of the image
  int ranks;
  std::int64_t window;  // its extent along z
  Edge edge;

  std::vector<Stretch> of(int rank) const;
  // Messages from `rank` to others: in the order of receivers and tags.
  struct Sent {
    int to, tag;
    Stretch stretch;
  };
  std::vector<Sent> from(int rank) const;
};

template <typename Value>
class Halo {
 public:
  Halo(const Needs& needs, const parallel::Communicator& world);

  // Of what the rank itself has, or of the constant.
  void continue_own(Value* image, const Shape& shape, const Beyond& beyond) const;
  // Collective. Of what others have.
  void exchange(Value* image, const Shape& shape);

 private:
  const parallel::Communicator& world_;
  std::vector<Stretch> own_, others_;
  std::vector<int> tags_;  // of others_
  std::vector<Needs::Sent> sent_;
  std::vector<MPI_Request> requests_;
};

}  // namespace hakaru::apps::median_filter
