// Exchange of ghost points with the neighbouring ranks.
#pragma once

#include <mpi.h>

#include <array>
#include <vector>

#include "apps/himeno/decomposition.hpp"
#include "native/parallel/communicator.hpp"

namespace hakaru::apps::himeno {

enum class Exchange { packed, datatypes };

// Three exchanges, along x, y and z in this order, each with both neighbours at once. Faces that
// are contiguous in memory (z) are sent from where they are; the others are copied through buffers
// (packed) or described to MPI (datatypes).
template <typename Real>
class Halo {
 public:
  Halo(const Shape& shape, const Region& region, const parallel::Communicator& communicator,
       Exchange exchange);
  ~Halo();
  Halo(const Halo&) = delete;
  Halo& operator=(const Halo&) = delete;

  // Collective. Fills the ghost points of `pressure`, an array of a Block with this shape.
  void exchange(Real* pressure);

 private:
  struct Neighbour {
    int rank;
    std::int64_t send, receive;  // offsets of the two faces in the pressure array
    int send_tag, receive_tag;
    std::vector<Real> outgoing, incoming;
  };
  struct Axis {
    Face face;
    std::vector<Neighbour> neighbours;
    MPI_Datatype datatype = MPI_DATATYPE_NULL;
  };
  void exchange_in_place(Axis& axis, Real* pressure);
  void exchange_packed(Axis& axis, Real* pressure);

  const parallel::Communicator& communicator_;
  std::array<Axis, 3> axes_;
};

}  // namespace hakaru::apps::himeno
