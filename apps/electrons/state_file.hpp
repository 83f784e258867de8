// Files that hold orbitals: ground states and checkpoints. One file whatever the layout, written
// under a temporary name and renamed when it is whole.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/electrons/orbitals.hpp"
#include "native/parallel/communicator.hpp"

namespace hakaru::apps::electrons {

inline constexpr std::size_t state_header_bytes = 4096;

// What is in the file, in this order: the header (JSON), `shared` numbers, `of_point` numbers for
// each macroscopic point, `film_cells` numbers twice, and the orbitals by point, k and band.
struct StateShape {
  nlohmann::json identity;  // has to be the same for a file to be used
  std::size_t shared = 0, of_point = 0, film_cells = 0, grid_points = 0;
  int points = 1, k_points = 1, bands = 1;

  std::size_t points_offset() const { return state_header_bytes + 8 * shared; }
  std::size_t film_offset() const { return points_offset() + 8 * of_point * points; }
  std::size_t orbitals_offset() const { return film_offset() + 16 * film_cells; }
  std::size_t orbital_block() const { return 16 * grid_points * bands; }  // of one k, B
  std::size_t bytes() const {
    return orbitals_offset() + orbital_block() * std::size_t(k_points) * std::size_t(points);
  }
};

// This rank's part.
struct StatePart {
  std::vector<double> shared;  // written by rank 0, read by all
  int first_point = 0;
  bool leader = false;                      // writes what is of its group
  std::vector<std::vector<double>> points;  // numbers of each local point
  int first_cell = 0;
  std::vector<double> film_now, film_last;
  std::vector<Orbitals*> orbitals;  // of each local point
};

// Collective over `ranks`. Throws UserError(environment) on every rank when the file cannot be
// written; the old one is still there then.
void write_state(const std::string& path, const StateShape& shape, const StatePart& part,
                 const parallel::Communicator& ranks);
// What the file says that it holds. Throws UserError when it is not of this program.
std::string kind_of_state(const std::string& path);
// The size of `shared` in the file, after its header was found to be of this program and of
// `identity`. Throws UserError with the reason otherwise.
std::size_t shared_numbers(const std::string& path, const StateShape& shape);
// Fills `part`, whose vectors and orbitals have their sizes. Collective.
void read_state(const std::string& path, const StateShape& shape, StatePart& part,
                const parallel::Communicator& ranks);

}  // namespace hakaru::apps::electrons
