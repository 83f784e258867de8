#include "apps/hartree_fock/fock.hpp"

#include <algorithm>
#include <cmath>

namespace hakaru::apps::hartree_fock {
namespace {

constexpr double unit = 0x1p-48, largest_part = 0x1p12;

// Views of what one quartet reads and adds to.
struct Quartet {
  const double* integrals;
  double factor;
  const double* density;  // functions x functions
  std::size_t n;
  int i, j, k, l;  // first functions of its shells
  const double *density_ab, *density_cd;
  double *coulomb_ab, *coulomb_cd, *exchange_i, *exchange_j;  // rows of the task's shells
};

// X_ab = sum of factor (ab|cd) P_cd and X_ac = sum of factor (ab|cd) P_bd, alike for the others.
template <int bra, int ket>
void add_quartet(const Quartet& q) {
  constexpr int na = functions_first(bra), nb = functions_second(bra);
  constexpr int nc = functions_first(ket), nd = functions_second(ket), width = nc * nd;
  // P_bd and P_bc for each cd, and the same of a.
  double bd[nb][width], bc[nb][width], ad[na][width], ac[na][width];
  for (int c = 0; c < nc; ++c)
    for (int d = 0; d < nd; ++d) {
      const int cd = c * nd + d;
      for (int b = 0; b < nb; ++b) {
        bd[b][cd] = q.factor * q.density[(q.j + b) * q.n + q.l + d];
        bc[b][cd] = q.factor * q.density[(q.j + b) * q.n + q.k + c];
      }
      for (int a = 0; a < na; ++a) {
        ad[a][cd] = q.factor * q.density[(q.i + a) * q.n + q.l + d];
        ac[a][cd] = q.factor * q.density[(q.i + a) * q.n + q.k + c];
      }
    }
  double coulomb[width] = {}, for_b_c[nb][width] = {}, for_b_d[nb][width] = {};
  for (int a = 0; a < na; ++a) {
    double for_a_c[width] = {}, for_a_d[width] = {};
    for (int b = 0; b < nb; ++b) {
      const double* integral = q.integrals + (a * nb + b) * width;
      const double density = q.factor * q.density_ab[a * nb + b];
      double sum = 0.0;
#pragma omp simd reduction(+ : sum)
      for (int cd = 0; cd < width; ++cd) sum += integral[cd] * q.density_cd[cd];
      q.coulomb_ab[a * nb + b] += q.factor * sum;
#pragma omp simd
      for (int cd = 0; cd < width; ++cd) {
        const double value = integral[cd];
        coulomb[cd] += value * density;
        for_a_c[cd] += value * bd[b][cd];
        for_a_d[cd] += value * bc[b][cd];
        for_b_c[b][cd] += value * ad[a][cd];
        for_b_d[b][cd] += value * ac[a][cd];
      }
    }
    double* row = q.exchange_i + a * q.n;
    for (int c = 0; c < nc; ++c)
      for (int d = 0; d < nd; ++d) {
        row[q.k + c] += for_a_c[c * nd + d];
        row[q.l + d] += for_a_d[c * nd + d];
      }
  }
  for (int cd = 0; cd < width; ++cd) q.coulomb_cd[cd] += coulomb[cd];
  for (int b = 0; b < nb; ++b) {
    double* row = q.exchange_j + b * q.n;
    for (int c = 0; c < nc; ++c)
      for (int d = 0; d < nd; ++d) {
        row[q.k + c] += for_b_c[b][c * nd + d];
        row[q.l + d] += for_b_d[b][c * nd + d];
      }
  }
}

using AddQuartet = void (*)(const Quartet&);
constexpr AddQuartet kernels[3][3] = {{add_quartet<0, 0>, add_quartet<0, 1>, add_quartet<0, 2>},
                                      {add_quartet<1, 0>, add_quartet<1, 1>, add_quartet<1, 2>},
                                      {add_quartet<2, 0>, add_quartet<2, 1>, add_quartet<2, 2>}};

}  // namespace

FockBuilder::FockBuilder(const Basis& basis, const Plan& plan, int threads)
    : basis_(basis), plan_(plan), n_(static_cast<std::size_t>(basis.functions)) {
  for (const PairList& list : plan.lists()) {
    first_.emplace_back();
    for (int i = 0; i < list.size(); ++i) {
      first_.back().push_back(products_);
      products_ += static_cast<std::size_t>(products(list.type()));
    }
  }
  of_pairs_.resize(products_);
  adders_.reserve(static_cast<std::size_t>(threads));
  for (int i = 0; i < threads; ++i) adders_.emplace_back(*this);
}

void FockBuilder::set_density(const std::vector<double>& density) {
  density_ = density;
  for (std::size_t list = 0; list < first_.size(); ++list)
    for (int i = 0; i < plan_.lists()[list].size(); ++i) {
      const auto& [first, second] = plan_.lists()[list].pair(i);
      const Shell &a = basis_.shells[first], &b = basis_.shells[second];
      double* out = of_pairs_.data() + first_[list][i];
      for (int f = 0; f < a.functions(); ++f)
        for (int g = 0; g < b.functions(); ++g) *out++ = density_[(a.first + f) * n_ + b.first + g];
    }
  for (Adder& adder : adders_) adder.clear();
}

FockBuilder::Adder::Adder(const FockBuilder& builder)
    : builder_(builder),
      coulomb_(builder.products_),
      exchange_(8 * builder.n_),
      own_(16),
      coulomb_sum_(builder.products_),
      exchange_sum_(builder.n_ * builder.n_) {}

void FockBuilder::Adder::clear() {
  sound_ = true;
  std::ranges::fill(coulomb_sum_, 0);
  std::ranges::fill(exchange_sum_, 0);
}

void FockBuilder::Adder::begin(const Task& task) {
  task_ = &task;
  std::ranges::fill(own_, 0.0);
  std::ranges::fill(exchange_, 0.0);
  for (int list = 0; list <= task.list; ++list)
    std::fill_n(coulomb_.begin() + static_cast<std::ptrdiff_t>(builder_.first_[list][0]),
                builder_.plan_.kets(task, list) * products(builder_.plan_.lists()[list].type()),
                0.0);
}

void FockBuilder::Adder::add(int list, int batch, int count, const double* integrals) {
  const FockBuilder& b = builder_;
  const PairList &bra = b.plan_.lists()[task_->list], &ket = b.plan_.lists()[list];
  const ShellPair& ij = bra.pair(task_->position);
  const auto& shells = b.basis_.shells;
  const std::size_t size = static_cast<std::size_t>(products(bra.type())) * products(ket.type());
  Quartet q{};
  q.density = b.density_.data(), q.n = b.n_;
  q.i = shells[ij.first].first, q.j = shells[ij.second].first;
  q.density_ab = b.of_pairs_.data() + b.first_[task_->list][task_->position];
  q.coulomb_ab = own_.data();
  q.exchange_i = exchange_.data(), q.exchange_j = exchange_.data() + 4 * b.n_;
  const auto kernel = kernels[bra.type()][ket.type()];
  for (int lane = 0; lane < count; ++lane) {
    const int position = batch * lanes + lane;
    const ShellPair& kl = ket.pair(position);
    const std::size_t at = b.first_[list][position];
    q.integrals = integrals + static_cast<std::size_t>(lane) * size;
    q.k = shells[kl.first].first, q.l = shells[kl.second].first;
    q.factor = (ij.first == ij.second ? 0.5 : 1.0) * (kl.first == kl.second ? 0.5 : 1.0) *
               (list == task_->list && position == task_->position ? 0.5 : 1.0);
    q.density_cd = b.of_pairs_.data() + at;
    q.coulomb_cd = coulomb_.data() + at;
    kernel(q);
  }
}

void FockBuilder::Adder::merge(double value, std::int64_t& sum) {
  sound_ = sound_ && std::abs(value) < largest_part;
  sum += std::llrint(value * (1.0 / unit));
}

void FockBuilder::Adder::end() {
  const FockBuilder& b = builder_;
  for (int list = 0; list <= task_->list; ++list) {
    const std::size_t first = b.first_[list][0];
    const std::size_t count = static_cast<std::size_t>(b.plan_.kets(*task_, list)) *
                              products(b.plan_.lists()[list].type());
    for (std::size_t i = first; i < first + count; ++i) merge(coulomb_[i], coulomb_sum_[i]);
  }
  const PairList& bra = b.plan_.lists()[task_->list];
  for (int i = 0; i < products(bra.type()); ++i)
    merge(own_[i], coulomb_sum_[b.first_[task_->list][task_->position] + i]);
  const ShellPair& ij = bra.pair(task_->position);
  for (const auto& [shell, from] : {std::pair{ij.first, 0}, std::pair{ij.second, 4}}) {
    const Shell& s = b.basis_.shells[shell];
    for (int f = 0; f < s.functions(); ++f)
      for (std::size_t i = 0; i < b.n_; ++i)
        merge(exchange_[(from + f) * b.n_ + i], exchange_sum_[(s.first + f) * b.n_ + i]);
  }
}

// G = (X + X^T) / 2 with X = 4 coulomb - exchange.
std::vector<std::int64_t> FockBuilder::packed() const {
  std::vector<std::int64_t> x(n_ * n_);
  const auto size = static_cast<std::ptrdiff_t>(n_ * n_);
#pragma omp parallel for
  for (std::ptrdiff_t i = 0; i < size; ++i)
    for (const Adder& adder : adders_) x[i] -= adder.exchange_sum_[i];
  for (std::size_t list = 0; list < first_.size(); ++list)
    for (int i = 0; i < plan_.lists()[list].size(); ++i) {
      const auto& [first, second] = plan_.lists()[list].pair(i);
      const Shell &a = basis_.shells[first], &b = basis_.shells[second];
      std::size_t at = first_[list][i];
      for (int f = 0; f < a.functions(); ++f)
        for (int g = 0; g < b.functions(); ++g, ++at)
          for (const Adder& adder : adders_)
            x[(a.first + f) * n_ + b.first + g] += 4 * adder.coulomb_sum_[at];
    }
  std::vector<std::int64_t> triangle;
  triangle.reserve(n_ * (n_ + 1) / 2 + 1);
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t j = 0; j <= i; ++j) triangle.push_back(x[i * n_ + j] + x[j * n_ + i]);
  const bool sound = std::ranges::all_of(adders_, [](const Adder& adder) { return adder.sound_; });
  triangle.push_back(sound ? 0 : 1);
  return triangle;
}

bool FockBuilder::finish(const std::vector<std::int64_t>& packed,
                         std::vector<double>& matrix) const {
  matrix.resize(n_ * n_);
  std::size_t at = 0;
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      matrix[i * n_ + j] = matrix[j * n_ + i] = 0.5 * unit * static_cast<double>(packed[at++]);
  return packed[at] == 0;
}

}  // namespace hakaru::apps::hartree_fock
