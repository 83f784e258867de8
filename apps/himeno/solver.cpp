#include "apps/himeno/solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/himeno/block.hpp"
#include "apps/himeno/phases.hpp"
#include "native/parallel/exact_reduction.hpp"

namespace hakaru::apps::himeno {
namespace {

template <typename Real>
class BlockSolver final : public Solver {
 public:
  BlockSolver(const Problem& problem, const Ranks& ranks, const Method& method)
      : grid_(problem.grid),
        streaming_(method.streaming),
        block_(problem, Decomposition(problem.grid, ranks).region(communicator_.rank())),
        halo_(block_.shape(), block_.region(), communicator_, method.exchange) {}

  void reset() override { block_.reset(); }

  double iterate(base::Phases& phases) override {
    find_phases(phases);
    double gosa = 0.0;
    {
      auto phase = phases.scope(stencil_);
      gosa = block_.iterate(streaming_);
    }
    {
      auto phase = phases.scope(exchange_);
      halo_.exchange(block_.pressure());
    }
    auto phase = phases.scope(reduction_);
    return communicator_.sum(gosa);
  }

  double iterate_exactly(base::Phases& phases) override {
    find_phases(phases);
    parallel::ExactSum gosa;
    {
      auto phase = phases.scope(stencil_);
      block_.iterate_exactly(streaming_, gosa);
    }
    {
      auto phase = phases.scope(exchange_);
      halo_.exchange(block_.pressure());
    }
    auto phase = phases.scope(reduction_);
    return parallel::exact_sum(communicator_, gosa);
  }

  void damage() override {
    if (communicator_.rank() == 0) block_.pressure()[block_.shape().index(1, 1, 1)] += Real(0.01);
  }

  Summary summary() const override {
    const Shape& shape = block_.shape();
    double minimum = std::numeric_limits<double>::infinity(), maximum = -minimum;
    parallel::ExactSum sum;
#pragma omp parallel for reduction(parallel::exact                           \
                                   : sum) reduction(min                      \
                                                    : minimum) reduction(max \
                                                                         : maximum)
    for (std::int64_t row = 0; row < shape.rows(); ++row) {
      const Real* p = block_.pressure() + shape.index(1, row % shape.y + 1, row / shape.y + 1);
      for (std::int64_t i = 0; i < shape.x; ++i) {
        const double value = static_cast<double>(p[i]);
        sum.add(value);
        minimum = std::min(minimum, value);
        maximum = std::max(maximum, value);
      }
    }
    return {parallel::exact_sum(communicator_, sum), communicator_.minimum(minimum),
            communicator_.maximum(maximum)};
  }

  double distance(const std::vector<double>& reference) const override {
    const Shape& shape = block_.shape();
    const Region& region = block_.region();
    double largest = 0.0;
    for (std::int64_t k = 0; k < shape.z + 2; ++k)
      for (std::int64_t j = 0; j < shape.y + 2; ++j)
        for (std::int64_t i = 0; i < shape.x + 2; ++i) {
          const std::int64_t x = region.x.first + i - 1, y = region.y.first + j - 1,
                             z = region.z.first + k - 1;
          const double difference =
              std::abs(static_cast<double>(block_.pressure()[shape.index(i, j, k)]) -
                       reference[(z * grid_.y + y) * grid_.x + x]);
          if (!(difference <= largest)) largest = difference;
        }
    return largest;
  }

 private:
  void find_phases(const base::Phases& phases) {
    if (stencil_ >= 0) return;
    stencil_ = phases.index(phase::stencil);
    exchange_ = phases.index(phase::halo);
    reduction_ = phases.index(phase::reduction);
  }

  Grid grid_;
  bool streaming_;
  parallel::Communicator communicator_ = parallel::Communicator::world();
  Block<Real> block_;
  Halo<Real> halo_;
  int stencil_ = -1, exchange_ = -1, reduction_ = -1;
};

}  // namespace

std::unique_ptr<Solver> make_solver(const Problem& problem, const Ranks& ranks,
                                    const Method& method) {
  if (method.precision == Precision::single_precision)
    return std::make_unique<BlockSolver<float>>(problem, ranks, method);
  return std::make_unique<BlockSolver<double>>(problem, ranks, method);
}

}  // namespace hakaru::apps::himeno
