// Clusters of atoms that attract each other by the Lennard-Jones potential, in its units: energies
// in epsilon, lengths in sigma.
#pragma once

#include <string>
#include <vector>

namespace hakaru::apps::semiclassical {

// x, y, z of each atom. So many atoms near each other: up to 13 of an icosahedron and its centre,
// more of a face-centred cubic crystal around an atom.
std::vector<double> cluster_of(int atoms);

// An XYZ file: the number of atoms, a comment, then a symbol and three coordinates in sigma a line.
// Throws UserError: environment when it cannot be read, usage when it is no cluster.
std::vector<double> read_cluster(const std::string& path);

// The local minimum of the energy below `start`, to a gradient of 1e-11. Throws UserError(usage)
// when there is none.
std::vector<double> relaxed(std::vector<double> start);

}  // namespace hakaru::apps::semiclassical
