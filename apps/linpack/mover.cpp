#include "apps/linpack/mover.hpp"

#include <algorithm>

namespace hakaru::apps::linpack {
namespace {

constexpr std::int64_t strip = 1024;  // columns that a thread takes at once

}  // namespace

void Mover::swap_in_place(const Problem& problem, Panel& panel, LocalMatrix& matrix,
                          Columns columns) {
  const std::int64_t begin = problem.begin(panel.j());
#pragma omp parallel for if (columns.count() > strip)
  for (std::int64_t first = columns.begin; first < columns.end; first += strip) {
    const std::int64_t count = std::min(strip, columns.end - first);
    for (std::int64_t k = 0; k < panel.width(); ++k) {
      if (panel.pivot(k) == begin + k) continue;
      double* upper = matrix.row(begin + k) + first;
      std::swap_ranges(upper, upper + count, matrix.row(panel.pivot(k)) + first);
    }
  }
}

double* Mover::move(Panel& panel, LocalMatrix& matrix, Columns columns) {
  const int places = problem_.grid.rows;
  place_ = (row_ - problem_.row_of(panel.j()) + places) % places;
  count_ = columns.count();
  j_ = panel.j();
  const RowMoves moves = row_moves(problem_, panel);
  for (auto* buffer : {&upper_, &displaced_, &outgoing_, &incoming_})
    buffer->resize(static_cast<std::size_t>(panel.width() * count_));
  load(moves, matrix, columns);
  exchange(moves, panel.width(), count_);
  for (std::size_t i = 0; i < moves.displaced.size(); ++i)
    if (moves.displaced[i].place == place_)
      std::copy_n(displaced(static_cast<std::int64_t>(i)), count_,
                  matrix.row(moves.displaced[i].local) + columns.begin);
  return upper_.data();
}

void Mover::load(const RowMoves& moves, const LocalMatrix& matrix, Columns columns) {
  for (std::size_t i = 0; i < moves.upper.size(); ++i)
    if (moves.upper[i].place == place_)
      std::copy_n(matrix.row(moves.upper[i].local) + columns.begin, count_,
                  upper(static_cast<std::int64_t>(i)));
  if (place_ != 0) return;
  const std::int64_t top = problem_.rows_below(problem_.begin(j_), row_);
  for (std::size_t i = 0; i < moves.displaced.size(); ++i)
    std::copy_n(matrix.row(top + moves.displaced[i].top) + columns.begin, count_,
                displaced(static_cast<std::int64_t>(i)));
}

void Mover::exchange(const RowMoves& moves, std::int64_t width, std::int64_t columns) {
  const int places = problem_.grid.rows, diagonal = (row_ - place_ + places) % places;
  const auto rank = [&](int place) {
    return place < 0 ? MPI_PROC_NULL : (place + diagonal) % places;
  };
  const std::vector<Round> rounds = rounds_of(problem_.swap, place_, places, columns);
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    const Round& round = rounds[i];
    if (round.to < 0 && round.from < 0) continue;
    const int number = static_cast<int>(i);
    if (round.to >= 0)
      pack(cargo_of(problem_.swap, moves, places, number, place_, round.to), round.out);
    HAKARU_MPI(MPI_Sendrecv(outgoing_.data(), static_cast<int>(width * round.out.count()),
                            MPI_DOUBLE, rank(round.to), tag_rows, incoming_.data(),
                            static_cast<int>(width * round.in.count()), MPI_DOUBLE,
                            rank(round.from), tag_rows, column_.handle(), MPI_STATUS_IGNORE));
    if (round.from >= 0)
      unpack(cargo_of(problem_.swap, moves, places, number, round.from, place_), round.in);
  }
}

void Mover::pack(const Cargo& cargo, Columns slice) {
  double* out = outgoing_.data();
  for (const std::int64_t i : cargo.upper)
    out = std::copy_n(upper(i) + slice.begin, slice.count(), out);
  for (const std::int64_t i : cargo.displaced)
    out = std::copy_n(displaced(i) + slice.begin, slice.count(), out);
}

void Mover::unpack(const Cargo& cargo, Columns slice) {
  const double* in = incoming_.data();
  for (const std::int64_t i : cargo.upper) {
    std::copy_n(in, slice.count(), upper(i) + slice.begin);
    in += slice.count();
  }
  for (const std::int64_t i : cargo.displaced) {
    std::copy_n(in, slice.count(), displaced(i) + slice.begin);
    in += slice.count();
  }
}

}  // namespace hakaru::apps::linpack
