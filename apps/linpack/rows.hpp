// How the rows of a panel's pivots change places along a column of P ranks, so that the same bytes
// are sent whatever the pivots are.
//
// A rank other than the diagonal's that gives c pivot rows to U gets c rows back that stood at the
// top: so U's rows that it does not have and the rows that it gets are `width` together, and every
// message holds at most `width` rows. It is sent as long as that.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/linpack/panel.hpp"
#include "apps/linpack/problem.hpp"

namespace hakaru::apps::linpack {

// Places count from the rank of the diagonal: place 0.
struct RowMoves {
  struct Upper {
    int place;           // who has the row that becomes row i of U
    std::int64_t local;  // its row there
  };
  struct Displaced {
    std::int64_t top;    // row of the block that goes ...
    int place;           // ... to this place ...
    std::int64_t local;  // ... and row
  };
  std::vector<Upper> upper;  // width
  std::vector<Displaced> displaced;
};
RowMoves row_moves(const Problem& problem, Panel& panel);

// One exchange: with whom (places; -1: nobody), and which columns of so many.
struct Round {
  int to = -1, from = -1;
  Columns out{0, 0}, in{0, 0};
};
// Rounds in the order in which a place does them. A message is width x columns doubles.
std::vector<Round> rounds_of(Swap swap, int place, int places, std::int64_t columns);

// Which rows round `number` takes from `place` to `to`: first rows of U, then displaced ones.
struct Cargo {
  std::vector<std::int64_t> upper;      // indices into RowMoves::upper
  std::vector<std::int64_t> displaced;  // indices into RowMoves::displaced
};
Cargo cargo_of(Swap swap, const RowMoves& moves, int places, int number, int place, int to);

}  // namespace hakaru::apps::linpack
