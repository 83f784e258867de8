#include <algorithm>
#include <array>

#include "calls.hpp"

namespace hakaru::calls {
namespace {

constexpr std::size_t longest_block = longest_bytes / 16;

template <class Call>
void over_sizes(Call call) {
  for (const std::size_t bytes : sizes(longest_block))
    for (int i = 0; i < often(bytes); ++i) call(static_cast<int>(bytes));
}

void barrier(Ranks&) {
  for (int i = 0; i < 10 * often(0); ++i) MPI_Barrier(MPI_COMM_WORLD);
}

// At least one number: of none libraries make no sum.
void allreduce(Ranks& all) {
  over_sizes([&](int bytes) {
    MPI_Allreduce(all.to.data(), all.from.data(), std::max(bytes / 8, 1), MPI_DOUBLE, MPI_SUM,
                  MPI_COMM_WORLD);
  });
}

void broadcast(Ranks& all) {
  over_sizes([&](int bytes) { MPI_Bcast(all.to.data(), bytes, MPI_CHAR, 0, MPI_COMM_WORLD); });
  MPI_Barrier(MPI_COMM_WORLD);
}

void alltoall(Ranks& all) {
  all.to.resize(longest_block * static_cast<std::size_t>(all.ranks));
  all.from.resize(all.to.size());
  over_sizes([&](int bytes) {
    MPI_Alltoall(all.to.data(), bytes, MPI_CHAR, all.from.data(), bytes, MPI_CHAR, MPI_COMM_WORLD);
  });
}

// Both neighbours on a ring, by the topology's own call.
void neighbours(Ranks& all) {
  const std::array<int, 2> both = {all.previous, all.next};
  MPI_Comm ring = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, both.data(), MPI_UNWEIGHTED, 2, both.data(),
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
  over_sizes([&](int bytes) {
    MPI_Neighbor_alltoall(all.to.data(), bytes, MPI_CHAR, all.from.data(), bytes, MPI_CHAR, ring);
  });
  MPI_Comm_free(&ring);
}

}  // namespace

std::map<std::string, Program> collective() {
  return {{"barrier", barrier},
          {"allreduce", allreduce},
          {"broadcast", broadcast},
          {"alltoall", alltoall},
          {"neighbours", neighbours}};
}

}  // namespace hakaru::calls
