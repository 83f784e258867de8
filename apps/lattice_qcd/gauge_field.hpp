// The links of a rank's box with a frame of one site of its neighbours, in double precision.
#pragma once

#include <mpi.h>

#include <functional>
#include <vector>

#include "apps/lattice_qcd/lattice.hpp"
#include "apps/lattice_qcd/su3.hpp"
#include "native/parallel/communicator.hpp"
#include "native/parallel/exact_sum.hpp"

namespace hakaru::apps::lattice_qcd {

// Numbers of the message that carries the links of one axis over the end of a box along `axis`,
// with what came over the axes before it, so that edges and corners are filled too.
std::int64_t link_message_numbers(const Extents& local, int axis);

class GaugeField {
 public:
  GaugeField(const Place& place, const parallel::Communicator& ranks);

  const Place& place() const { return place_; }
  const parallel::Communicator& ranks() const { return *ranks_; }

  // x in [-1, local] along each axis.
  Matrix& at(const Extents& x, int axis) { return links_[axis][padded_index(x)]; }
  const Matrix& at(const Extents& x, int axis) const { return links_[axis][padded_index(x)]; }

  // Every link of the box from its site within the box, then exchange(). Collective.
  void fill(const std::function<Matrix(const Extents& x, int axis)>& link);
  // Brings the frame up to date, of the links along one axis or of all. Collective.
  void exchange(int axis);
  void exchange();

  // The largest distance_from_su3() of a link of the box.
  double distance_from_su3() const;

 private:
  std::int64_t padded_index(const Extents& x) const {
    return ((static_cast<std::int64_t>(x[3] + 1) * padded_[2] + x[2] + 1) * padded_[1] + x[1] + 1) *
               padded_[0] +
           x[0] + 1;
  }
  // Sites of the slab at position `at` along `axis` that a message holds.
  void for_slab(int axis, int at, const std::function<void(std::int64_t)>& site) const;
  void exchange_along(std::vector<Matrix>& links, int axis);

  Place place_;
  const parallel::Communicator* ranks_;
  Extents padded_;
  std::vector<Matrix> links_[axes];
  std::vector<Matrix> outgoing_[2], incoming_[2];
};

// cold: all links 1; random: uniform in SU(3), by the number of the site in the whole lattice.
// Collective.
void start_cold(GaugeField& field);
void start_random(GaugeField& field, std::uint64_t seed);

// Sum over planes and the sites of this rank of Re Tr U_plaquette / 3.
parallel::ExactSum plaquette_sum(const GaugeField& field);
// 1/(6 V) times the sum over all ranks: the mean plaquette. Collective.
double plaquette(const GaugeField& field, const parallel::ExactSum& sum);
double plaquette(const GaugeField& field);
// For a site: two products and a trace for each of six planes, whose links are read once.
inline constexpr double plaquette_flops = 6 * (2 * 198 + 36), plaquette_bytes = 4 * 144;

}  // namespace hakaru::apps::lattice_qcd
