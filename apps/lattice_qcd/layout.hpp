// Where the numbers of a rank's sites stand: sites across the lanes of a vector.
//
// Axes of the box are cut in two halves until there is a half for each lane, so that a vector holds
// the same site of every half (the virtual nodes of Boyle, Cossu, Yamaguchi, Portelli,
// arXiv:1512.03487): the neighbours of a vector's sites are again one vector, with lanes exchanged
// where a half ends. Vectors are kept by parity, x fastest.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "apps/lattice_qcd/lattice.hpp"

namespace hakaru::apps::lattice_qcd {

struct Slot {
  int parity;
  std::int64_t vector;
  int lane;
};

class VectorLayout {
 public:
  // A neighbour's vector, with what has to be done to it in the two upper bits.
  static constexpr std::uint32_t exchanged = 1u << 30;  // lanes of the two halves change places
  static constexpr std::uint32_t ghost = 1u << 31;      // half spinors of a neighbouring rank
  static constexpr std::uint32_t index_mask = exchanged - 1;

  // `lanes` of lanes_for(). Box extents are even.
  VectorLayout(const Lattice& lattice, int lanes);

  int lanes() const { return lanes_; }
  // Of one parity.
  std::int64_t vectors() const { return vectors_; }
  // The lane bit that tells the two halves of an axis apart; -1: the axis is not cut.
  int lane_bit(int axis) const { return lane_bit_[axis]; }

  Slot slot(const Extents& x) const;
  Extents point(const Slot& slot) const;

  // For the vectors of `parity`: directions entries each.
  const std::vector<std::uint32_t>& neighbours(int parity) const { return neighbours_[parity]; }
  // Vectors of `parity` whose half spinors go to the rank in `direction`, in the order of ghosts
  // there.
  const std::vector<std::uint32_t>& face(int parity, int direction) const {
    return faces_[parity][direction];
  }
  // Vectors of `parity` that need no ghost, and those that do.
  const std::vector<std::uint32_t>& inside(int parity) const { return inside_[parity]; }
  const std::vector<std::uint32_t>& border(int parity) const { return border_[parity]; }

  // Ghosts that come from `direction` begin here; the same for both parities.
  std::int64_t ghost_begin(int direction) const { return ghost_begin_[direction]; }
  std::int64_t ghost_count(int direction) const {
    return ghost_begin_[direction + 1] - ghost_begin_[direction];
  }
  std::int64_t ghosts() const { return ghost_begin_[directions]; }

 private:
  std::int64_t vector_of(const Extents& r) const { return index_of(r, half_) / 2; }
  Extents reduced_point(int parity, std::int64_t vector) const;
  void find_faces(const Lattice& lattice);
  void find_neighbours(const Lattice& lattice, int parity);
  std::uint32_t neighbour(const Lattice& lattice, int parity, Extents r, int direction) const;

  int lanes_;
  Extents half_;  // extents of what one lane holds
  std::array<int, axes> lane_bit_;
  std::int64_t vectors_;
  std::array<std::vector<std::uint32_t>, 2> neighbours_, inside_, border_;
  std::array<std::array<std::vector<std::uint32_t>, directions>, 2> faces_;
  std::array<std::int64_t, directions + 1> ghost_begin_{};
};

// The most lanes, of 1, 4, 8 and 16 and at most `most`, for which halves of a box have even
// extents.
int lanes_for(const Extents& box, int most);

}  // namespace hakaru::apps::lattice_qcd
