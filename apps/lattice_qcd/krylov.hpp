// Krylov methods for A x = b, where A is the Wilson operator W on all sites or M on even ones.
// CG solves the normal equations A^dagger A x = A^dagger b (Hestenes and Stiefel 1952), BiCGStab
// the system itself (van der Vorst 1992).
#pragma once

#include <string>

#include "apps/lattice_qcd/vectors.hpp"
#include "apps/lattice_qcd/wilson.hpp"

namespace hakaru::apps::lattice_qcd {

enum class Method { cg, bicgstab };
enum class Preconditioning { none, even_odd };

struct Stop {
  std::int64_t iterations;  // at most
  double tolerance;         // of the residual over |b|; 0: all iterations are done
};

template <typename Real>
class Krylov {
 public:
  // `wilson` must outlive this.
  Krylov(Wilson<Real>& wilson, Preconditioning preconditioning, Method method, bool exact_sums,
         const Timing& timing);

  std::int64_t numbers() const { return numbers_; }
  Field<Real> field(Real* data) const { return {data, numbers_, wilson_.layout().lanes()}; }
  Field<const Real> field(const Real* data) const {
    return {data, numbers_, wilson_.layout().lanes()};
  }

  // out = A in. Collective.
  void apply(const Real* in, Real* out, bool dagger = false);
  // From x = 0. Returns the iterations done. Collective.
  std::int64_t solve(const Real* b, Real* x, const Stop& stop);
  // |x|^2. Collective.
  double norm(const Real* x);

 private:
  std::int64_t conjugate_gradients(const Real* b, Real* x, const Stop& stop);
  std::int64_t stabilised_gradients(const Real* b, Real* x, const Stop& stop);
  // Sums of `parts`, as the phases say.
  template <typename Parts>
  std::span<const double> sum(const Parts& parts);

  Wilson<Real>& wilson_;
  Preconditioning preconditioning_;
  Method method_;
  Timing timing_;
  Sums sums_;
  std::int64_t numbers_;
  base::AlignedArray<Real> odd_, residual_, direction_, image_, second_, shadow_;
};

}  // namespace hakaru::apps::lattice_qcd
