// Collectives as algorithms over messages. An algorithm is a function from (call, step) to what one
// rank does in that step, so that a collective in progress needs no memory but the number of its
// step, on any number of ranks.
//
// Sources: R. Thakur, R. Rabenseifner, W. Gropp, Optimization of collective communication
// operations in MPICH, IJHPCA 19 (2005); J. Bruck et al., IEEE TPDS 8 (1997); M. Barnett, L.
// Shuler, R. van de Geijn et al., Interprocessor collective communication library (1994); J. Chen,
// L. Zhang, Y. Zhang, W. Yuan, Performance evaluation of allgather algorithms on terascale Linux
// cluster with fast Ethernet (2005): neighbour exchange.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "native/schedule/operation.hpp"

namespace hakaru::replay {

// What one rank calls. Ranks are those of the communicator; bytes as in schedule::Operation.
struct Call {
  schedule::Collective what = schedule::Collective::barrier;
  std::int32_t rank = 0;
  std::int32_t size = 1;
  std::int32_t root = 0;
  std::uint64_t bytes = 0;
  const std::vector<std::int64_t>* lengths = nullptr;  // per partner, or nullptr

  // Bytes of the block that belongs to a partner.
  std::uint64_t block(std::int32_t partner) const {
    if (lengths == nullptr) return bytes;
    return static_cast<std::uint64_t>((*lengths)[static_cast<std::size_t>(partner)]);
  }
  // Part `index` of a vector of `bytes` cut into `size` parts as equal as bytes allow.
  std::uint64_t part(std::int32_t index) const {
    const std::uint64_t whole = bytes / static_cast<std::uint64_t>(size);
    const std::uint64_t rest = bytes % static_cast<std::uint64_t>(size);
    return whole + (static_cast<std::uint64_t>(index) < rest ? 1 : 0);
  }
};

// One step: the receive is posted, the send is started, the receive is completed, `reduce_bytes`
// are reduced, and then the send is waited for, unless it may go on until the end of the
// collective.
struct Exchange {
  std::int32_t send_to = -1;
  std::int32_t receive_from = -1;
  std::uint64_t send_bytes = 0;
  std::uint64_t reduce_bytes = 0;
  bool hold_send = true;
  bool posted_early = false;  // the receive was posted when the collective began
};

// Fills `exchange` (given in its initial state), or returns false when there is no such step. A
// step may be empty.
using Steps = bool (*)(const Call& call, std::uint32_t step, Exchange& exchange);

// A value of Open MPI's coll_tuned_<collective>_algorithm, as `ompi_info --param coll tuned --level
// 9` lists them in 4.1.
struct OpenMpi {
  int number = 0;              // 0: none
  const char* name = nullptr;  // its own, where it is another
};

// All that anybody needs to know of an algorithm: the engine, the choice of libraries, what
// `hakaru tune` sets, the probe `collectives`, and the documentation.
struct Algorithm {
  const char* name;
  Steps steps;  // nullptr: all wait for each other and pay a price ("hardware")
  const char* about;
  std::array<OpenMpi, 2> openmpi{};
  const char* mpich = nullptr;  // value of MPICH 4's MPIR_CVAR_<COLLECTIVE>_INTRA_ALGORITHM
};

// How settings of MPI libraries call a collective.
const char* mpi_name(schedule::Collective what);

std::span<const Algorithm> algorithms(schedule::Collective what);
// nullptr when there is none of that name.
const Algorithm* find_algorithm(schedule::Collective what, const std::string& name);

// What an MPI library chooses. `vector`: some rank gives lengths per partner. `library` is
// "openmpi" (4.1) or "mpich".
const Algorithm& decide(const std::string& library, const Call& call, bool vector);

// Shared by algorithms.
namespace collectives {

// The last row of every table.
inline constexpr Algorithm hardware{"hardware", nullptr, "all wait for each other and pay a price"};

inline std::int32_t around(std::int32_t rank, std::int32_t size) {
  return rank >= size ? rank - size : rank < 0 ? rank + size : rank;
}
std::int32_t floor_power_of_two(std::int32_t n);
std::uint32_t floor_log2(std::int32_t n);
std::uint32_t ceiling_log2(std::int32_t n);
inline bool is_power_of_two(std::int32_t n) { return (n & (n - 1)) == 0; }

// Algorithms for powers of two on any number P of ranks: with p = 2^floor(log2 P), the first P - p
// odd ranks act for their even left neighbours, which send before and receive after.
struct Fold {
  std::int32_t power;  // p
  std::int32_t extra;  // P - p
  std::int32_t rank;   // among the p; -1 for those who only send before and receive after
  std::uint32_t log2_power;
  Fold(std::int32_t rank_, std::int32_t size);
  std::int32_t real(std::int32_t folded) const {
    return folded < extra ? 2 * folded + 1 : folded + extra;
  }
  bool acts_for_another(std::int32_t own) const { return own < 2 * extra && (own & 1) == 1; }
};

// One step of such an algorithm: `inner` is step number `inner` of the p, which the caller fills
// in; in the others `exchange` is filled in: `bytes` go to the right neighbour, who reduces
// `reduce_bytes`, and come back from it in the last step.
struct FoldStep {
  enum class Part { outer, inner, last, none } part;
  std::uint32_t inner;
};
FoldStep fold_step(const Call& call, const Fold& fold, std::uint32_t step,
                   std::uint32_t inner_steps, std::uint64_t bytes, std::uint64_t reduce_bytes,
                   Exchange& exchange);

bool recursive_doubling(const Call& call, std::uint32_t step, Exchange& exchange,
                        std::uint64_t bytes, std::uint64_t reduce_bytes);

// Trees rooted at call.root. from_root: the parent's message, then one to each child; to_root: one
// from each child, then to the parent.
enum class Tree { linear, chain, binary, binomial, four_nomial };
bool from_root(Tree tree, const Call& call, std::uint32_t step, Exchange& exchange,
               std::uint64_t bytes);
bool to_root(Tree tree, const Call& call, std::uint32_t step, Exchange& exchange,
             std::uint64_t bytes, std::uint64_t reduce_bytes);
// Upper bound of the number of steps of any rank in either.
std::uint32_t tree_steps(Tree tree, std::int32_t size);

// Blocks of `call.block()` along a binomial tree; a whole subtree's blocks travel together.
bool gather_binomial(const Call& call, std::uint32_t step, Exchange& exchange);
bool scatter_binomial(const Call& call, std::uint32_t step, Exchange& exchange);
bool allgather_ring(const Call& call, std::uint32_t step, Exchange& exchange);
bool allgather_doubling(const Call& call, std::uint32_t step, Exchange& exchange);
bool allgather_bruck(const Call& call, std::uint32_t step, Exchange& exchange);
bool scatter_linear(const Call& call, std::uint32_t step, Exchange& exchange);
bool gather_linear(const Call& call, std::uint32_t step, Exchange& exchange);
// Recursive halving of a vector: after step k a folded rank holds the sum of 1 / 2^(k+1) of it.
bool halving_step(const Fold& fold, std::uint64_t bytes, std::uint32_t k, Exchange& exchange);

std::span<const Algorithm> barriers();
std::span<const Algorithm> broadcasts();
std::span<const Algorithm> reduces();
std::span<const Algorithm> allreduces();
std::span<const Algorithm> gathers();
std::span<const Algorithm> scatters();
std::span<const Algorithm> allgathers();
std::span<const Algorithm> alltoalls();
std::span<const Algorithm> reduce_scatters();
std::span<const Algorithm> scans();
std::span<const Algorithm> neighbour_exchanges();

}  // namespace collectives
}  // namespace hakaru::replay
