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
  const std::int64_t rows = panel.rows();
#pragma omp parallel for if (rows > rows_worth_threads)
  for (std::int64_t i = 0; i < rows; ++i)
    std::copy_n(matrix.row(first_row + i) + first_column, panel.width(),
                panel.lower().at(i, 0).data);
}

}  // namespace

PanelFactorisation::PanelFactorisation(const Problem& problem, int row,
                                       const parallel::Communicator& column, base::Phases& phases)
    : problem_(problem),
      row_(row),
      column_(column),
      phases_(phases),
      pivot_phase_(phases.index(phase::pivot)),
      leaf_(problem.rows_below(problem.n, row)),
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
  for (std::int64_t i = 0; i < panel.width(); ++i)
    std::copy_n(panel.top().at(i, i).data, panel.width() - i,
                matrix.row(first_row + i) + first_column + i);
}

void PanelFactorisation::factorise(std::int64_t begin, std::int64_t end) {
  if (end - begin <= widest_leaf) return leaf(begin, end);
  const std::int64_t middle = begin + split_of(end - begin);
  factorise(begin, middle);
  const Rowwise top = panel_->top(), lower = panel_->lower();
  const std::int64_t done = middle - begin, width = end - middle, first = active(middle);
  solve_unit_lower(done, width, top.at(begin, begin), top.at(begin, middle));
  subtract_product(panel_->rows() - first, width, done, lower.at(first, begin),
                   top.at(begin, middle), lower.at(first, middle));
  factorise(middle, end);
}

void PanelFactorisation::leaf(std::int64_t begin, std::int64_t end) {
  leaf_.load(panel_->lower(), active(begin), panel_->rows(), begin, end);
  for (std::int64_t k = begin; k < end; ++k) eliminate_column(begin, k);
  leaf_.store(panel_->lower());
}

// Columns of a leaf are brought up to date one by one, when their turn comes.
void PanelFactorisation::eliminate_column(std::int64_t begin, std::int64_t k) {
  const Rowwise top = panel_->top();
  const std::int64_t first = active(k), rows = panel_->rows() - first, count = k - begin;
  solve_unit_lower(count, 1, top.at(begin, begin), top.at(begin, k));
  double factors[widest_leaf];
  for (std::int64_t p = 0; p < count; ++p) factors[p] = *top.at(begin + p, k).data;
  double* column = leaf_.column(k);
  const std::int64_t found =
      subtract_columns(rows, static_cast<int>(count), leaf_.column(begin) + first, leaf_.stride(),
                       factors, column + first);
  // The current row in `top` is not up to date in this column alone: the exchange brings it.
  exchange_pivot(k, found < 0 ? -1 : found + first);
  const double pivot = *top.at(k, k).data;
  const double scale = pivot != 0.0 ? 1.0 / pivot : 0.0;
#pragma omp simd
  for (std::int64_t i = active(k + 1); i < panel_->rows(); ++i) column[i] *= scale;
}

// Row k of the panel becomes the row of the largest element; what stood there goes where that was.
void PanelFactorisation::exchange_pivot(std::int64_t k, std::int64_t found) {
  const Rowwise top = panel_->top(), lower = panel_->lower();
  const std::int64_t width = panel_->width();
  double *pivot_row = message_.data() + rows_begin, *current_row = pivot_row + problem_.nb;
  message_[magnitude] = found < 0 ? -1.0 : std::abs(leaf_.column(k)[found]);
  const auto global = [&](std::int64_t i) {
    return global_index(first_row_ + i, problem_.nb, row_, problem_.grid.rows);
  };
  message_[place] = static_cast<double>(found < 0 ? problem_.n : global(found));
  message_[has_current] = diagonal_ ? 1.0 : 0.0;
  if (found >= 0) leaf_.row_out(lower, found, width, pivot_row);
  if (diagonal_) leaf_.row_out(lower, k, width, current_row);
  combine();
  const bool own = found >= 0 && static_cast<double>(global(found)) == message_[place];
  std::copy_n(pivot_row, width, top.at(k, 0).data);
  if (own) leaf_.row_in(lower, found, width, current_row);
  panel_->pivots()[k] = message_[place];
}

void PanelFactorisation::combine() {
  if (column_.size() == 1) return;
  auto scope = phases_.scope(pivot_phase_);
  HAKARU_MPI(MPI_Allreduce(MPI_IN_PLACE, message_.data(), 1, type_, operation_, column_.handle()));
}

}  // namespace hakaru::apps::linpack
