#include "apps/linpack/passing.hpp"

#include "native/base/share.hpp"

namespace hakaru::apps::linpack {

std::int64_t columns_before_forward(const Problem& problem, std::int64_t next, int column,
                                    Columns columns) {
  const int places = problem.grid.columns;
  const int place = (column - problem.column_of(next) + places) % places;
  const Stop stop = stop_of(problem.route, place, places);
  if (stop.parent < 0 || stop.children.empty()) return 0;
  const double share = 0.2 + 0.7 * (stop.depth - 1) / stop.deepest;
  return static_cast<std::int64_t>(share * static_cast<double>(columns.count())) / 8 * 8;
}

Passing::Passing(Route route, const parallel::Communicator& row) : route_(route), row_(row) {}

void Passing::send(double* data, std::int64_t count, int place, int tag) {
  outgoing_.push_back(MPI_REQUEST_NULL);
  HAKARU_MPI(MPI_Isend(data, static_cast<int>(count), MPI_DOUBLE, rank_at(place), tag,
                       row_.handle(), &outgoing_.back()));
}

void Passing::receive(double* data, std::int64_t count, int place, int tag) {
  HAKARU_MPI(MPI_Irecv(data, static_cast<int>(count), MPI_DOUBLE, rank_at(place), tag,
                       row_.handle(), &incoming_));
}

void Passing::start(Panel& panel, int root) {
  panel_ = &panel;
  root_ = root;
  const int places = row_.size(), place = (row_.rank() - root + places) % places;
  stop_ = stop_of(route_, place, places);
  if (in_pieces(route_)) spread_ = spread_of(route_, place, places);
  if (stop_.parent >= 0)
    receive(panel.data(), panel.doubles(), stop_.parent, tag_panel);
  else if (place == 0)
    for (const int child : stop_.children) send(panel.data(), panel.doubles(), child, tag_panel);
  if (in_pieces(route_) && place == 0) give_pieces();
}

void Passing::forward() {
  if (!stop_.children.empty()) take();
}

void Passing::take() {
  if (incoming_ == MPI_REQUEST_NULL) return;
  HAKARU_MPI(MPI_Wait(&incoming_, MPI_STATUS_IGNORE));
  for (const int child : stop_.children) send(panel_->data(), panel_->doubles(), child, tag_panel);
}

void Passing::finish() {
  take();
  if (in_pieces(route_) && spread_.self >= 0) finish_pieces();
}

void Passing::release() {
  HAKARU_MPI(
      MPI_Waitall(static_cast<int>(outgoing_.size()), outgoing_.data(), MPI_STATUSES_IGNORE));
  outgoing_.clear();
}

void Passing::give_pieces() {
  for (std::size_t i = 0; i < spread_.children.size(); ++i) {
    const Pieces pieces = spread_.given[i];
    const base::Share part = pieces_share(panel_->doubles(), pieces, spread_.members);
    send(panel_->data() + part.first, part.count, place_of_member(route_, spread_.children[i]),
         tag_piece);
  }
}

void Passing::finish_pieces() {
  if (spread_.parent >= 0) {
    const base::Share part = pieces_share(panel_->doubles(), spread_.own, spread_.members);
    receive(panel_->data() + part.first, part.count, place_of_member(route_, spread_.parent),
            tag_piece);
    HAKARU_MPI(MPI_Wait(&incoming_, MPI_STATUS_IGNORE));
    give_pieces();
  }
  roll();
}

void Passing::roll() {
  const int members = spread_.members, self = spread_.self;
  const int after = rank_at(place_of_member(route_, (self + 1) % members));
  const int before = rank_at(place_of_member(route_, (self + members - 1) % members));
  for (int step = 0; step + 1 < members; ++step) {
    const int given = (self - step + members) % members;
    const int taken = (given + members - 1) % members;
    const base::Share out = pieces_share(panel_->doubles(), {given, given + 1}, members);
    const base::Share in = pieces_share(panel_->doubles(), {taken, taken + 1}, members);
    HAKARU_MPI(MPI_Sendrecv(panel_->data() + out.first, static_cast<int>(out.count), MPI_DOUBLE,
                            after, tag_roll, panel_->data() + in.first, static_cast<int>(in.count),
                            MPI_DOUBLE, before, tag_roll, row_.handle(), MPI_STATUS_IGNORE));
  }
}

}  // namespace hakaru::apps::linpack
