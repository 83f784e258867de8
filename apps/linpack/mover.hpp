// Moves rows along a column of the grid, so that U stands on all of its ranks.
#pragma once

#include <vector>

#include "apps/linpack/matrix.hpp"
#include "apps/linpack/rows.hpp"
#include "native/parallel/communicator.hpp"

namespace hakaru::apps::linpack {

inline constexpr int tag_rows = 4;

class Mover {
 public:
  Mover(const Problem& problem, int row, const parallel::Communicator& column)
      : problem_(problem), row_(row), column_(column) {}

  // On one process row: in place.
  static void swap_in_place(const Problem& problem, Panel& panel, LocalMatrix& matrix,
                            Columns columns);
  // U (width x columns.count(), by rows) before L's inverse is applied; rows that were displaced
  // are written where they belong. U stays valid until the next call.
  double* move(Panel& panel, LocalMatrix& matrix, Columns columns);

 private:
  void load(const RowMoves& moves, const LocalMatrix& matrix, Columns columns);
  void exchange(const RowMoves& moves, std::int64_t width, std::int64_t columns);
  void pack(const Cargo& cargo, Columns slice);
  void unpack(const Cargo& cargo, Columns slice);
  double* upper(std::int64_t i) { return upper_.data() + i * count_; }
  double* displaced(std::int64_t i) { return displaced_.data() + i * count_; }

  const Problem& problem_;
  int row_;
  const parallel::Communicator& column_;
  int place_ = 0;  // from the diagonal's
  std::int64_t j_ = 0;
  std::int64_t count_ = 0;
  std::vector<double> upper_, displaced_, outgoing_, incoming_;
};

}  // namespace hakaru::apps::linpack
