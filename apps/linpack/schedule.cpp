#include "apps/linpack/schedule.hpp"

#include <array>
#include <vector>

#include "apps/linpack/elimination.hpp"
#include "apps/linpack/mover.hpp"
#include "apps/linpack/panel.hpp"
#include "apps/linpack/passing.hpp"
#include "apps/linpack/phases.hpp"
#include "apps/linpack/work.hpp"

namespace hakaru::apps::linpack {
namespace {

using schedule::Collective;
using schedule::RankWriter;

constexpr std::uint64_t bytes_of(std::int64_t doubles) {
  return 8 * static_cast<std::uint64_t>(doubles);
}

// Passing, as operations.
class WrittenPassing {
 public:
  WrittenPassing(RankWriter& writer, const Problem& problem) : writer_(writer), p_(problem) {}

  void start(std::int64_t doubles, int root) {
    doubles_ = doubles, root_ = root;
    const int places = p_.grid.columns;
    place_ = (p_.grid.column_of(writer_.rank()) - root + places) % places;
    stop_ = stop_of(p_.route, place_, places);
    if (in_pieces(p_.route)) spread_ = spread_of(p_.route, place_, places);
    if (stop_.parent >= 0)
      incoming_ = writer_.ireceive(rank_at(stop_.parent), tag_panel, bytes_of(doubles_), family());
    else if (place_ == 0)
      send_whole();
    if (in_pieces(p_.route) && place_ == 0) give_pieces();
  }
  void forward() {
    if (!stop_.children.empty()) take();
  }
  void take() {
    if (incoming_ < 0) return;
    writer_.wait(incoming_);
    incoming_ = -1;
    send_whole();
  }
  void finish() {
    take();
    if (!in_pieces(p_.route) || spread_.self < 0) return;
    if (spread_.parent >= 0) {
      const base::Share part = pieces_share(doubles_, spread_.own, spread_.members);
      writer_.wait(
          writer_.ireceive(member(spread_.parent), tag_piece, bytes_of(part.count), family()));
      give_pieces();
    }
    roll();
  }
  void release() {
    for (const std::int32_t request : outgoing_) writer_.wait(request);
    outgoing_.clear();
  }

 private:
  std::uint32_t family() const { return schedule_family_; }
  std::int32_t rank_at(int place) const {
    return p_.grid.row_of(writer_.rank()) * p_.grid.columns + (root_ + place) % p_.grid.columns;
  }
  std::int32_t member(int one) const { return rank_at(place_of_member(p_.route, one)); }
  void send_whole() {
    for (const int child : stop_.children)
      outgoing_.push_back(writer_.isend(rank_at(child), tag_panel, bytes_of(doubles_), family()));
  }
  void give_pieces() {
    for (std::size_t i = 0; i < spread_.children.size(); ++i) {
      const base::Share part = pieces_share(doubles_, spread_.given[i], spread_.members);
      outgoing_.push_back(
          writer_.isend(member(spread_.children[i]), tag_piece, bytes_of(part.count), family()));
    }
  }
  void roll() {
    const int members = spread_.members, self = spread_.self;
    for (int step = 0; step + 1 < members; ++step) {
      const int given = (self - step + members) % members;
      const int taken = (given + members - 1) % members;
      const base::Share out = pieces_share(doubles_, {given, given + 1}, members);
      const base::Share in = pieces_share(doubles_, {taken, taken + 1}, members);
      writer_.send_receive(member((self + 1) % members), bytes_of(out.count),
                           member((self + members - 1) % members), bytes_of(in.count), tag_roll,
                           family());
    }
  }

  RankWriter& writer_;
  const Problem& p_;
  std::uint32_t schedule_family_ = writer_.split("rows", [this](std::int32_t rank) {
    return static_cast<std::int32_t>(p_.grid.row_of(rank));
  });
  std::int64_t doubles_ = 0;
  int root_ = 0, place_ = 0;
  Stop stop_;
  Spread spread_;
  std::int32_t incoming_ = -1;
  std::vector<std::int32_t> outgoing_;
};

// The solver, as operations.
class Writer {
 public:
  Writer(RankWriter& writer, const Problem& problem)
      : writer_(writer),
        p_(problem),
        my_row_(p_.grid.row_of(writer.rank())),
        my_column_(p_.grid.column_of(writer.rank())),
        rows_(p_.rows_below(p_.n, my_row_)),
        columns_(writer.split("columns",
                              [this](std::int32_t rank) {
                                return static_cast<std::int32_t>(p_.grid.column_of(rank));
                              })),
        passings_{WrittenPassing(writer, p_), WrittenPassing(writer, p_)} {}

  void repetition() {
    writer_.phase(phase::generate, [&] {
      writer_.compute(
          work::generate(double(rows_) * double(p_.columns_below(p_.n + 1, my_column_))));
    });
    eliminate(p_, *this);
    if (p_.whole()) writer_.phase(phase::solve, [&] { substitute(); });
  }

  int column() const { return my_column_; }

  void panel(std::int64_t j) {
    writer_.phase(phase::panel, [&] {
      panel_rows_ = rows_ - p_.rows_below(p_.begin(j), my_row_);
      diagonal_ = p_.row_of(j) == my_row_;
      const auto width = p_.width(j);
      writer_.compute(work::copy(double(panel_rows_) * double(width)));
      factorise(0, width);
    });
  }
  void start(std::int64_t j) {
    const std::int64_t rows = rows_ - p_.rows_below(p_.begin(j), my_row_);
    passing(j, [&](WrittenPassing& passing) {
      passing.start(Panel::doubles_of(rows, p_.width(j)), p_.column_of(j));
    });
  }
  void finish(std::int64_t j) {
    passing(j, [](WrittenPassing& passing) { passing.finish(); });
  }
  void release(std::int64_t j) {
    passing(j, [](WrittenPassing& passing) { passing.release(); });
  }
  void update(std::int64_t j, Columns columns, std::int64_t next) {
    const std::int64_t first = next < 0 ? 0 : columns_before_forward(p_, next, my_column_, columns);
    writer_.phase(phase::swap, [&] { swap_rows(j, columns); });
    writer_.phase(phase::update, [&] {
      solve_upper(j, columns);
      subtract(j, first);
    });
    if (next >= 0) passing(next, [](WrittenPassing& passing) { passing.forward(); });
    writer_.phase(phase::update, [&] { subtract(j, columns.count() - first); });
  }

 private:
  template <typename Body>
  void passing(std::int64_t j, const Body& body) {
    writer_.phase(phase::broadcast, [&] { body(passings_[static_cast<std::size_t>(j % 2)]); });
  }

  double active(std::int64_t done) const {
    return double(panel_rows_ - (diagonal_ ? std::min(done, panel_rows_) : 0));
  }

  void factorise(std::int64_t begin, std::int64_t end) {
    if (end - begin <= widest_leaf) return leaf(begin, end);
    const std::int64_t middle = begin + split_of(end - begin);
    factorise(begin, middle);
    const auto done = double(middle - begin), width = double(end - middle);
    writer_.compute(
        work::sum(work::triangle(done, width), work::product(active(middle), width, done)));
    factorise(middle, end);
  }

  // Its columns differ by a few operations: each has their mean.
  void leaf(std::int64_t begin, std::int64_t end) {
    work::Work all{};
    for (std::int64_t k = begin; k < end; ++k)
      all = work::sum(all, work::column(active(k), double(k - begin)));
    if (p_.grid.rows == 1) return writer_.compute(all);
    writer_.repeat(static_cast<std::uint64_t>(end - begin), [&] {
      writer_.compute(work::times(1.0 / double(end - begin), all));
      writer_.phase(phase::pivot, [&] {
        writer_.collective(Collective::allreduce, bytes_of(pivot_doubles(p_.nb)), columns_);
      });
    });
  }

  void swap_rows(std::int64_t j, Columns columns) {
    const int places = p_.grid.rows, diagonal = p_.row_of(j);
    const std::int64_t width = p_.width(j), count = columns.count();
    if (places == 1) return writer_.compute(work::exchange(double(width) * double(count)));
    const auto rank = [&](int place) {
      return place < 0 ? -1 : (place + diagonal) % places * p_.grid.columns + my_column_;
    };
    const int place = (my_row_ - diagonal + places) % places;
    writer_.compute(work::copy(double(width) * double(count)));
    for (const Round& round : rounds_of(p_.swap, place, places, count)) {
      if (round.to < 0 && round.from < 0) continue;
      writer_.send_receive(rank(round.to), bytes_of(width * round.out.count()), rank(round.from),
                           bytes_of(width * round.in.count()), tag_rows, columns_);
      writer_.compute(work::copy(double(width) * double((round.to < 0 ? 0 : round.out.count()) +
                                                        (round.from < 0 ? 0 : round.in.count()))));
    }
  }

  void solve_upper(std::int64_t j, Columns columns) {
    const auto width = double(p_.width(j)), count = double(columns.count());
    if (columns.count() == 0) return;
    work::Work all = work::triangle(width, count);
    if (p_.grid.rows > 1 && p_.row_of(j) == my_row_)
      all = work::sum(all, work::copy(width * count));
    writer_.compute(all);
  }

  void subtract(std::int64_t j, std::int64_t count) {
    const std::int64_t m = rows_ - p_.rows_below(p_.begin(j + 1), my_row_);
    if (m > 0 && count > 0)
      writer_.compute(work::product(double(m), double(count), double(p_.width(j))));
  }

  void substitute() {
    const std::uint32_t rows_family = writer_.split("rows", [this](std::int32_t rank) {
      return static_cast<std::int32_t>(p_.grid.row_of(rank));
    });
    for (std::int64_t j = p_.steps() - 1; j >= 0; --j) {
      const std::uint64_t bytes = bytes_of(p_.width(j));
      const bool own_row = p_.row_of(j) == my_row_, own_column = p_.column_of(j) == my_column_;
      if (own_row && p_.grid.columns > 1)
        collective(Collective::reduce, bytes, rows_family, p_.column_of(j));
      if (!own_column) continue;
      const auto width = double(p_.width(j));
      if (own_row) writer_.compute(work::triangle(width, 1));
      if (p_.grid.rows > 1) collective(Collective::broadcast, bytes, columns_, p_.row_of(j));
      const auto above = double(p_.rows_below(p_.begin(j), my_row_));
      if (above > 0) writer_.compute(work::rows_times_vector(above, width));
    }
  }

  void collective(Collective what, std::uint64_t bytes, std::uint32_t family, int root) {
    writer_.phase(phase::substitution, [&] { writer_.collective(what, bytes, family, root); });
  }

  RankWriter& writer_;
  const Problem& p_;
  int my_row_, my_column_;
  std::int64_t rows_, panel_rows_ = 0;
  bool diagonal_ = false;
  std::uint32_t columns_;  // the family of process columns
  std::array<WrittenPassing, 2> passings_;
};

}  // namespace

harness::RankSchedule rank_schedule(const Problem& problem) {
  return [problem](RankWriter& writer) { Writer(writer, problem).repetition(); };
}

base::Work size_of(const Problem& p) {
  const double n = double(p.n), nb = double(p.nb), rows = p.grid.rows, columns = p.grid.columns;
  const double panels = 2.0 * (n * nb * columns + nb * nb * rows * columns);
  const double moves = p.grid.rows > 1 ? 4.0 * nb * n * rows : 0.0;
  return {n, 8.0 * (n * (n + 1.0) + panels + moves + 2.0 * n * rows * columns), {}};
}

}  // namespace hakaru::apps::linpack
