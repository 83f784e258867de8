#include "apps/lattice_qcd/krylov.hpp"

namespace hakaru::apps::lattice_qcd {
namespace {

// After convergence to the last bit directions vanish; what is asked for is still done.
double ratio(double a, double b) { return b > 0.0 ? a / b : 0.0; }
Complex ratio(Complex a, Complex b) { return std::norm(b) > 0.0 ? a / b : 0.0; }

}  // namespace

template <typename Real>
Krylov<Real>::Krylov(Wilson<Real>& wilson, Preconditioning preconditioning, Method method,
                     bool exact_sums, const Timing& timing)
    : wilson_(wilson),
      preconditioning_(preconditioning),
      method_(method),
      timing_(timing),
      sums_(wilson.ranks(), exact_sums),
      numbers_(wilson.half_numbers() * (preconditioning == Preconditioning::none ? 2 : 1)),
      residual_(numbers_),
      direction_(numbers_),
      image_(numbers_),
      second_(numbers_) {
  if (preconditioning == Preconditioning::even_odd)
    odd_ = base::AlignedArray<Real>(wilson.half_numbers());
  if (method == Method::bicgstab) shadow_ = base::AlignedArray<Real>(numbers_);
}

template <typename Real>
void Krylov<Real>::apply(const Real* in, Real* out, bool dagger) {
  if (preconditioning_ == Preconditioning::even_odd)
    wilson_.apply_even(in, odd_.data(), out, dagger);
  else
    wilson_.apply_full(in, out, dagger);
}

template <typename Real>
template <typename Parts>
std::span<const double> Krylov<Real>::sum(const Parts& parts) {
  {
    auto phase = timing_.in(timing_.vectors);
    parts();
  }
  auto phase = timing_.in(timing_.reduction);
  return sums_.total();
}

template <typename Real>
double Krylov<Real>::norm(const Real* x) {
  return sum([&] { sums_.norm(field(x)); })[0];
}

template <typename Real>
std::int64_t Krylov<Real>::solve(const Real* b, Real* x, const Stop& stop) {
  {
    auto phase = timing_.in(timing_.vectors);
    clear(field(x));
  }
  return method_ == Method::cg ? conjugate_gradients(b, x, stop) : stabilised_gradients(b, x, stop);
}

template <typename Real>
std::int64_t Krylov<Real>::conjugate_gradients(const Real* b, Real* x, const Stop& stop) {
  Real *r = residual_.data(), *p = direction_.data(), *q = image_.data(), *s = second_.data();
  apply(b, r, true);
  double rho = sum([&] {
    copy(field(p), r);
    sums_.norm(field(static_cast<const Real*>(r)));
  })[0];
  const double enough = stop.tolerance * stop.tolerance * rho;
  std::int64_t done = 0;
  while (done < stop.iterations && !(stop.tolerance > 0.0 && rho <= enough)) {
    apply(p, q);
    apply(q, s, true);
    const double curvature = sum([&] { sums_.norm(field(static_cast<const Real*>(q))); })[0];
    const double alpha = ratio(rho, curvature);
    const double next = sum([&] {
      add(field(x), alpha, static_cast<const Real*>(p));
      add(field(r), -alpha, static_cast<const Real*>(s));
      sums_.norm(field(static_cast<const Real*>(r)));
    })[0];
    {
      auto phase = timing_.in(timing_.vectors);
      turn(field(p), ratio(next, rho), static_cast<const Real*>(r));
    }
    rho = next;
    ++done;
  }
  return done;
}

template <typename Real>
std::int64_t Krylov<Real>::stabilised_gradients(const Real* b, Real* x, const Stop& stop) {
  Real *r = residual_.data(), *p = direction_.data(), *v = image_.data(), *t = second_.data();
  Real* shadow = shadow_.data();
  const double start = sum([&] {
    copy(field(r), b);
    copy(field(p), b);
    copy(field(shadow), b);
    sums_.norm(field(b));
  })[0];
  const double enough = stop.tolerance * stop.tolerance * start;
  Complex rho = start;
  double norm = start;
  std::int64_t done = 0;
  const auto constant = [](Real* data) { return static_cast<const Real*>(data); };
  while (done < stop.iterations && !(stop.tolerance > 0.0 && norm <= enough)) {
    apply(p, v);
    auto sums = sum([&] { sums_.dot(field(constant(shadow)), constant(v)); });
    const Complex alpha = ratio(rho, Complex(sums[0], sums[1]));
    {
      auto phase = timing_.in(timing_.vectors);
      add(field(r), -alpha, constant(v));
    }
    apply(r, t);
    sums = sum([&] {
      sums_.dot(field(constant(t)), constant(r));
      sums_.norm(field(constant(t)));
    });
    const Complex omega = ratio(Complex(sums[0], sums[1]), Complex(sums[2]));
    sums = sum([&] {
      add(field(x), alpha, constant(p));
      add(field(x), omega, constant(r));
      add(field(r), -omega, constant(t));
      sums_.dot(field(constant(shadow)), constant(r));
      sums_.norm(field(constant(r)));
    });
    const Complex next(sums[0], sums[1]);
    norm = sums[2];
    const Complex beta = ratio(next, rho) * ratio(alpha, omega);
    {
      auto phase = timing_.in(timing_.vectors);
      turn(field(p), beta, omega, constant(r), constant(v));
    }
    rho = next;
    ++done;
  }
  return done;
}

template class Krylov<float>;
template class Krylov<double>;

}  // namespace hakaru::apps::lattice_qcd
