#include "apps/linpack/panel.hpp"

#include <algorithm>
#include <cmath>

#include "apps/linpack/phases.hpp"

namespace hakaru::apps::linpack {
namespace {

constexpr std::int64_t magnitude = 0, place = 1, has_current = 2, rows_begin = 3;

// Of two messages: the larger pivot, the upper one of equal ones; the current row from who has it.
void larger_pivot(void* from, void* into, int* count, MPI_Datatype* type) {
  int bytes = 0;
  MPI_Type_size(*type, &bytes);
  const std::int64_t doubles = bytes / static_cast<int>(sizeof(double));
  const std::int64_t width = (doubles - rows_begin) / 2;
  const auto* a = static_cast<const double*>(from);
  auto* b = static_cast<double*>(into);
  for (int n = 0; n < *count; ++n, a += doubles, b += doubles) {
    if (a[magnitude] > b[magnitude] || (a[magnitude] == b[magnitude] && a[place] < b[place])) {
      b[magnitude] = a[magnitude];
      b[place] = a[place];
      std::copy_n(a + rows_begin, width, b + rows_begin);
    }
    if (a[has_current] == 0.0) continue;
    b[has_current] = 1.0;
    std::copy_n(a + rows_begin + width, width, b + rows_begin + width);
  }
}

MPI_Op pivot_operation() {
  static MPI_Op made = MPI_OP_NULL;
  if (made == MPI_OP_NULL) HAKARU_MPI(MPI_Op_create(larger_pivot, 1, &made));
  return made;
}

void copy_out(const LocalMatrix& matrix, std::int64_t first_row, std::int64_t first_column,
              Panel& panel) {
  constexpr std::int64_t strip = 8;
  const std::int64_t rows = panel.rows(), width = panel.width();
#pragma omp parallel for if (rows > 2048)
  for (std::int64_t begin = 0; begin < rows; begin += strip) {
    const std::int64_t end = std::min(begin + strip, rows);
    for (std::int64_t k = 0; k < width; ++k)
      for (std::int64_t i = begin; i < end; ++i)
        panel.data()[k * rows + i] = matrix.row(first_row + i)[first_column + k];
  }
}

}  // namespace

PanelFactorisation::PanelFactorisation(const Problem& problem, int row,
                                       const parallel::Communicator& column, base::Phases& phases)
    : problem_(problem),
      row_(row),
      column_(column),
      phases_(phases),
      pivot_phase_(phases.index(phase::pivot)),
      message_(static_cast<std::size_t>(pivot_doubles(problem.nb))) {
  if (column.size() == 1) return;
  operation_ = pivot_operation();
  HAKARU_MPI(MPI_Type_contiguous(static_cast<int>(message_.size()), MPI_DOUBLE, &type_));
  HAKARU_MPI(MPI_Type_commit(&type_));
}

PanelFactorisation::~PanelFactorisation() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (type_ != MPI_DATATYPE_NULL && !finalized) MPI_Type_free(&type_);
}

void PanelFactorisation::run(Panel& panel, LocalMatrix& matrix, std::int64_t first_row,
                             std::int64_t first_column) {
  panel_ = &panel;
  first_row_ = first_row;
  diagonal_ = problem_.row_of(panel.j()) == row_;
  copy_out(matrix, first_row, first_column, panel);
  factorise(0, panel.width());
  if (!diagonal_) return;
  const Columnwise top = panel.top();
  for (std::int64_t i = 0; i < panel.width(); ++i)
    for (std::int64_t k = i; k < panel.width(); ++k)
      matrix.row(first_row + i)[first_column + k] = top.data[k * top.stride + i];
}

void PanelFactorisation::factorise(std::int64_t begin, std::int64_t end) {
  if (end - begin <= widest_leaf) return leaf(begin, end);
  const std::int64_t middle = begin + split_of(end - begin);
  factorise(begin, middle);
  const Columnwise top = panel_->top(), lower = panel_->lower();
  const auto at = [](Columnwise all, std::int64_t i, std::int64_t k) {
    return Columnwise{all.data + k * all.stride + i, all.stride};
  };
  const std::int64_t done = middle - begin, width = end - middle, first = active(middle);
  solve_unit_lower(done, width, at(top, begin, begin), at(top, begin, middle));
  subtract_product(panel_->rows() - first, width, done, at(lower, first, begin),
                   at(top, begin, middle), at(lower, first, middle));
  factorise(middle, end);
}

void PanelFactorisation::leaf(std::int64_t begin, std::int64_t end) {
  for (std::int64_t k = begin; k < end; ++k) eliminate_column(begin, k);
}

// Columns of a leaf are brought up to date one by one, when their turn comes.
void PanelFactorisation::eliminate_column(std::int64_t begin, std::int64_t k) {
  const Columnwise top = panel_->top(), lower = panel_->lower();
  const std::int64_t first = active(k), rows = panel_->rows() - first;
  double* target = lower.data + k * lower.stride + first;
  double* factors = top.data + k * top.stride + begin;
  solve_unit_lower(k - begin, 1, {top.data + begin * top.stride + begin, top.stride},
                   {factors, top.stride});
  const std::int64_t found =
      subtract_columns(rows, static_cast<int>(k - begin),
                       {lower.data + begin * lower.stride + first, lower.stride}, factors, target);
  // The current row in `top` is not up to date in this column alone: the exchange brings it.
  exchange_pivot(k, found < 0 ? -1 : found + first);
  const double pivot = top.data[k * top.stride + k];
  const double scale = pivot != 0.0 ? 1.0 / pivot : 0.0;
  const std::int64_t below = active(k + 1);
  double* column = lower.data + k * lower.stride;
#pragma omp simd
  for (std::int64_t i = below; i < panel_->rows(); ++i) column[i] *= scale;
}

// Row k of the panel becomes the row of the largest element; what stood there goes where that was.
void PanelFactorisation::exchange_pivot(std::int64_t k, std::int64_t found) {
  const Columnwise top = panel_->top(), lower = panel_->lower();
  const std::int64_t width = panel_->width();
  double *pivot_row = message_.data() + rows_begin, *current_row = pivot_row + problem_.nb;
  message_[magnitude] = found < 0 ? -1.0 : std::abs(lower.data[k * lower.stride + found]);
  const auto global = [&](std::int64_t i) {
    return global_index(first_row_ + i, problem_.nb, row_, problem_.grid.rows);
  };
  message_[place] = static_cast<double>(found < 0 ? problem_.n : global(found));
  message_[has_current] = diagonal_ ? 1.0 : 0.0;
  for (std::int64_t c = 0; c < width; ++c) {
    if (found >= 0) pivot_row[c] = lower.data[c * lower.stride + found];
    if (diagonal_) current_row[c] = lower.data[c * lower.stride + k];
  }
  combine();
  const bool own = found >= 0 && static_cast<double>(global(found)) == message_[place];
  for (std::int64_t c = 0; c < width; ++c) {
    top.data[c * top.stride + k] = pivot_row[c];
    if (own) lower.data[c * lower.stride + found] = current_row[c];
  }
  panel_->pivots()[k] = message_[place];
}

void PanelFactorisation::combine() {
  if (column_.size() == 1) return;
  auto scope = phases_.scope(pivot_phase_);
  HAKARU_MPI(MPI_Allreduce(MPI_IN_PLACE, message_.data(), 1, type_, operation_, column_.handle()));
}

}  // namespace hakaru::apps::linpack
