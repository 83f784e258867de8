// The kernel of the Wilson operator, the hopping term
//   (D x)(s) = sum_mu (1 - g_mu) U_mu(s) x(s + mu) + (1 + g_mu) U_mu^dagger(s - mu) x(s - mu)
// (Wilson, Phys. Rev. D 10, 2445 (1974); r = 1), from the sites of one parity to those of the
// other. Explicit vectors of Google Highway, sites across lanes (layout.hpp).
//
// Chiral basis: g_k = [[0, -i s_k], [i s_k, 0]], g_4 = [[0, -1], [-1, 0]], g_5 = diag(-1, -1, 1,
// 1). A spinor is [spin 4][colour 3][re, im][lane], a half spinor [spin 2][colour 3][re, im][lane],
// a link [row 2][column 3][re, im][lane]. All arrays begin on a line of the cache.
//
// Links are most of what is read, so only two rows are kept: the third of a matrix in SU(3) is
// conj(first x second) (Clark, Babich, Barros, Brower, Rebbi, arXiv:0911.3191). Where an
// antiperiodic boundary turned the sign of a link, so is that of its third row.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hakaru::apps::lattice_qcd {

inline constexpr int spinor_numbers = 24, half_spinor_numbers = 12, link_numbers = 12;
// Of a site: U_mu(s) and U_mu^dagger(s - mu) of each axis, by direction, and the signs of the two
// along t.
inline constexpr int sign_numbers = 2, site_link_numbers = 8 * link_numbers + sign_numbers;
constexpr int sign_begin(int direction) { return 8 * link_numbers + direction - 6; }

// Flops of a site: 8 projections of 12, 16 products of a link and a colour vector of 66,
// 7 accumulations of 24; `based` adds out = base + factor D in.
inline constexpr double hopping_flops = 8 * 12 + 16 * 66 + 7 * 24;
inline constexpr double based_flops = 48;
// Third rows: 3 numbers of 14 for each link. Not in the 1320 operations that rates are made of.
inline constexpr double third_row_flops = 8 * 3 * 14 + 2 * 6;

// One application to some sites; pointers are to the beginning of fields.
template <typename Real>
struct Hopping {
  const Real* links;   // of the target parity: [vector][direction][link], [sign]
  const Real* in;      // of the other parity
  const Real* ghosts;  // half spinors from neighbouring ranks
  const Real* base;    // null: out = D in; else out = base + factor D in; may be `out`
  Real* out;
  Real factor;
  bool dagger;  // the adjoint, in which the signs of all g_mu are changed
  int lanes;
  int lane_bit[4];                  // of each axis, -1: none
  const std::uint32_t* neighbours;  // of the target parity (VectorLayout)
  const std::uint32_t* sites;       // target vectors
};

// Sites [begin, end) of hopping.sites. By one thread.
void hop(const Hopping<float>& hopping, std::int64_t begin, std::int64_t end);
void hop(const Hopping<double>& hopping, std::int64_t begin, std::int64_t end);

// The half spinors of a face, as a neighbouring rank needs them.
template <typename Real>
struct Faces {
  const Real* in;              // the field that is sent, of the parity of `sites`
  const std::uint32_t* sites;  // of the face
  Real* ghosts;   // that come from the opposite direction: this rank needs the same half spinors of
                  // a cut axis, since the end of one half lies beside the other half
  Real* message;  // message_numbers() a vector
  int direction;  // that the message goes
  bool dagger;
  int lanes;
  int lane_bit;  // of the axis
};

// Numbers of all lanes together in the message of one vector.
constexpr int message_numbers(int lanes, int lane_bit) {
  return lane_bit < 0 ? half_spinor_numbers * lanes : half_spinor_numbers * lanes / 2;
}

void pack(const Faces<float>& faces, std::int64_t begin, std::int64_t end);
void pack(const Faces<double>& faces, std::int64_t begin, std::int64_t end);
// Completes `ghosts` by a message that has gone in `direction`.
void unpack(const Faces<float>& faces, std::int64_t begin, std::int64_t end);
void unpack(const Faces<double>& faces, std::int64_t begin, std::int64_t end);

// Lanes of the widest vector of this processor, by bytes of a number (4 or 8).
int most_lanes(int number_bytes);
// The instruction set that is used: "AVX3", "AVX2", ...
std::string vector_target();

}  // namespace hakaru::apps::lattice_qcd
