#include "apps/sp/solver.hpp"

#include <cmath>

#include "apps/sp/field.hpp"
#include "native/base/clock.hpp"
#include "native/parallel/exact_reduction.hpp"

namespace hakaru::apps::sp {

// Does the steps of steps.hpp.
class Runner {
 public:
  explicit Runner(Solver& solver) : s_(solver) {}

  void reset() {
    loop(s_.indices_.reset, [&] { s_.fill_states(initial); });
  }
  void primitives() {
    loop(s_.indices_.primitives, [&] {
      std::array<double*, 5> to;
      for (int i = 0; i < 5; ++i) to[i] = s_.mover_.array(scalars[i], Layout::home);
      const double* state = s_.mover_.array(Array::state, Layout::home);
      for_lines(slab_of(s_.plan_, Layout::home), s_.world_.rank(), along_x, s_.plan_.dt, false,
                [&](Bundle& bundle, const Lines& lines) {
                  bundle.read_state(state, lines);
                  bundle.derive_primitives();
                  bundle.write_primitives(to, lines);
                });
    });
  }
  void differences(Axis axis) {
    loop(s_.indices_.differences, [&] {
      const Layout layout = layout_of(s_.plan_, axis);
      const double* base =
          s_.mover_.array(axis == along_x ? Array::forcing : Array::update, layout);
      s_.differences(axis, base, axis == along_z ? s_.plan_.dt : 1.0);
    });
  }
  void solve(Axis axis) {
    loop(s_.indices_.solve, [&] { s_.solve(axis); });
  }
  void add() {
    loop(s_.indices_.add, [&] {
      sp::add(slab_of(s_.plan_, Layout::home), s_.world_.rank(),
              s_.mover_.array(Array::update, Layout::home),
              s_.mover_.array(Array::state, Layout::home));
    });
  }
  void move(Array array, Layout from, Layout to) {
    auto scope = s_.phases_.scope(s_.indices_.move);
    s_.mover_.move(array, from, to);
  }
  template <typename Body>
  void repeat(std::int64_t times, const Body& body) {
    const double start = base::now_s();
    for (std::int64_t i = 0; i < times; ++i) body();
    s_.iterations_s_ = base::now_s() - start;
  }
  void error_norm() {
    loop(s_.indices_.norm, [&] {
      s_.error_ =
          s_.root_mean_square(squared_errors(slab_of(s_.plan_, Layout::home), s_.world_.rank(),
                                             s_.mover_.array(Array::state, Layout::home)));
    });
  }

 private:
  // In the published style every parallel loop ends with a barrier.
  template <typename Body>
  void loop(int phase, const Body& body) {
    {
      auto scope = s_.phases_.scope(phase);
      body();
    }
    if (s_.plan_.style != Style::published) return;
    auto scope = s_.phases_.scope(s_.indices_.barrier);
    s_.world_.barrier();
  }

  Solver& s_;
};

Solver::Solver(const Plan& plan, const parallel::Communicator& world, base::Phases& phases)
    : plan_(plan),
      world_(world),
      phases_(phases),
      indices_{phases.index(phase::reset),       phases.index(phase::primitives),
               phases.index(phase::differences), phases.index(phase::solve),
               phases.index(phase::add),         phases.index(phase::move),
               phases.index(phase::norm),        phases.index(phase::barrier)},
      mover_(plan, world) {
  make_forcing();
}

void Solver::run() {
  Runner runner(*this);
  repetition(plan_, runner);
}

void Solver::fill_states(State (*function)(double, double, double)) {
  // In the published style the other layouts get theirs by moves.
  for (const Layout layout : {Layout::home, Layout::crossed})
    if (used(plan_, layout, Array::state) &&
        (plan_.style == Style::direct || layout == Layout::home))
      fill(slab_of(plan_, layout), world_.rank(), function, mover_.array(Array::state, layout));
  if (!damaged_ || function != initial || world_.rank() > 0) return;
  // The middle of own points.
  const Slab home = slab_of(plan_, Layout::home);
  mover_.array(Array::state, Layout::home)[components * (home.elements(0) / 2)] *= 1.01;
}

void Solver::differences(Axis axis, const double* base, double factor) {
  const Layout layout = layout_of(plan_, axis);
  const double* state = mover_.array(Array::state, layout);
  double* update = mover_.array(Array::update, layout);
  std::array<const double*, 5> given{};
  const bool published = plan_.style == Style::published;
  for (int i = 0; published && i < 5; ++i) given[i] = mover_.array(scalars[i], layout);
  for_lines(slab_of_lines(plan_, axis), world_.rank(), axis, plan_.dt, true,
            [&](Bundle& bundle, const Lines& lines) {
              bundle.read_state(state, lines);
              if (published)
                bundle.read_primitives(given, lines);
              else
                bundle.derive_primitives();
              bundle.differences(axis, base, update, factor, lines);
            });
}

void Solver::solve(Axis axis) {
  const Layout layout = layout_of(plan_, axis);
  double* state = mover_.array(Array::state, layout);
  double* update = mover_.array(Array::update, layout);
  std::array<const double*, 5> given{};
  const bool published = plan_.style == Style::published;
  for (int i = 0; published && i < 5; ++i) given[i] = mover_.array(scalars[i], layout);
  for_lines(slab_of_lines(plan_, axis), world_.rank(), axis, plan_.dt, true,
            [&](Bundle& bundle, const Lines& lines) {
              if (published) {
                bundle.read_primitives(given, lines);
              } else {
                bundle.read_state(state, lines);
                bundle.derive_primitives();
              }
              bundle.solve(axis, update, !published && axis == along_z ? state : nullptr, lines);
            });
}

// - (spatial operator) of the exact solution.
void Solver::make_forcing() {
  fill_states(exact);
  double* forcing = mover_.array(Array::forcing, Layout::home);
  const Slab home = slab_of(plan_, Layout::home);
  const std::int64_t words = components * home.elements(world_.rank());
  std::fill_n(forcing, words, 0.0);
  Runner runner(*this);
  right_hand_side(plan_, runner);
  const double* update = mover_.array(Array::update, Layout::home);
  for (std::int64_t i = 0; i < words; ++i) forcing[i] = -update[i] / plan_.dt;
}

State Solver::root_mean_square(const std::vector<parallel::ExactSum>& sums) const {
  std::vector<double> totals;
  if (exact_sums_) {
    totals = parallel::exact_sums(world_, sums);
  } else {
    for (const auto& sum : sums) totals.push_back(sum.value());
    world_.sum(totals);
  }
  const double inner = static_cast<double>(plan_.n - 2);
  State means;
  for (int m = 0; m < components; ++m) means[m] = std::sqrt(totals[m] / (inner * inner * inner));
  return means;
}

State Solver::residual() {
  Runner runner(*this);
  right_hand_side(plan_, runner);
  State norm = root_mean_square(squares(slab_of(plan_, Layout::home), world_.rank(),
                                        mover_.array(Array::update, Layout::home)));
  for (double& value : norm) value /= plan_.dt;
  return norm;
}

State Solver::residual_of_exact() {
  fill_states(exact);
  return residual();
}

}  // namespace hakaru::apps::sp
