#include "apps/hartree_fock/settings.hpp"

#include "native/base/require.hpp"

namespace hakaru::apps::hartree_fock {
namespace {

void declare_molecule(base::Description& d) {
  std::vector<std::string> molecules = molecule_names();
  molecules.insert(molecules.begin(), "acene");
  d.choice("molecule", "acene", molecules, "built-in molecule; acene is benzene for rings=1")
      .text("input", "", "XYZ file (angstrom) that is taken instead")
      .integer("charge", 0, -20, 20, "1", "charge that is added to the molecule's own")
      .integer("rings", 1, 1, 100, "1", "hexagons in a line: C(4n+2) H(2n+4)")
      .real("cc", 1.397, 0.5, 5.0, "angstrom", "C-C bonds of the acene")
      .real("ch", 1.084, 0.5, 5.0, "angstrom", "C-H bonds of the acene")
      .choice("basis", "sto-3g", {"sto-3g", "6-31g"}, "basis of Gaussian functions");
}

void declare_method(base::Description& d) {
  d.choice("integrals", "memory", {"memory", "disk", "direct"},
           "where two-electron integrals stay; direct computes them in each iteration")
      .text("scratch", ".", "folder of the file of integrals (integrals=disk)")
      .integer("buffer", 16 << 20, 1, 1 << 30, "B", "of the file, written or read at once")
      .real("screening", 1e-11, 0.0, 1e-3, "hartree",
            "quartets of shells whose Schwarz bound is below are left out; 0 keeps all")
      .choice("balance", "static", {"static", "dynamic"},
              "static: tasks by their estimated cost; dynamic: each rank asks for the next")
      .choice("guess", "atoms", {"atoms", "core"},
              "first density: of the atoms, or of orbitals of the bare nuclei")
      .choice("scf", "diis", {"diis", "damped", "plain"}, "how densities follow each other")
      .real("damping", 0.8, 0.0, 0.999, "1", "share of the old density (scf=damped)")
      .real("threshold", 1e-6, 1e-14, 1.0, "1", "largest change of a density element at the end")
      .integer("iterations", 0, 0, 1'000'000, "1",
               "exactly so many; 0: until the threshold is reached")
      .integer("most_iterations", 200, 1, 1'000'000, "1", "give up after so many (iterations=0)")
      .text("checkpoint", "", "file of the density, written at the end")
      .integer("checkpoint_interval", 0, 0, 1'000'000, "1",
               "also after each of so many iterations; 0: at the end only")
      .text("restart", "", "checkpoint to start from");
}

}  // namespace

void declare_parameters(base::Description& d) {
  declare_molecule(d);
  declare_method(d);
  d.preset("small", {{"iterations", 12}}, "benzene in STO-3G, milliseconds")
      .preset("long", {{"rings", 4}, {"basis", "6-31g"}, {"iterations", 14}},
              "ten minutes on one core", 20);
}

Settings settings_of(const base::Parameters& p) {
  Settings s;
  const std::string &name = p.text("molecule"), &file = p.text("input");
  if (!file.empty())
    s.molecule = read_xyz(file);
  else if (name == "acene")
    s.molecule = acene(static_cast<int>(p.integer("rings")), {p.real("cc"), p.real("ch")});
  else
    s.molecule = named_molecule(name);
  s.molecule.charge += static_cast<int>(p.integer("charge"));
  require_closed_shell(s.molecule);
  s.basis = p.text("basis");
  const std::string &keeping = p.text("integrals"), &mixing = p.text("scf");
  s.keeping = keeping == "disk"     ? Keeping::disk
              : keeping == "direct" ? Keeping::direct
                                    : Keeping::memory;
  s.scratch = p.text("scratch");
  s.buffer = p.integer("buffer");
  s.screening = p.real("screening");
  s.dynamic = p.text("balance") == "dynamic";
  s.mixing = mixing == "diis" ? Mixing::diis : mixing == "damped" ? Mixing::damped : Mixing::plain;
  s.guess = p.text("guess") == "core" ? Guess::core : Guess::atoms;
  s.damping = p.real("damping");
  s.threshold = p.real("threshold");
  s.iterations = static_cast<int>(p.integer("iterations"));
  s.most_iterations = static_cast<int>(p.integer("most_iterations"));
  s.checkpoint = p.text("checkpoint");
  s.checkpoint_interval = static_cast<int>(p.integer("checkpoint_interval"));
  s.restart = p.text("restart");
  base::require(!s.dynamic || s.keeping != Keeping::disk,
                "integrals=disk cannot be used with balance=dynamic",
                "each rank writes a part of the file that is known beforehand",
                "take balance=static, or integrals=memory or direct");
  return s;
}

}  // namespace hakaru::apps::hartree_fock
