#include "apps/lattice_qcd/gauge_field.hpp"

#include <algorithm>

#include "apps/lattice_qcd/larger.hpp"
#include "native/parallel/exact_reduction.hpp"

namespace hakaru::apps::lattice_qcd {
namespace {

Extents shifted(Extents x, int axis, int by) {
  x[axis] += by;
  return x;
}

// Sum over the six planes at x of Re Tr(U_mu(x) U_nu(x+mu) U_mu^dagger(x+nu) U_nu^dagger(x)) / 3.
double planes_at(const GaugeField& field, const Extents& x) {
  double sum = 0.0;
  for (int mu = 0; mu < axes; ++mu)
    for (int nu = mu + 1; nu < axes; ++nu) {
      const Matrix there = field.at(x, mu) * field.at(shifted(x, mu, 1), nu);
      const Matrix back = field.at(x, nu) * field.at(shifted(x, nu, 1), mu);
      sum += trace_of_product(there, adjoint(back));
    }
  return sum / 3.0;
}

}  // namespace

std::int64_t link_message_numbers(const Extents& local, int axis) {
  std::int64_t sites = 1;
  for (int other = 0; other < axes; ++other)
    if (other != axis) sites *= other < axis ? local[other] + 2 : local[other];
  return sites * 18;
}

GaugeField::GaugeField(const Place& place, const parallel::Communicator& ranks)
    : place_(place), ranks_(&ranks) {
  for (int axis = 0; axis < axes; ++axis) padded_[axis] = place.local[axis] + 2;
  for (auto& links : links_) links.resize(product(padded_), Matrix::identity());
}

void GaugeField::fill(const std::function<Matrix(const Extents&, int)>& link) {
  const std::int64_t sites = product(place_.local);
#pragma omp parallel for
  for (std::int64_t i = 0; i < sites; ++i) {
    const Extents x = point_of(i, place_.local);
    for (int axis = 0; axis < axes; ++axis) at(x, axis) = link(x, axis);
  }
  exchange();
}

void GaugeField::for_slab(int axis, int at, const std::function<void(std::int64_t)>& site) const {
  Extents begin{}, end = place_.local;
  for (int other = 0; other < axis; ++other) --begin[other], ++end[other];
  begin[axis] = at, end[axis] = at + 1;
  Extents x = begin;
  for (x[3] = begin[3]; x[3] < end[3]; ++x[3])
    for (x[2] = begin[2]; x[2] < end[2]; ++x[2])
      for (x[1] = begin[1]; x[1] < end[1]; ++x[1])
        for (x[0] = begin[0]; x[0] < end[0]; ++x[0]) site(padded_index(x));
}

void GaugeField::exchange() {
  for (int axis = 0; axis < axes; ++axis) exchange(axis);
}

void GaugeField::exchange(int axis) {
  for (int along = 0; along < axes; ++along) exchange_along(links_[axis], along);
}

// The last layer goes forward and becomes the next rank's layer -1; the first goes backward.
void GaugeField::exchange_along(std::vector<Matrix>& links, int axis) {
  const int end = place_.local[axis];
  const int sent[2] = {end - 1, 0}, received[2] = {end, -1};
  const bool divided = place_.lattice.divided(axis);
  const int count = static_cast<int>(link_message_numbers(place_.local, axis));
  for (const int backward : {0, 1}) {
    outgoing_[backward].clear();
    for_slab(axis, sent[backward],
             [&](std::int64_t at) { outgoing_[backward].push_back(links[at]); });
  }
  if (divided) {
    MPI_Request open[4];
    for (const int backward : {0, 1}) {
      incoming_[backward].resize(outgoing_[backward].size());
      HAKARU_MPI(MPI_Irecv(incoming_[backward].data(), count, MPI_DOUBLE,
                           place_.neighbour[2 * axis + backward], 2 * axis + 1 - backward,
                           ranks_->handle(), &open[backward]));
    }
    for (const int backward : {0, 1})
      HAKARU_MPI(MPI_Isend(outgoing_[backward].data(), count, MPI_DOUBLE,
                           place_.neighbour[2 * axis + backward], 2 * axis + backward,
                           ranks_->handle(), &open[2 + backward]));
    HAKARU_MPI(MPI_Waitall(4, open, MPI_STATUSES_IGNORE));
  }
  for (const int backward : {0, 1}) {
    const auto& from = divided ? incoming_[backward] : outgoing_[1 - backward];
    std::size_t next = 0;
    for_slab(axis, received[backward], [&](std::int64_t at) { links[at] = from[next++]; });
  }
}

double GaugeField::distance_from_su3() const {
  double worst = 0.0;
  for (std::int64_t i = 0; i < product(place_.local); ++i)
    for (int axis = 0; axis < axes; ++axis)
      worst = larger(worst, lattice_qcd::distance_from_su3(at(point_of(i, place_.local), axis)));
  return worst;
}

void start_cold(GaugeField& field) {
  field.fill([](const Extents&, int) { return Matrix::identity(); });
}

void start_random(GaugeField& field, std::uint64_t seed) {
  field.fill([&](const Extents& x, int axis) {
    const auto site = static_cast<std::uint64_t>(field.place().global_index(x));
    return random_su3(Random{seed, site, static_cast<std::uint64_t>(axis)});
  });
}

parallel::ExactSum plaquette_sum(const GaugeField& field) {
  const Extents local = field.place().local;
  const std::int64_t sites = product(local);
  parallel::ExactSum sum;
#pragma omp declare reduction(exact                    \
                              : parallel::ExactSum     \
                              : omp_out.merge(omp_in)) \
    initializer(omp_priv = parallel::ExactSum())
#pragma omp parallel for reduction(exact : sum)
  for (std::int64_t i = 0; i < sites; ++i) sum.add(planes_at(field, point_of(i, local)));
  return sum;
}

double plaquette(const GaugeField& field, const parallel::ExactSum& sum) {
  return parallel::exact_sum(field.ranks(), sum) /
         (6.0 * static_cast<double>(field.place().lattice.sites()));
}

double plaquette(const GaugeField& field) { return plaquette(field, plaquette_sum(field)); }

}  // namespace hakaru::apps::lattice_qcd
