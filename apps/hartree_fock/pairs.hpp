// Pairs of shells, expanded in Hermite Gaussians and laid out so that a vector register holds the
// same number of several pairs.
#pragma once

#include <vector>

#include "apps/hartree_fock/basis.hpp"
#include "apps/hartree_fock/hermite.hpp"
#include "native/base/aligned.hpp"

namespace hakaru::apps::hartree_fock {

// Shells by index; the first has p functions if one has.
struct ShellPair {
  int first, second;
};

// What the repulsion of two charge clouds has in front, 2 pi^(5/2) / (p q sqrt(p + q)), gives each
// pair sqrt(2) pi^(5/4) / p.
extern const double coulomb_factor;

// Pairs of one type and one number of primitives, in an order. `lanes` pairs that follow each other
// are a batch; the last batch is filled up with pairs whose coefficients are zero.
class PairList {
 public:
  PairList() = default;
  PairList(const Basis& basis, int type, std::vector<ShellPair> pairs);

  int type() const { return type_; }
  int size() const { return static_cast<int>(pairs_.size()); }
  int batches() const { return (size() + lanes - 1) / lanes; }
  const ShellPair& pair(int position) const { return pairs_[position]; }

  // Primitive pairs that any pair of the batch needs.
  int primitives(int batch) const { return primitives_[batch]; }
  // Of each: exponent p, centre x, y, z, then the coefficients in the order of terms<type>, with
  // the contraction's and coulomb_factor / p.
  const Lanes* primitive(int batch, int which) const {
    return data_.data() + (first_[batch] + static_cast<std::size_t>(which)) * record_;
  }
  static constexpr int exponent = 0, centre = 1, coefficients = 4;

 private:
  void fill(const Basis& basis, int position);

  int type_ = 0;
  std::size_t record_ = 0;  // Lanes of a primitive pair
  std::vector<ShellPair> pairs_;
  std::vector<int> primitives_;
  std::vector<std::size_t> first_;  // primitive pairs before a batch
  base::AlignedArray<Lanes> data_;
};

// All pairs of shells in lists of one type and one number of primitives each, types 0 to 2; within
// a list in the order of shells.
std::vector<std::vector<ShellPair>> group_pairs(const Basis& basis);
int type_of(const Basis& basis, const ShellPair& pair);

}  // namespace hakaru::apps::hartree_fock
