// Linear response from the current after an impulse.
#pragma once

#include <complex>
#include <vector>

namespace hakaru::apps::electrons {

struct ResponsePoint {
  double energy = 0.0;  // hartree
  std::complex<double> conductivity, dielectric;
};

// sigma(w) = -(1/a0) int_0^T J(t) exp(iwt) W(t) dt with J = -j and the window
// W = 1 - 3 (t/T)^2 + 2 (t/T)^3; E = -a0 delta(t). eps(w) = 1 + 4 pi i sigma / w for a transverse
// field; 1/eps = 1 - 4 pi i sigma / w when a0 is of the applied field and the electrons feel their
// own too (`longitudinal`). Trapezoidal rule; currents[n] is j at n dt, the first just after the
// impulse.
std::vector<ResponsePoint> response(const std::vector<double>& currents, double dt, double impulse,
                                    bool longitudinal, const std::vector<double>& energies);

// int_0^infinity Re sigma dw = (pi/2) j(0+)/a0 holds for any w-integration up to the grid's end:
// the quotient of the integral over the energies (evenly spaced from 0) and (pi/2) n_e.
double sum_rule(const std::vector<ResponsePoint>& points, double electron_density);

}  // namespace hakaru::apps::electrons
