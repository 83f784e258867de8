// From the parameters of the command line to what a calculation needs.
#pragma once

#include <string>

#include "apps/hartree_fock/molecule.hpp"
#include "apps/hartree_fock/scf.hpp"
#include "native/base/description.hpp"
#include "native/base/parameters.hpp"

namespace hakaru::apps::hartree_fock {

enum class Keeping { memory, disk, direct };
enum class Guess { atoms, core };

struct Settings {
  Molecule molecule;
  std::string basis = "sto-3g";
  Keeping keeping = Keeping::memory;
  std::string scratch = ".";       // folder of the file of integrals
  std::int64_t buffer = 16 << 20;  // bytes that are written or read at once
  double screening = 1e-11;        // hartree
  Guess guess = Guess::atoms;
  Mixing mixing = Mixing::diis;
  double damping = 0.8;
  double threshold = 1e-6;  // of the change of a density element
  int iterations = 0;       // 0: until the threshold is reached
  int most_iterations = 200;
  bool dynamic = false;  // tasks are given to ranks as they ask
  std::string checkpoint, restart;
  int checkpoint_interval = 0;
};

void declare_parameters(base::Description& description);
// Throws UserError(usage) for molecules that cannot be treated.
Settings settings_of(const base::Parameters& parameters);

}  // namespace hakaru::apps::hartree_fock
