#include "native/trace/write/collectives.hpp"

namespace hakaru::trace {

using schedule::Collective;

CountedCollective count_collective(const schedule::Operation& o, const Place& in) {
  const auto n = static_cast<std::uint64_t>(in.size), me = static_cast<std::uint64_t>(in.own);
  const std::uint64_t b = o.bytes;
  const bool root = o.peer == in.own, lengths = o.payload >= 0;
  const auto at = static_cast<std::uint32_t>(o.peer);
  constexpr std::uint32_t none = OTF2_UNDEFINED_UINT32;
  switch (o.collective) {
    case Collective::barrier:
      return {};
    case Collective::broadcast:
      return {OTF2_COLLECTIVE_OP_BCAST, at, root ? n * b : 0, b};
    case Collective::reduce:
      return {OTF2_COLLECTIVE_OP_REDUCE, at, b, root ? n * b : 0};
    case Collective::allreduce:
      return {OTF2_COLLECTIVE_OP_ALLREDUCE, none, n * b, n * b};
    case Collective::gather:
      return {static_cast<OTF2_CollectiveOp>(lengths ? OTF2_COLLECTIVE_OP_GATHERV
                                                     : OTF2_COLLECTIVE_OP_GATHER),
              at, b, root ? n * b : 0};
    case Collective::scatter:
      return {static_cast<OTF2_CollectiveOp>(lengths ? OTF2_COLLECTIVE_OP_SCATTERV
                                                     : OTF2_COLLECTIVE_OP_SCATTER),
              at, root ? n * b : 0, b};
    case Collective::allgather:
      return {static_cast<OTF2_CollectiveOp>(lengths ? OTF2_COLLECTIVE_OP_ALLGATHERV
                                                     : OTF2_COLLECTIVE_OP_ALLGATHER),
              none, n * b, n * b};
    case Collective::alltoall:
      return {static_cast<OTF2_CollectiveOp>(lengths ? OTF2_COLLECTIVE_OP_ALLTOALLV
                                                     : OTF2_COLLECTIVE_OP_ALLTOALL),
              none, n * b, n * b};
    case Collective::reduce_scatter:
      return {OTF2_COLLECTIVE_OP_REDUCE_SCATTER, none, b, b};
    case Collective::scan:
      return {OTF2_COLLECTIVE_OP_SCAN, none, (n - me) * b, (me + 1) * b};
    case Collective::exclusive_scan:
      return {OTF2_COLLECTIVE_OP_EXSCAN, none, (n - me - 1) * b, me * b};
    case Collective::neighbour_exchange:
      return {OTF2_COLLECTIVE_OP_ALLTOALL, none, 0, 0};
  }
  return {};
}

}  // namespace hakaru::trace
