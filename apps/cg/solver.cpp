#include "apps/cg/solver.hpp"

#include <algorithm>
#include <cmath>

#include "apps/cg/phases.hpp"
#include "native/parallel/exact_reduction.hpp"

namespace hakaru::apps::cg {

using parallel::Communicator;

Solver::Solver(const Problem& problem, Communication communication)
    : world_(Communicator::world()),
      problem_(problem),
      communication_(communication),
      block_(block_of(problem.n, world_.rank(), world_.size())) {
  const Block all{0, problem.n};
  const auto count = static_cast<std::size_t>(block_.count);
  for (auto* vector : {&x_, &z_, &r_, &q_}) vector->assign(count, 0.0);
  if (communication == Communication::paper) {
    matrix_.emplace(problem, Part{all, block_});
    moved_.emplace(world_, count * sizeof(double), 1);
    whole_.assign(static_cast<std::size_t>(problem.n), 0.0);
    received_ = whole_;
    p_.assign(count, 0.0);
  } else {
    matrix_.emplace(problem, Part{block_, all, world_.size()});
    // Every rank gives as many elements as the widest block has.
    const std::int64_t widest = widest_block(problem.n, world_.size());
    whole_.assign(static_cast<std::size_t>(widest * world_.size()), 0.0);
    for (auto* vector : {&p_, &z_}) vector->assign(static_cast<std::size_t>(widest), 0.0);
  }
}

std::int64_t Solver::nonzeros() const { return world_.sum(matrix_->nonzeros()); }

// In the method `paper` a barrier follows everything that ranks do in parallel.
void Solver::end_loop() {
  if (communication_ != Communication::paper) return;
  auto phase = phases_->scope(phase::barrier);
  world_.barrier();
}

template <typename Body>
void Solver::loop(Body&& body) {
  {
    auto phase = phases_->scope(phase::vectors);
#pragma omp parallel for simd
    for (std::int64_t i = 0; i < block_.count; ++i) body(i);
  }
  end_loop();
}

template <typename Term>
double Solver::sum(const Term& term) {
  double sum = 0.0;
  parallel::ExactSum exact;
  {
    auto phase = phases_->scope(phase::vectors);
    if (exact_sums_) {
#pragma omp parallel for reduction(parallel::exact : exact)
      for (std::int64_t i = 0; i < block_.count; ++i) exact.add(term(i));
    } else {
#pragma omp parallel for simd reduction(+ : sum)
      for (std::int64_t i = 0; i < block_.count; ++i) sum += term(i);
    }
  }
  auto phase = phases_->scope(phase::reduction);
  return exact_sums_ ? parallel::exact_sum(world_, exact) : world_.sum(sum);
}

double Solver::dot(const std::vector<double>& a, const std::vector<double>& b) {
  const double product = sum([&](std::int64_t i) { return a[i] * b[i]; });
  end_loop();
  return product;
}

void Solver::sum_vectors() {
  const int rank = world_.rank(), ranks = world_.size();
  const int count = static_cast<int>(problem_.n);
  for (int step = 1; step < ranks; step *= 2) {
    if (rank & step) {
      HAKARU_MPI(MPI_Send(whole_.data(), count, MPI_DOUBLE, rank - step, tag_sum, world_.handle()));
      break;
    }
    if (rank + step >= ranks) continue;
    HAKARU_MPI(MPI_Recv(received_.data(), count, MPI_DOUBLE, rank + step, tag_sum, world_.handle(),
                        MPI_STATUS_IGNORE));
#pragma omp parallel for simd
    for (int i = 0; i < count; ++i) whole_[i] += received_[i];
  }
  world_.broadcast(whole_, 0);
}

void Solver::product_by_columns(const std::vector<double>& vector) {
  {
    auto phase = phases_->scope(phase::vectors);
#pragma omp parallel for simd
    for (std::int64_t i = 0; i < problem_.n; ++i) whole_[i] = 0.0;
  }
  end_loop();
  {
    auto phase = phases_->scope(phase::product);
    matrix_->add_product(vector.data(), whole_.data());
  }
  end_loop();
  {
    auto phase = phases_->scope(phase::vector_reduction);
    sum_vectors();
  }
  end_loop();
  {
    auto phase = phases_->scope(phase::move);
    const auto count = static_cast<std::size_t>(block_.count);
    const parallel::Stride elements{sizeof(double), count, sizeof(double)};
    moved_->put_stride(world_.rank(), 0, elements, whole_.data() + block_.first, elements,
                       {0, flag_moved});
    moved_->wait_flag(flag_moved);
    std::copy_n(moved_->as<double>(), block_.count, q_.begin());
  }
  end_loop();
}

void Solver::product_by_rows(const std::vector<double>& vector) {
  {
    auto phase = phases_->scope(phase::gather);
    const int count = static_cast<int>(vector.size());
    HAKARU_MPI(MPI_Allgather(vector.data(), count, MPI_DOUBLE, whole_.data(), count, MPI_DOUBLE,
                             world_.handle()));
  }
  auto phase = phases_->scope(phase::product);
  matrix_->multiply(whole_.data(), q_.data());
}

void Solver::product(const std::vector<double>& vector) {
  communication_ == Communication::paper ? product_by_columns(vector) : product_by_rows(vector);
}

void Solver::start(base::Phases& phases) {
  auto phase = phases.scope(phase::vectors);
  std::fill(x_.begin(), x_.end(), 1.0);
}

void Solver::inner_iteration() {
  product(p_);
  const double alpha = rho_ / dot(p_, q_);
  loop([&](std::int64_t i) {
    z_[i] += alpha * p_[i];
    r_[i] -= alpha * q_[i];
  });
  const double before = rho_;
  rho_ = dot(r_, r_);
  const double beta = rho_ / before;
  loop([&](std::int64_t i) { p_[i] = r_[i] + beta * p_[i]; });
}

void Solver::solve() {
  loop([&](std::int64_t i) {
    z_[i] = 0.0;
    r_[i] = p_[i] = x_[i];
  });
  rho_ = dot(r_, r_);
  for (int i = 0; i < inner_iterations; ++i) inner_iteration();
  product(z_);
  residual_ = std::sqrt(sum([&](std::int64_t i) { return (x_[i] - q_[i]) * (x_[i] - q_[i]); }));
  end_loop();
}

void Solver::products_with_z(double& with_x, double& with_z) {
  if (exact_sums_) {
    with_x = sum([&](std::int64_t i) { return x_[i] * z_[i]; });
    with_z = sum([&](std::int64_t i) { return z_[i] * z_[i]; });
    return;
  }
  {
    auto phase = phases_->scope(phase::vectors);
#pragma omp parallel for simd reduction(+ : with_x, with_z)
    for (std::int64_t i = 0; i < block_.count; ++i) {
      with_x += x_[i] * z_[i];
      with_z += z_[i] * z_[i];
    }
  }
  auto phase = phases_->scope(phase::reduction);
  with_x = world_.sum(with_x);
  with_z = world_.sum(with_z);
}

void Solver::estimate(base::Phases& phases) {
  phases_ = &phases;
  solve();
  double with_x = 0.0, with_z = 0.0;
  products_with_z(with_x, with_z);
  end_loop();
  zeta_ = problem_.shift + 1.0 / with_x;
  const double scale = 1.0 / std::sqrt(with_z);
  loop([&](std::int64_t i) { x_[i] = scale * z_[i]; });
}

}  // namespace hakaru::apps::cg
