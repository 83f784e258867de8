#include "apps/himeno/halo.hpp"

#include <algorithm>

namespace hakaru::apps::himeno {
namespace {

template <typename Real>
MPI_Datatype make_datatype(const Face& face) {
  MPI_Datatype row, datatype;
  HAKARU_MPI(MPI_Type_vector(static_cast<int>(face.inner), static_cast<int>(face.run),
                             static_cast<int>(face.inner_stride), parallel::datatype_of<Real>(),
                             &row));
  HAKARU_MPI(MPI_Type_create_hvector(static_cast<int>(face.outer), 1,
                                     static_cast<MPI_Aint>(face.outer_stride * sizeof(Real)), row,
                                     &datatype));
  HAKARU_MPI(MPI_Type_commit(&datatype));
  HAKARU_MPI(MPI_Type_free(&row));
  return datatype;
}

// Calls move(buffer position, array position, words) for each run of a face.
template <typename Move>
void for_each_run(const Face& face, const Move& move) {
  for (std::int64_t outer = 0; outer < face.outer; ++outer)
    for (std::int64_t inner = 0; inner < face.inner; ++inner)
      move((outer * face.inner + inner) * face.run,
           outer * face.outer_stride + inner * face.inner_stride, face.run);
}

}  // namespace

template <typename Real>
Halo<Real>::Halo(const Shape& shape, const Region& region,
                 const parallel::Communicator& communicator, Exchange exchange)
    : communicator_(communicator) {
  const std::int64_t points[3] = {shape.x, shape.y, shape.z};
  const std::int64_t strides[3] = {1, shape.pitch, shape.plane};
  // First interior point along the axis and the axes after it, first ghost point of the axes before
  // it.
  const std::int64_t origin[3] = {shape.index(0, 1, 1), shape.index(0, 0, 1), 0};
  for (int axis = 0; axis < 3; ++axis) {
    Axis& of_axis = axes_[axis];
    of_axis.face = shape.face(axis);
    auto layer = [&](std::int64_t index) { return origin[axis] + index * strides[axis]; };
    if (region.below[axis] >= 0)
      of_axis.neighbours.push_back(
          {region.below[axis], layer(1), layer(0), 2 * axis, 2 * axis + 1, {}, {}});
    if (region.above[axis] >= 0)
      of_axis.neighbours.push_back({region.above[axis],
                                    layer(points[axis]),
                                    layer(points[axis] + 1),
                                    2 * axis + 1,
                                    2 * axis,
                                    {},
                                    {}});
    if (of_axis.neighbours.empty()) continue;
    if (of_axis.face.contiguous() || exchange == Exchange::datatypes) {
      of_axis.datatype = make_datatype<Real>(of_axis.face);
    } else {
      for (Neighbour& neighbour : of_axis.neighbours) {
        neighbour.outgoing.resize(of_axis.face.words());
        neighbour.incoming.resize(of_axis.face.words());
      }
    }
  }
}

template <typename Real>
Halo<Real>::~Halo() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized) return;
  for (Axis& axis : axes_)
    if (axis.datatype != MPI_DATATYPE_NULL) MPI_Type_free(&axis.datatype);
}

template <typename Real>
void Halo<Real>::exchange(Real* pressure) {
  for (Axis& axis : axes_) {
    if (axis.neighbours.empty()) continue;
    if (axis.datatype != MPI_DATATYPE_NULL)
      exchange_in_place(axis, pressure);
    else
      exchange_packed(axis, pressure);
  }
}

template <typename Real>
void Halo<Real>::exchange_in_place(Axis& axis, Real* pressure) {
  MPI_Request requests[4];
  int count = 0;
  for (Neighbour& neighbour : axis.neighbours)
    HAKARU_MPI(MPI_Irecv(pressure + neighbour.receive, 1, axis.datatype, neighbour.rank,
                         neighbour.receive_tag, communicator_.handle(), &requests[count++]));
  for (Neighbour& neighbour : axis.neighbours)
    HAKARU_MPI(MPI_Isend(pressure + neighbour.send, 1, axis.datatype, neighbour.rank,
                         neighbour.send_tag, communicator_.handle(), &requests[count++]));
  HAKARU_MPI(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE));
}

template <typename Real>
void Halo<Real>::exchange_packed(Axis& axis, Real* pressure) {
  const MPI_Datatype datatype = parallel::datatype_of<Real>();
  const int words = static_cast<int>(axis.face.words());
  MPI_Request receives[2], sends[2];
  int count = 0;
  for (Neighbour& neighbour : axis.neighbours)
    HAKARU_MPI(MPI_Irecv(neighbour.incoming.data(), words, datatype, neighbour.rank,
                         neighbour.receive_tag, communicator_.handle(), &receives[count++]));
  for (int i = 0; i < count; ++i) {
    Neighbour& neighbour = axis.neighbours[i];
    for_each_run(axis.face, [&](std::int64_t packed, std::int64_t place, std::int64_t run) {
      std::copy_n(pressure + neighbour.send + place, run, neighbour.outgoing.data() + packed);
    });
    HAKARU_MPI(MPI_Isend(neighbour.outgoing.data(), words, datatype, neighbour.rank,
                         neighbour.send_tag, communicator_.handle(), &sends[i]));
  }
  for (int arrived = 0; arrived < count; ++arrived) {
    int which;
    HAKARU_MPI(MPI_Waitany(count, receives, &which, MPI_STATUS_IGNORE));
    Neighbour& neighbour = axis.neighbours[which];
    for_each_run(axis.face, [&](std::int64_t packed, std::int64_t place, std::int64_t run) {
      std::copy_n(neighbour.incoming.data() + packed, run, pressure + neighbour.receive + place);
    });
  }
  HAKARU_MPI(MPI_Waitall(count, sends, MPI_STATUSES_IGNORE));
}

template class Halo<float>;
template class Halo<double>;

}  // namespace hakaru::apps::himeno
