// A panel of nb columns and its factorisation with partial pivoting, recursive to the right, over
// the ranks of a process column.
//
// Rows that were pivots stand in `top` on every rank of the column, so that nothing is sent but one
// maximum with its row for each column.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/linpack/kernels.hpp"
#include "apps/linpack/leaf.hpp"
#include "apps/linpack/matrix.hpp"
#include "apps/linpack/problem.hpp"
#include "native/base/aligned.hpp"
#include "native/base/phases.hpp"
#include "native/parallel/communicator.hpp"

namespace hakaru::apps::linpack {

// As it is sent: rows x width, then top (width x width: L below the diagonal, U on and above it),
// both by rows, then the pivots' global rows. On the process row of the diagonal the first `width`
// rows are dead.
class Panel {
 public:
  Panel() = default;
  explicit Panel(std::int64_t most_doubles) : data_(static_cast<std::size_t>(most_doubles)) {}

  void shape(std::int64_t j, std::int64_t rows, std::int64_t width) {
    j_ = j, rows_ = rows, width_ = width;
  }
  std::int64_t j() const { return j_; }
  std::int64_t rows() const { return rows_; }
  std::int64_t width() const { return width_; }
  std::int64_t doubles() const { return doubles_of(rows_, width_); }
  static std::int64_t doubles_of(std::int64_t rows, std::int64_t width) {
    return rows * width + width * width + width;
  }
  double* data() { return data_.data(); }
  Rowwise lower() { return {data(), width_}; }
  Rowwise top() { return {data() + rows_ * width_, width_}; }
  double* pivots() { return data() + rows_ * width_ + width_ * width_; }
  std::int64_t pivot(std::int64_t k) { return static_cast<std::int64_t>(pivots()[k]); }

 private:
  base::AlignedArray<double> data_;
  std::int64_t j_ = 0, rows_ = 0, width_ = 0;
};

// Columns of a leaf of the recursion below `width`.
constexpr std::int64_t split_of(std::int64_t width) {
  const std::int64_t leaves = (width + widest_leaf - 1) / widest_leaf;
  return (leaves + 1) / 2 * widest_leaf;
}

// Doubles of one message about a pivot: |pivot|, its row, whether the current row is in it, both
// rows.
constexpr std::int64_t pivot_doubles(std::int64_t nb) { return 3 + 2 * nb; }

class PanelFactorisation {
 public:
  PanelFactorisation(const Problem& problem, int row, const parallel::Communicator& column,
                     base::Phases& phases);
  ~PanelFactorisation();
  PanelFactorisation(const PanelFactorisation&) = delete;
  PanelFactorisation& operator=(const PanelFactorisation&) = delete;

  // Copies panel.j()'s columns out of the matrix, factorises them, and writes U's triangle back.
  void run(Panel& panel, LocalMatrix& matrix, std::int64_t first_row, std::int64_t first_column);

 private:
  void factorise(std::int64_t begin, std::int64_t end);
  void leaf(std::int64_t begin, std::int64_t end);
  void eliminate_column(std::int64_t leaf_begin, std::int64_t k);
  void exchange_pivot(std::int64_t k, std::int64_t found);
  void combine();
  // First row that is not yet a pivot when `done` columns are.
  std::int64_t active(std::int64_t done) const { return diagonal_ ? done : 0; }

  const Problem& problem_;
  int row_;
  const parallel::Communicator& column_;
  base::Phases& phases_;
  int pivot_phase_;
  Panel* panel_ = nullptr;
  std::int64_t first_row_ = 0;  // local
  bool diagonal_ = false;
  Leaf leaf_;
  std::vector<double> message_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;  // of a message
  MPI_Op operation_ = MPI_OP_NULL;
};

}  // namespace hakaru::apps::linpack
