// Files of gauge fields, the same whatever the layout; written under a temporary name and renamed
// when they are whole.
//
// The first 4096 bytes are a JSON object padded with blanks: format, extents, beta, sweeps,
// plaquette, digest. Then the links as pairs of little-endian doubles:
// [t][z][y][x][axis][row][column].
#pragma once

#include <string>

#include "apps/lattice_qcd/gauge_field.hpp"

namespace hakaru::apps::lattice_qcd {

struct Origin {
  double beta = 0.0;
  std::int64_t sweeps = 0;
};

// Throws UserError(environment) on every rank when it cannot be written; nothing is left then.
// Collective.
void write_configuration(const std::string& path, const GaugeField& field, const Origin& origin);

// Throws UserError(usage) on every rank when the file is truncated, altered, no configuration, of
// another lattice, or holds links that are not in SU(3), NaN among them. Collective.
Origin read_configuration(const std::string& path, GaugeField& field);

}  // namespace hakaru::apps::lattice_qcd
