// Sends a panel along a row of the grid, as route.hpp says.
#pragma once

#include <vector>

#include "apps/linpack/panel.hpp"
#include "apps/linpack/route.hpp"
#include "native/parallel/communicator.hpp"

namespace hakaru::apps::linpack {

inline constexpr int tag_panel = 1, tag_piece = 2, tag_roll = 3;

// How many of its columns a rank updates before it passes the next panel on (0: it does not): who
// is farther from the panel does so later, so that nobody waits.
std::int64_t columns_before_forward(const Problem& problem, std::int64_t next, int column,
                                    Columns columns);

class Passing {
 public:
  Passing(Route route, const parallel::Communicator& row);

  // The panel is on rank `root` of the row; it must stay where it is until release().
  void start(Panel& panel, int root);
  // Whoever others wait for gets the panel and passes it on; the others go on computing.
  void forward();
  // Has the panel, and has passed it on.
  void finish();
  void release();

 private:
  void send(double* data, std::int64_t count, int place, int tag);
  void receive(double* data, std::int64_t count, int place, int tag);
  int rank_at(int place) const { return (root_ + place) % row_.size(); }
  void take();
  void give_pieces();
  void finish_pieces();
  void roll();

  Route route_;
  const parallel::Communicator& row_;
  Panel* panel_ = nullptr;
  int root_ = 0;
  Stop stop_;
  Spread spread_;
  MPI_Request incoming_ = MPI_REQUEST_NULL;
  std::vector<MPI_Request> outgoing_;
};

}  // namespace hakaru::apps::linpack
