#include "apps/hartree_fock/calculation.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <cmath>

#include "apps/hartree_fock/atomic_guess.hpp"
#include "apps/hartree_fock/checkpoint.hpp"
#include "apps/hartree_fock/phases.hpp"
#include "native/base/blas_threads.hpp"
#include "native/base/require.hpp"

namespace hakaru::apps::hartree_fock {

Basis require_basis(const Settings& settings) {
  Basis basis = basis_of(settings.molecule, settings.basis);
  const int pairs = settings.molecule.electrons() / 2;
  base::require(
      pairs <= basis.functions,
      fmt::format("{} has {} electrons", settings.molecule.name, 2 * pairs),
      fmt::format("the {} functions of {} hold two each", basis.functions, settings.basis),
      "take a larger basis or a higher charge");
  return basis;
}

double expectation(const Matrix& density, const Matrix& operator_matrix) {
  return contraction(density, operator_matrix);
}

Calculation::Calculation(const Settings& settings, const std::string& scratch,
                         const parallel::Communicator& world, base::Phases& phases)
    : settings_(settings), scratch_(scratch), world_(world), phases_(phases) {
  base::use_one_blas_thread();
}

void Calculation::prepare_matrices() {
  std::vector<PairList> lists;
  {
    auto phase = phases_.scope(phase::normalise);
    result_.basis = require_basis(settings_);
    normalise(result_.basis);
  }
  {
    auto phase = phases_.scope(phase::pairs);
    for (auto& pairs : group_pairs(result_.basis)) {
      const int type = type_of(result_.basis, pairs.front());
      lists.emplace_back(result_.basis, type, std::move(pairs));
    }
  }
  {
    auto phase = phases_.scope(phase::one_electron);
    result_.one_electron =
        one_electron(result_.basis, settings_.molecule, lists, world_.rank(), world_.size());
    result_.nuclear = settings_.molecule.nuclear_repulsion();
  }
  {
    // Every element is of one rank, and zero on the others.
    auto phase = phases_.scope(phase::exchange);
    world_.sum(result_.one_electron.overlap);
    world_.sum(result_.one_electron.kinetic);
    world_.sum(result_.one_electron.attraction);
  }
  auto phase = phases_.scope(phase::pairs);
  plan_ = std::make_unique<Plan>(result_.basis, lists, settings_.screening);
  builder_ = std::make_unique<FockBuilder>(result_.basis, *plan_, omp_get_max_threads());
  integrals_ = std::make_unique<Integrals>(*plan_, settings_, scratch_, world_, phases_);
}

// The root's density and step to all.
void Calculation::share(Step& step) {
  auto phase = phases_.scope(phase::exchange);
  const std::size_t size = core_.size();
  std::vector<double> message(size + numbers_of_step);
  if (scf_) {
    const Matrix& density = scf_->density();
    std::copy(density.begin(), density.end(), message.begin());
    const double numbers[] = {step.energy, step.change, step.residual, step.failed};
    std::copy_n(numbers, numbers_of_step, message.begin() + static_cast<std::ptrdiff_t>(size));
  }
  world_.broadcast(message, 0);
  const double* numbers = message.data() + size;
  step = {numbers[0], numbers[1], numbers[2], numbers[3]};
  message.resize(size);
  result_.density = std::move(message);
}

void Calculation::begin_scf() {
  const OneElectron& one = result_.one_electron;
  core_ = one.kinetic;
  for (std::size_t i = 0; i < core_.size(); ++i) core_[i] += one.attraction[i];
  Step step;
  Matrix given;
  if (!settings_.restart.empty())
    given = read_checkpoint(settings_.restart, settings_, result_.functions(), world_);
  if (world_.rank() == 0) {
    auto phase = phases_.scope(phase::scf);
    scf_ = std::make_unique<Scf>(result_.functions(), one.overlap, core_,
                                 std::vector<double>(settings_.molecule.electrons() / 2, 2.0),
                                 settings_.mixing, settings_.damping);
    step = scf_->begin();
    if (settings_.guess == Guess::atoms && given.empty() && step.failed == 0.0)
      scf_->restart(atomic_density(settings_.molecule, result_.basis));
    if (!given.empty() && step.failed == 0.0) scf_->restart(std::move(given));
    if (scf_->density().size() != core_.size()) scf_->restart(Matrix(core_.size()));
  }
  share(step);
  base::require_environment(step.failed == 0.0, "the basis cannot be used",
                            "its functions depend on each other, or an integral is not finite",
                            "move the atoms apart or take a smaller basis");
}

Matrix Calculation::two_electron_part() {
  builder_->set_density(result_.density);
  const bool unchanged = integrals_->add_to(*builder_);
  std::vector<std::int64_t> packed;
  {
    auto phase = phases_.scope(phase::fock);
    packed = builder_->packed();
    if (!unchanged) packed.back() += 1'000'000'000;
  }
  {
    auto phase = phases_.scope(phase::exchange);
    world_.sum(packed);
  }
  auto phase = phases_.scope(phase::fock);
  Matrix matrix;
  const bool sound = builder_->finish(packed, matrix);
  base::require_environment(packed.back() < 1'000'000'000, "the file of integrals has changed",
                            "what was read is not what was written",
                            "check the disk of the scratch folder, or take integrals=memory");
  base::require_environment(sound, "the Fock matrix is out of range",
                            "a part of it is not finite or above 4096 hartree",
                            "check the molecule and the restart file");
  return matrix;
}

bool Calculation::finished(int done, const Step& last) const {
  if (settings_.iterations > 0) return done >= settings_.iterations;
  if (last.change <= settings_.threshold) return true;
  base::require_environment(
      done < settings_.most_iterations, "the SCF did not converge",
      fmt::format("after {} iterations a density element still changes by {:.1e}", done,
                  last.change),
      settings_.checkpoint.empty()
          ? "take scf=diis or scf=damped, or more most_iterations"
          : fmt::format("take scf=diis or scf=damped, or go on with restart={}",
                        settings_.checkpoint));
  return false;
}

void Calculation::keep(int done, bool last) {
  if (settings_.checkpoint.empty()) return;
  const int interval = settings_.checkpoint_interval;
  if (!last && (interval == 0 || done % interval != 0)) return;
  auto phase = phases_.scope(phase::io);
  write_checkpoint(settings_.checkpoint, settings_, result_.functions(), result_.density, world_);
}

Result Calculation::run(const Watch& watch) {
  result_ = {};
  prepare_matrices();
  begin_scf();
  integrals_->prepare();
  for (int done = 1;; ++done) {
    const Matrix two_electron = two_electron_part();
    Step step;
    if (scf_) {
      auto phase = phases_.scope(phase::scf);
      step = scf_->advance(two_electron);
    }
    share(step);
    base::require_environment(step.failed == 0.0, "the SCF broke down",
                              "an eigenproblem has no solution or an energy is not finite",
                              "check the molecule, or take scf=damped");
    step.energy += result_.nuclear;
    result_.history.push_back(step);
    if (watch) watch(done, step);
    const bool given_up = settings_.iterations == 0 && done >= settings_.most_iterations;
    const bool last = settings_.iterations > 0 ? done == settings_.iterations
                                               : step.change <= settings_.threshold;
    keep(done, last || given_up);
    if (finished(done, step)) break;
  }
  result_.converged = result_.history.back().change <= settings_.threshold;
  if (scf_) result_.orbital_energies = scf_->orbital_energies();
  if (settings_.keeping == Keeping::disk) {
    auto phase = phases_.scope(phase::io);
    integrals_.reset();
  }
  integrals_.reset(), scf_.reset(), builder_.reset(), plan_.reset();
  return std::move(result_);
}

}  // namespace hakaru::apps::hartree_fock
