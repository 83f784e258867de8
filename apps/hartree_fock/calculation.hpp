// One restricted Hartree-Fock calculation, from a molecule to its energy.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apps/hartree_fock/integrals.hpp"
#include "apps/hartree_fock/one_electron.hpp"
#include "apps/hartree_fock/scf.hpp"
#include "apps/hartree_fock/settings.hpp"

namespace hakaru::apps::hartree_fock {

// Of all ranks but where it says root. Energies in hartree.
struct Result {
  Basis basis;
  OneElectron one_electron;
  Matrix density;             // the last one
  std::vector<Step> history;  // energies: with the repulsion of the nuclei
  double nuclear = 0.0;
  bool converged = false;
  std::vector<double> orbital_energies;  // root
  int functions() const { return basis.functions; }
};

// The basis with what it makes possible: the molecule's pairs of electrons have orbitals.
// Throws UserError(usage).
Basis require_basis(const Settings& settings);

class Calculation {
 public:
  using Watch = std::function<void(int iteration, const Step&)>;

  // `scratch`: path of the file of integrals. Collective, as everything here.
  Calculation(const Settings& settings, const std::string& scratch,
              const parallel::Communicator& world, base::Phases& phases);

  // From normalisation to the last iteration. Throws UserError(environment) when it does not
  // converge (iterations = 0), and when numbers are not finite.
  Result run(const Watch& watch = {});

 private:
  void prepare_matrices();
  void begin_scf();
  void share(Step& step);
  Matrix two_electron_part();
  bool finished(int done, const Step& last) const;
  void keep(int done, bool last);

  const Settings& settings_;
  std::string scratch_;
  const parallel::Communicator& world_;
  base::Phases& phases_;
  Result result_;
  Matrix core_;
  std::unique_ptr<Plan> plan_;
  std::unique_ptr<FockBuilder> builder_;
  std::unique_ptr<Integrals> integrals_;
  std::unique_ptr<Scf> scf_;  // root
};

// sum of P_ab M_ab.
double expectation(const Matrix& density, const Matrix& operator_matrix);

}  // namespace hakaru::apps::hartree_fock
