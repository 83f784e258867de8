// The Wilson operator over all ranks: halos are under way while the inside of a box is computed.
//   W = 1 - kappa D,    D of hopping.hpp;
// even-odd preconditioned, on even sites:  M = 1 - kappa^2 D_eo D_oe.
#pragma once

#include <mpi.h>

#include <array>
#include <vector>

#include "apps/lattice_qcd/gauge_field.hpp"
#include "apps/lattice_qcd/spinors.hpp"
#include "native/base/phases.hpp"

namespace hakaru::apps::lattice_qcd {

// Index of the phases of a run, looked up once.
struct Timing {
  explicit Timing(base::Phases& phases);
  base::Phases& phases;
  int start, hopping, halo, vectors, reduction, links, link_halo, plaquette;
  [[nodiscard]] base::Phases::Scope in(int which) const { return phases.scope(which); }
};

enum class Boundary { periodic, antiperiodic };

template <typename Real>
class Wilson {
 public:
  // The links are copied from `gauge`. `overlap`: the inside of a box is computed while messages
  // are under way; else after them.
  Wilson(const GaugeField& gauge, double kappa, Boundary time, bool overlap, const Timing& timing);

  const VectorLayout& layout() const { return layout_; }
  // Of one parity of a field.
  std::int64_t half_numbers() const { return layout_.vectors() * spinor_numbers * layout_.lanes(); }
  Slot slot(const Extents& x) const { return layout_.slot(x); }
  const Place& place() const { return place_; }
  const parallel::Communicator& ranks() const { return ranks_; }
  double kappa() const { return kappa_; }
  Real* links(int parity) { return links_[parity].data(); }

  // out = base + factor D in on the sites of `parity`, or out = D in where base is null; `in` and
  // `out` are of one parity. With `dagger` D^dagger. Collective.
  struct Half {
    int parity;
    const Real* in;
    Real* out;
    const Real* base = nullptr;
    double factor = 0.0;
    bool dagger = false;
  };
  void hop(const Half& half);

  // out = W in or W^dagger in, both parities, even sites first. Collective.
  void apply_full(const Real* in, Real* out, bool dagger);
  // out = M in or M^dagger in on even sites; `odd` is worked in. Collective.
  void apply_even(const Real* in, Real* odd, Real* out, bool dagger);

 private:
  struct Message {
    int direction;
    base::AlignedArray<Real> outgoing, incoming;
    int count;
  };
  void copy_links(const GaugeField& gauge, Boundary time);
  void start_messages(const Half& half);
  void finish_messages(const Half& half);
  void compute(const Half& half, const std::vector<std::uint32_t>& sites);
  Faces<Real> faces_of(Message& message, const Half& half, const Real* numbers);

  Place place_;
  const parallel::Communicator& ranks_;
  double kappa_;
  bool overlap_;
  Timing timing_;
  VectorLayout layout_;
  std::array<base::AlignedArray<Real>, 2> links_;
  base::AlignedArray<Real> ghosts_;
  std::vector<Message> messages_;
  std::vector<MPI_Request> open_;
};

}  // namespace hakaru::apps::lattice_qcd
