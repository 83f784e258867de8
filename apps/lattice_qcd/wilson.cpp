#include "apps/lattice_qcd/wilson.hpp"

#include <omp.h>

#include "apps/lattice_qcd/phases.hpp"
#include "native/base/share.hpp"

namespace hakaru::apps::lattice_qcd {
namespace {

// `work(begin, end)` of each thread's share.
template <typename Work>
void by_threads(std::int64_t count, const Work& work) {
#pragma omp parallel
  {
    const base::Share share = base::share_of(count, omp_get_thread_num(), omp_get_num_threads());
    if (share.count > 0) work(share.first, share.end());
  }
}

}  // namespace

Timing::Timing(base::Phases& phases_)
    : phases(phases_),
      start(phases.index(phase::start)),
      hopping(phases.index(phase::hopping)),
      halo(phases.index(phase::halo)),
      vectors(phases.index(phase::vectors)),
      reduction(phases.index(phase::reduction)),
      links(phases.index(phase::links)),
      link_halo(phases.index(phase::link_halo)),
      plaquette(phases.index(phase::plaquette)) {}

template <typename Real>
Wilson<Real>::Wilson(const GaugeField& gauge, double kappa, Boundary time, bool overlap,
                     const Timing& timing)
    : place_(gauge.place()),
      ranks_(gauge.ranks()),
      kappa_(kappa),
      overlap_(overlap),
      timing_(timing),
      layout_(place_.lattice, lanes_for(place_.local, most_lanes(sizeof(Real)))) {
  ghosts_ = base::AlignedArray<Real>(layout_.ghosts() * half_spinor_numbers * layout_.lanes());
  for (int direction = 0; direction < directions; ++direction) {
    if (!place_.lattice.divided(axis_of(direction))) continue;
    Message message;
    message.direction = direction;
    message.count = static_cast<int>(layout_.face(0, direction).size()) *
                    message_numbers(layout_.lanes(), layout_.lane_bit(axis_of(direction)));
    message.outgoing = base::AlignedArray<Real>(message.count);
    message.incoming = base::AlignedArray<Real>(message.count);
    messages_.push_back(std::move(message));
  }
  open_.resize(2 * messages_.size());
  copy_links(gauge, time);
}

// U_mu(x) and U_mu^dagger(x - mu) for every site; an antiperiodic boundary changes the sign of the
// links over the end of t.
template <typename Real>
void Wilson<Real>::copy_links(const GaugeField& gauge, Boundary time) {
  const int lanes = layout_.lanes(), last = place_.lattice.extents[3] - 1;
  for (auto& links : links_)
    links = base::AlignedArray<Real>(layout_.vectors() * site_link_numbers * lanes);
  by_threads(product(place_.local), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const Extents x = point_of(i, place_.local);
      const Slot slot = layout_.slot(x);
      Real* const site =
          links_[slot.parity].data() + slot.vector * site_link_numbers * lanes + slot.lane;
      Real* to = site;
      for (int direction = 0; direction < directions; ++direction) {
        const int axis = axis_of(direction);
        Extents from = x;
        from[axis] -= is_backward(direction);
        const Matrix link =
            is_backward(direction) ? adjoint(gauge.at(from, axis)) : gauge.at(from, axis);
        const bool turned =
            time == Boundary::antiperiodic && axis == 3 &&
            (is_backward(direction) ? place_.global(x)[3] == 0 : place_.global(x)[3] == last);
        const double sign = turned ? -1.0 : 1.0;
        if (axis == 3) site[sign_begin(direction) * lanes] = static_cast<Real>(sign);
        for (int n = 0; n < 6; ++n, to += 2 * lanes) {
          to[0] = static_cast<Real>(sign * link.e[n / 3][n % 3].real());
          to[lanes] = static_cast<Real>(sign * link.e[n / 3][n % 3].imag());
        }
      }
    }
  });
}

template <typename Real>
Faces<Real> Wilson<Real>::faces_of(Message& message, const Half& half, const Real* numbers) {
  const int from = opposite(message.direction);
  const auto& sites = layout_.face(1 - half.parity, message.direction);
  Real* ghosts = ghosts_.data() + layout_.ghost_begin(from) * half_spinor_numbers * layout_.lanes();
  return {half.in,           sites.data(), ghosts,          const_cast<Real*>(numbers),
          message.direction, half.dagger,  layout_.lanes(), layout_.lane_bit(axis_of(from))};
}

template <typename Real>
void Wilson<Real>::start_messages(const Half& half) {
  int open = 0;
  const MPI_Datatype type = parallel::datatype_of<Real>();
  for (Message& message : messages_)
    HAKARU_MPI(MPI_Irecv(message.incoming.data(), message.count, type,
                         place_.neighbour[opposite(message.direction)], message.direction,
                         ranks_.handle(), &open_[open++]));
  for (Message& message : messages_) {
    const Faces<Real> faces = faces_of(message, half, message.outgoing.data());
    by_threads(layout_.ghost_count(opposite(message.direction)),
               [&](std::int64_t begin, std::int64_t end) { pack(faces, begin, end); });
    HAKARU_MPI(MPI_Isend(message.outgoing.data(), message.count, type,
                         place_.neighbour[message.direction], message.direction, ranks_.handle(),
                         &open_[open++]));
  }
}

template <typename Real>
void Wilson<Real>::finish_messages(const Half& half) {
  HAKARU_MPI(MPI_Waitall(static_cast<int>(open_.size()), open_.data(), MPI_STATUSES_IGNORE));
  for (Message& message : messages_) {
    const Faces<Real> faces = faces_of(message, half, message.incoming.data());
    by_threads(layout_.ghost_count(opposite(message.direction)),
               [&](std::int64_t begin, std::int64_t end) { unpack(faces, begin, end); });
  }
}

template <typename Real>
void Wilson<Real>::compute(const Half& half, const std::vector<std::uint32_t>& sites) {
  Hopping<Real> p{links_[half.parity].data(),
                  half.in,
                  ghosts_.data(),
                  half.base,
                  half.out,
                  static_cast<Real>(half.factor),
                  half.dagger,
                  layout_.lanes(),
                  {},
                  layout_.neighbours(half.parity).data(),
                  sites.data()};
  for (int axis = 0; axis < axes; ++axis) p.lane_bit[axis] = layout_.lane_bit(axis);
  by_threads(static_cast<std::int64_t>(sites.size()),
             [&](std::int64_t begin, std::int64_t end) { lattice_qcd::hop(p, begin, end); });
}

template <typename Real>
void Wilson<Real>::hop(const Half& half) {
  if (!messages_.empty()) {
    auto phase = timing_.in(timing_.halo);
    start_messages(half);
    if (!overlap_) finish_messages(half);
  }
  {
    auto phase = timing_.in(timing_.hopping);
    compute(half, layout_.inside(half.parity));
  }
  if (messages_.empty()) return;
  if (overlap_) {
    auto phase = timing_.in(timing_.halo);
    finish_messages(half);
  }
  auto phase = timing_.in(timing_.hopping);
  compute(half, layout_.border(half.parity));
}

template <typename Real>
void Wilson<Real>::apply_full(const Real* in, Real* out, bool dagger) {
  const std::int64_t half = half_numbers();
  for (const int parity : {0, 1})
    hop({parity, in + (1 - parity) * half, out + parity * half, in + parity * half, -kappa_,
         dagger});
}

template <typename Real>
void Wilson<Real>::apply_even(const Real* in, Real* odd, Real* out, bool dagger) {
  hop({1, in, odd, nullptr, 0.0, dagger});
  hop({0, odd, out, in, -kappa_ * kappa_, dagger});
}

template class Wilson<float>;
template class Wilson<double>;

}  // namespace hakaru::apps::lattice_qcd
