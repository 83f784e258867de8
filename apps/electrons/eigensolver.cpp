#include "apps/electrons/eigensolver.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "native/base/mixed_bits.hpp"
#include "native/base/require.hpp"

namespace hakaru::apps::electrons {
namespace {

// Numbers in [-1, 1) from a counter.
double noise(std::uint64_t counter) {
  const std::uint64_t bits = base::mixed_bits(counter * base::golden_step + 0x1234567u);
  return 2.0 * static_cast<double>(bits >> 11) * 0x1p-53 - 1.0;
}

// Orthonormal with respect to sum |u|^2; scaled to dv sum |u|^2 = 1 on return from the solver.
class Iteration {
 public:
  Iteration(const Hamiltonian& hamiltonian, const Fourier& fourier, const Vector& wave_vector,
            const double* potential, Block& x)
      : hamiltonian_(hamiltonian),
        fourier_(fourier),
        potential_(potential),
        x_(x),
        hx_(x.length, x.count) {
    hamiltonian.set(wave_vector, bloch_);
    kinetic_.resize(x.length);
    for_each_g(hamiltonian.grid(), [&](std::size_t at, const Vector& g) {
      const Vector q{g[0] + wave_vector[0], g[1] + wave_vector[1], g[2] + wave_vector[2]};
      kinetic_[at] = 0.5 * dot(q, q);
    });
    apply(x_, hx_);
    require_rotated(rotate({&x_}, {&hx_}));
  }

  const std::vector<double>& values() const { return values_; }

  // Residuals into w_; the largest norm of the first `wanted`.
  double residual(int wanted) {
    w_ = Block(x_.length, x_.count);
    double largest = 0.0;
    for (int i = 0; i < x_.count; ++i) {
      const Complex *x = x_.vector(i), *hx = hx_.vector(i);
      Complex* w = w_.vector(i);
      double norm = 0.0;
      for (std::size_t j = 0; j < x_.length; ++j)
        w[j] = hx[j] - values_[i] * x[j], norm += std::norm(w[j]);
      if (i < wanted) largest = std::max(largest, std::sqrt(norm));
    }
    return largest;
  }

  void step() {
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < w_.count; ++i) precondition(i);
    remove(x_, w_);
    normalise(w_, w_, 0.0);
    Block hw(w_.length, w_.count);
    apply(w_, hw);
    // Shorter directions are of rounding: their images would not be theirs.
    normalise(p_, hp_, 1e-9);
    const bool rotated = rotate({&x_, &w_, &p_}, {&hx_, &hw, &hp_});
    require_rotated(rotated || rotate({&x_, &w_}, {&hx_, &hw}));
  }

 private:
  void apply(const Block& in, Block& out) {
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < in.count; ++i)
      hamiltonian_.apply(bloch_, potential_, in.vector(i), out.vector(i));
  }

  // w = T r with T of the ratio of the kinetic energies of G and of the state.
  void precondition(int i) {
    const std::size_t size = x_.length;
    std::vector<Complex> state(x_.vector(i), x_.vector(i) + size);
    fourier_.forward(state.data());
    double energy = 0.0, norm = 0.0;
    for (std::size_t j = 0; j < size; ++j)
      energy += kinetic_[j] * std::norm(state[j]), norm += std::norm(state[j]);
    const double scale = norm / (1.5 * std::max(energy, 1e-3 * norm));
    Complex* w = w_.vector(i);
    fourier_.forward(w);
    for (std::size_t j = 0; j < size; ++j) {
      const double x = kinetic_[j] * scale, top = 27.0 + x * (18.0 + x * (12.0 + 8.0 * x));
      w[j] *= top / (top + 16.0 * x * x * x * x);
    }
    fourier_.backward(w);
  }

  static void require_rotated(bool rotated) {
    base::require_environment(rotated, "the eigensolver broke down",
                              "its vectors became linearly dependent",
                              "choose a finer grid or fewer bands");
  }

  // Unit vectors, and their images scaled with them; no vectors where they are not longer than
  // `least`.
  static void normalise(Block& block, Block& images, double least) {
    for (int i = 0; i < block.count; ++i) {
      double norm = 0.0;
      for (std::size_t j = 0; j < block.length; ++j) norm += std::norm(block.vector(i)[j]);
      const double factor = norm > least * least ? 1.0 / std::sqrt(norm) : 0.0;
      for (std::size_t j = 0; j < block.length; ++j) block.vector(i)[j] *= factor;
      if (&images == &block) continue;
      for (std::size_t j = 0; j < block.length; ++j) images.vector(i)[j] *= factor;
    }
  }

  static void remove(const Block& x, Block& w) {
    std::vector<Complex> c = overlaps(x, w);
    for (Complex& value : c) value = -value;
    combine(x, c.data(), x.count, w, true);
  }

  // New x, hx, p and hp from the lowest states in the span of `basis`; false, and nothing new, when
  // they cannot be found.
  bool rotate(const std::vector<Block*>& basis, const std::vector<Block*>& images) {
    int n = 0;
    std::vector<int> first;
    for (const Block* block : basis) first.push_back(n), n += block->count;
    std::vector<Complex> h(std::size_t(n) * n), s(h.size());
    auto place = [&](std::vector<Complex>& whole, int row, int column, const Block& a,
                     const Block& b) {
      const std::vector<Complex> part = overlaps(a, b);
      for (int j = 0; j < b.count; ++j)
        std::copy_n(part.data() + std::size_t(j) * a.count, a.count,
                    whole.data() + std::size_t(column + j) * n + row);
    };
    for (std::size_t a = 0; a < basis.size(); ++a)
      for (std::size_t b = a; b < basis.size(); ++b) {
        place(h, first[a], first[b], *basis[a], *images[b]);
        place(s, first[a], first[b], *basis[a], *basis[b]);
      }
    std::vector<double> values;
    const int found = eigen_generalised(n, h, s, values);
    if (found < x_.count) return false;
    update(basis, h, n, first, x_, p_);
    update(images, h, n, first, hx_, hp_);
    values_.assign(values.begin(), values.begin() + x_.count);
    return true;
  }

  // p = all of the new x but its part along the old x.
  static void update(const std::vector<Block*>& basis, const std::vector<Complex>& c, int n,
                     const std::vector<int>& first, Block& x, Block& p) {
    Block old_part(x.length, x.count), other(x.length, basis.size() > 1 ? x.count : 0);
    combine(*basis[0], c.data(), n, old_part, false);
    for (std::size_t b = 1; b < basis.size(); ++b)
      combine(*basis[b], c.data() + first[b], n, other, b > 1);
    if (basis.size() > 1)
      for (std::size_t i = 0; i < old_part.values.size(); ++i)
        old_part.values[i] += other.values[i];
    x.values.swap(old_part.values);
    p = std::move(other);
  }

  const Hamiltonian& hamiltonian_;
  const Fourier& fourier_;
  const double* potential_;
  Bloch bloch_;
  std::vector<double> kinetic_, values_;
  Block& x_;
  Block hx_, w_, p_, hp_;
};

}  // namespace

Block starting_vectors(const CellGrid& grid, const Vector& k, int count, int number) {
  std::vector<double> kinetic(grid.size());
  for_each_g(grid, [&](std::size_t at, const Vector& g) {
    const Vector q{g[0] + k[0], g[1] + k[1], g[2] + k[2]};
    kinetic[at] = 0.5 * dot(q, q);
  });
  std::vector<std::size_t> order(grid.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return kinetic[i]; });
  const Fourier fourier(grid.points);
  Block block(grid.size(), count);
  for (int i = 0; i < count; ++i) {
    Complex* x = block.vector(i);
    for (std::size_t j = 0; j < grid.size(); ++j) {
      const std::uint64_t counter = 2 * (j + grid.size() * (i + std::uint64_t(count) * number));
      x[j] = 0.1 * Complex(noise(counter), noise(counter + 1)) / (1.0 + kinetic[j] * kinetic[j]);
    }
    x[order[i]] += 1.0;
    fourier.backward(x);
  }
  return block;
}

void Eigensolver::improve(const Vector& wave_vector, const double* potential, int wanted, int steps,
                          double tolerance, Eigenstates& states) const {
  Iteration iteration(hamiltonian_, fourier_, wave_vector, potential, states.vectors);
  for (int i = 0;; ++i) {
    states.residual = iteration.residual(wanted);
    if (i >= steps || states.residual <= tolerance) break;
    iteration.step();
  }
  states.values = iteration.values();
  const double scale = 1.0 / std::sqrt(hamiltonian_.grid().cell_volume());
  for (Complex& value : states.vectors.values) value *= scale;
}

}  // namespace hakaru::apps::electrons
