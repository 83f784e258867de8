#include <fmt/format.h>

#include <cmath>
#include <sstream>

#include "apps/hartree_fock/molecule.hpp"
#include "native/base/atomic_file.hpp"
#include "native/base/require.hpp"

namespace hakaru::apps::hartree_fock {
namespace {

constexpr int most_atoms = 10'000;
// Carbon's covalent radius is 0.76 angstrom: positions in other units are all farther or nearer.
constexpr double far_angstrom = 1000.0;

[[noreturn]] void refuse(const std::string& path, int line, const std::string& why,
                         const std::string& what_to_do) {
  base::require(false, fmt::format("cannot use line {} of {}", line, path), why, what_to_do);
  throw;  // require does not return
}

// A whole number or decimal number that fills its word.
double number(const std::string& word, const std::string& path, int line) {
  std::size_t used = 0;
  double value = 0.0;
  try {
    value = std::stod(word, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (word.empty() || used != word.size() || !std::isfinite(value))
    refuse(path, line, fmt::format("\"{}\" is not a finite number", word),
           "write a symbol and x, y, z in angstrom");
  if (std::abs(value) > far_angstrom)
    refuse(path, line, fmt::format("{} angstrom is too far", word),
           "positions of an XYZ file are in angstrom; convert them");
  return value;
}

int count_of(const std::string& text, const std::string& path) {
  std::istringstream words(text);
  std::string word, rest;
  words >> word;
  const bool digits = !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || words >> rest || word.size() > 6 || std::stoi(word) < 1 ||
      std::stoi(word) > most_atoms)
    refuse(path, 1, "it is not the number of atoms",
           fmt::format("an XYZ file begins with a number from 1 to {}", most_atoms));
  return std::stoi(word);
}

Atom atom_of(const std::string& text, const std::string& path, int line) {
  std::istringstream words(text);
  std::string symbol, word[3];
  if (!(words >> symbol >> word[0] >> word[1] >> word[2]))
    refuse(path, line, "it has no symbol and three numbers",
           "write a symbol and x, y, z in angstrom");
  const int element = element_of(symbol);
  if (element == 0)
    refuse(path, line, fmt::format("there is no basis for the element \"{}\"", symbol),
           "bases of H to Ne are here");
  Atom atom{element, {}};
  for (int i = 0; i < 3; ++i) atom.at[i] = number(word[i], path, line) / bohr_in_angstrom;
  return atom;
}

}  // namespace

Molecule parse_xyz(const std::string& text, const std::string& path) {
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  const int count = count_of(line, path);
  std::getline(lines, line);  // a comment
  Molecule molecule{path, {}, 0};
  for (int number = 3; std::getline(lines, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    if (static_cast<int>(molecule.atoms.size()) == count)
      refuse(path, number, fmt::format("there are more than the {} atoms of line 1", count),
             "correct the number; a file holds one molecule");
    molecule.atoms.push_back(atom_of(line, path, number));
  }
  base::require(static_cast<int>(molecule.atoms.size()) == count,
                fmt::format("cannot use {}", path),
                fmt::format("line 1 says {} atoms, and {} are there", count, molecule.atoms.size()),
                "correct the number, or complete the file");
  return molecule;
}

Molecule read_xyz(const std::string& path) { return parse_xyz(base::read_file(path), path); }

}  // namespace hakaru::apps::hartree_fock
