#include "apps/semiclassical/ensemble.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "apps/semiclassical/checkpoint.hpp"
#include "native/base/share.hpp"
#include "native/parallel/exact_reduction.hpp"

namespace hakaru::apps::semiclassical {
namespace {

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Batches of a block, so that every thread gets some.
int batches_for(const Settings& settings, std::int64_t trajectories, int threads) {
  const Shape shape(settings.model.n);
  const std::int64_t batches = std::max<std::int64_t>(divided_up(trajectories, shape.lanes), 1);
  return static_cast<int>(
      std::min<std::int64_t>(Block::batches_of(shape), divided_up(batches, threads)));
}

// One block from time zero to the end; all threads of the team.
void propagate(const Settings& s, Block& block, Correlator& correlator, Tally& tally,
               base::Share trajectories, const Team& team, const Clock& clock) {
  if (team.thread == 0) {
    correlator.start(trajectories.first, trajectories.count, clock);
    correlator.output(0, tally, clock);
  }
  team.wait();
  for (std::int64_t step = 1; step <= s.steps; ++step) {
    block.step(team, clock);
    if (team.thread == 0 && step % s.interval == 0)
      correlator.output(step / s.interval, tally, clock);
  }
  team.wait();
}

}  // namespace

double Sums::value(std::int64_t output, int quantity) const {
  return images[static_cast<std::size_t>(output * quantities + quantity)].value();
}

std::complex<double> Sums::correlation(std::int64_t output) const {
  const auto n = static_cast<double>(done);
  return {value(output, 0) / n, value(output, 1) / n};
}

double Sums::deviation(std::int64_t output) const {
  const auto n = static_cast<double>(done);
  const double variance = value(output, 2) / n - std::norm(correlation(output));
  return std::sqrt(std::max(variance, 0.0) / std::max(n - 1.0, 1.0));
}

bool is_harmonic(const Settings& s) {
  return s.model.potential == Potential::henon_heiles && s.model.coupling == 0.0 &&
         std::abs(s.hbar * s.width - 1.0) < 1e-12;
}

std::complex<double> harmonic_correlation(const Settings& s, double time) {
  double z = 0.0;
  for (int i = 0; i < s.model.n; ++i)
    z += 0.5 * (s.width * s.centre_q[i] * s.centre_q[i] +
                s.centre_p[i] * s.centre_p[i] / (s.width * s.hbar * s.hbar));
  return std::exp(std::complex<double>(0.0, -0.5 * s.model.n * time) -
                  z * (1.0 - std::polar(1.0, -time)));
}

Tally Ensemble::over(std::int64_t first, std::int64_t count) {
  const int threads = omp_get_max_threads();
  const int batches = batches_for(settings_, count, threads);
  const std::int64_t size = batches * static_cast<std::int64_t>(vector_lanes());
  const std::int64_t blocks = divided_up(count, size);
  Tally whole(settings_);
#pragma omp parallel num_threads(threads)
  {
    Block block(settings_, batches);
    Correlator correlator(settings_, block);
    Tally tally(settings_);
#pragma omp for schedule(dynamic, 1)
    for (std::int64_t i = 0; i < blocks; ++i)
      propagate(settings_, block, correlator, tally,
                {first + i * size, std::min(size, count - i * size)}, {}, clock_);
#pragma omp critical
    whole.merge(tally);
  }
  return whole;
}

Tally Ensemble::inside(std::int64_t first, std::int64_t count) {
  const int batches = batches_for(settings_, count, 1);
  const std::int64_t size = batches * static_cast<std::int64_t>(vector_lanes());
  Block block(settings_, batches);
  Correlator correlator(settings_, block);
  Tally tally(settings_);
#pragma omp parallel
  {
    const Team team{omp_get_thread_num(), omp_get_num_threads()};
    for (std::int64_t at = 0; at < count; at += size)
      propagate(settings_, block, correlator, tally, {first + at, std::min(size, count - at)}, team,
                clock_);
  }
  return tally;
}

Tally Ensemble::compute(std::int64_t first, std::int64_t count) {
  auto phase = phases_.scope(clock_.start);
  const base::Share mine = base::share_of(count, world_.rank(), world_.size());
  return settings_.inside ? inside(first + mine.first, mine.count)
                          : over(first + mine.first, mine.count);
}

void Ensemble::add(const Tally& tally, std::int64_t count, Sums& sums) {
  auto phase = phases_.scope(phase::reduction);
  std::vector<parallel::ExactImage> images;
  for (const parallel::ExactSum& sum : tally.sums) images.push_back(sum.image());
  HAKARU_MPI(MPI_Allreduce(MPI_IN_PLACE, images.data(), static_cast<int>(images.size()),
                           parallel::exact_sum_datatype(), parallel::exact_sum_operation(),
                           world_.handle()));
  std::vector<double> worst{tally.worst_branch, tally.worst_energy};
  world_.reduce_all(worst, MPI_MAX);
  for (std::size_t i = 0; i < images.size(); ++i) sums.images[i].merge(images[i]);
  sums.worst_branch = std::max(sums.worst_branch, worst[0]);
  sums.worst_energy = std::max(sums.worst_energy, worst[1]);
  sums.done += count;
}

Sums Ensemble::run(const Sums& begin, const Watch& watch) {
  Sums sums = begin;
  while (sums.done < settings_.trajectories) {
    const std::int64_t count = std::min(settings_.part, settings_.trajectories - sums.done);
    add(compute(sums.done, count), count, sums);
    if (!settings_.checkpoint.empty()) {
      auto phase = phases_.scope(phase::io);
      write_checkpoint(settings_.checkpoint, settings_, sums, world_);
    }
    if (watch) watch(sums);
  }
  return sums;
}

}  // namespace hakaru::apps::semiclassical
