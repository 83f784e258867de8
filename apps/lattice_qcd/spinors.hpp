// Fields of spinors in the layout of vectors (layout.hpp), and the sums over them.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>

#include "apps/lattice_qcd/hopping.hpp"
#include "apps/lattice_qcd/layout.hpp"
#include "native/base/aligned.hpp"

namespace hakaru::apps::lattice_qcd {

// One spinor: [spin][colour].
struct Spinor {
  std::complex<double> e[4][3] = {};
};

// [parity][vector][spin][colour][re, im][lane]
template <typename Real>
class Spinors {
 public:
  Spinors() = default;
  explicit Spinors(const VectorLayout& layout)
      : lanes_(layout.lanes()),
        half_(layout.vectors() * spinor_numbers * layout.lanes()),
        numbers_(2 * half_) {}

  // Numbers of one parity.
  std::int64_t half() const { return half_; }
  int lanes() const { return lanes_; }
  Real* parity(int p) { return numbers_.data() + p * half_; }
  const Real* parity(int p) const { return numbers_.data() + p * half_; }

  Spinor get(const Slot& slot) const {
    Spinor spinor;
    const Real* at = parity(slot.parity) + slot.vector * spinor_numbers * lanes_ + slot.lane;
    for (int i = 0; i < 12; ++i)
      spinor.e[i / 3][i % 3] = {at[2 * i * lanes_], at[(2 * i + 1) * lanes_]};
    return spinor;
  }
  void set(const Slot& slot, const Spinor& spinor) {
    Real* at = parity(slot.parity) + slot.vector * spinor_numbers * lanes_ + slot.lane;
    for (int i = 0; i < 12; ++i) {
      at[2 * i * lanes_] = static_cast<Real>(spinor.e[i / 3][i % 3].real());
      at[(2 * i + 1) * lanes_] = static_cast<Real>(spinor.e[i / 3][i % 3].imag());
    }
  }

 private:
  int lanes_ = 1;
  std::int64_t half_ = 0;
  base::AlignedArray<Real> numbers_;
};

}  // namespace hakaru::apps::lattice_qcd
