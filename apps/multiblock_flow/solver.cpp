#include "apps/multiblock_flow/solver.hpp"

#include <omp.h>

#include <algorithm>
#include <utility>

#include "apps/multiblock_flow/ghosts.hpp"
#include "apps/multiblock_flow/phases.hpp"

namespace hakaru::apps::multiblock_flow {

Timing::Timing(base::Phases& phases_)
    : phases(phases_),
      start(phases.index(phase::start)),
      flux(phases.index(phase::flux)),
      boundary(phases.index(phase::boundary)),
      halo(phases.index(phase::halo)),
      reduction(phases.index(phase::reduction)),
      output(phases.index(phase::output)) {}

Solver::Solver(const Problem& problem, const Division& division, Scheme scheme, double cfl,
               const parallel::Communicator& ranks, const Timing& timing)
    : problem_(problem),
      scheme_(scheme),
      cfl_(cfl),
      ranks_(ranks),
      timing_(timing),
      exchange_(exchange_of(problem_.topology, division, ranks.rank(), layers_of(scheme))) {
  int longest = 1;
  for (const int number : division.of_rank(ranks_.rank())) {
    blocks_.push_back(make(number, division.blocks[number]));
    const int at = static_cast<int>(blocks_.size()) - 1;
    for (const Tile& tile : tiles_of(blocks_.back().cells)) work_.push_back({at, tile});
    longest = std::max(longest, blocks_.back().cells[0]);
  }
  for (int thread = 0; thread < omp_get_max_threads(); ++thread) workspaces_.emplace_back(longest);
  for (const Peer& peer : exchange_.peers) {
    incoming_.emplace_back(static_cast<std::size_t>(numbers_of(peer.receive)));
    outgoing_.emplace_back(static_cast<std::size_t>(numbers_of(peer.send)));
  }
  requests_.resize(2 * exchange_.peers.size());
}

Local Solver::make(int number, const Block& block) const {
  const Zone& zone = problem_.topology[block.zone];
  const Nodes& nodes = problem_.nodes[block.zone];
  Local local{number, block, {}, {}, metrics_of(nodes, block.cells), {}, {}, {}, {}};
  for (int axis = 0; axis < axes; ++axis) {
    local.cells[axis] = block.cells.size(axis);
    local.has_waves[axis] = zone.cells[axis] > 1;
  }
  local.first = Cells(local.cells), local.now = Cells(local.cells);
  local.next = Cells(local.cells);
  if (stages_of(scheme_) > 1) local.spare = Cells(local.cells);
  // Ghosts that no stage fills are read into lanes that are not kept: of these too, divisions
  // should make sense.
  for (Cells* cells : {&local.first, &local.now, &local.next, &local.spare})
    if (cells->size() > 0) cells->fill(conserved(problem_.inflow));
  for (int k = 0; k < local.cells[2]; ++k)
    for (int j = 0; j < local.cells[1]; ++j)
      for (int i = 0; i < local.cells[0]; ++i) {
        const Index& begin = block.cells.begin;
        const Vector centre = centre_of(nodes, {begin[0] + i, begin[1] + j, begin[2] + k});
        local.first.set({i, j, k}, conserved(problem_.first(centre)));
      }
  return local;
}

// The largest of what `compute(block, tile, workspace)` gives for each tile of this rank.
template <typename Compute>
double Solver::over_tiles(const Compute& compute) {
  double largest = 0.0;
#pragma omp parallel for schedule(static) reduction(max : largest)
  for (std::size_t i = 0; i < work_.size(); ++i)
    largest =
        std::max(largest, compute(blocks_[static_cast<std::size_t>(work_[i].block)], work_[i].tile,
                                  workspaces_[static_cast<std::size_t>(omp_get_thread_num())]));
  return largest;
}

void Solver::agree_on_waves(double largest) {
  auto phase = timing_.in(timing_.reduction);
  largest_wave_ = ranks_.maximum(largest);
}

void Solver::restart() {
  time_ = start_time_;
  double largest;
  {
    auto phase = timing_.in(timing_.start);
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < blocks_.size(); ++i) blocks_[i].now.copy_from(blocks_[i].first);
    largest = over_tiles([](Local& local, const Tile& tile, Workspace&) {
      return waves_of(
          {&local.now, nullptr, nullptr, &local.metrics, 0.0, 1.0, 0.0, true, local.has_waves},
          tile);
    });
  }
  agree_on_waves(largest);
}

// SSP-RK3 of Shu and Osher: q1 = L(q), q2 = 3/4 q + 1/4 L(q1), q = 1/3 q + 2/3 L(q2), with
// L(q) = q + dt R(q).
double Solver::step(double end) {
  const double dt = std::min(cfl_ / largest_wave_, end - time_);
  if (stages_of(scheme_) == 1) {
    stage(&Local::now, &Local::now, &Local::next, 0.0, 1.0, dt, true);
    for (Local& local : blocks_) std::swap(local.now, local.next);
  } else {
    stage(&Local::now, &Local::now, &Local::next, 0.0, 1.0, dt, false);
    stage(&Local::next, &Local::now, &Local::spare, 0.75, 0.25, dt, false);
    stage(&Local::spare, &Local::now, &Local::now, 1.0 / 3.0, 2.0 / 3.0, dt, true);
  }
  time_ += dt;
  return dt;
}

void Solver::stage(Cells Local::*state, Cells Local::*base, Cells Local::*out, double keep,
                   double take, double dt, bool last) {
  exchange(state);
  double largest;
  {
    auto phase = timing_.in(timing_.flux);
    largest = over_tiles([&](Local& local, const Tile& tile, Workspace& workspace) {
      return advance({&(local.*state), &(local.*base), &(local.*out), &local.metrics, keep, take,
                      dt, last, local.has_waves},
                     scheme_, tile, workspace);
    });
  }
  if (last) agree_on_waves(largest);
}

void Solver::exchange(Cells Local::*state) {
  const std::size_t peers = exchange_.peers.size();
  {
    auto phase = timing_.in(timing_.halo);
    for (std::size_t p = 0; p < peers; ++p)
      HAKARU_MPI(MPI_Irecv(incoming_[p].data(), static_cast<int>(incoming_[p].size()), MPI_DOUBLE,
                           exchange_.peers[p].rank, 0, ranks_.handle(), &requests_[p]));
    for (std::size_t p = 0; p < peers; ++p) {
      double* to = outgoing_[p].data();
      for (const Transfer& transfer : exchange_.peers[p].send) {
        const Local& from = local(transfer.from);
        to = pack(transfer, from, from.*state, to);
      }
      HAKARU_MPI(MPI_Isend(outgoing_[p].data(), static_cast<int>(outgoing_[p].size()), MPI_DOUBLE,
                           exchange_.peers[p].rank, 0, ranks_.handle(), &requests_[peers + p]));
    }
  }
  fill_ghosts(state);
  auto phase = timing_.in(timing_.halo);
  HAKARU_MPI(
      MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
  for (std::size_t p = 0; p < peers; ++p) {
    const double* from = incoming_[p].data();
    for (const Transfer& transfer : exchange_.peers[p].receive) {
      Local& to = local(transfer.to);
      from = unpack(transfer, to, to.*state, from);
    }
  }
}

// What needs no message, while messages are under way.
void Solver::fill_ghosts(Cells Local::*state) {
  auto phase = timing_.in(timing_.boundary);
  const int layers = layers_of(scheme_);
  const State inflow = conserved(problem_.inflow);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < exchange_.local.size(); ++i) {
    const Transfer& transfer = exchange_.local[i];
    const Local& from = local(transfer.from);
    Local& to = local(transfer.to);
    copy(transfer, from, from.*state, to, to.*state);
  }
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    apply_boundaries(problem_.topology[blocks_[i].block.zone], blocks_[i], inflow, layers,
                     blocks_[i].*state);
}

}  // namespace hakaru::apps::multiblock_flow
