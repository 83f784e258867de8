#include "probes/threads/constructs.hpp"

#include <omp.h>

#include <cstdlib>

#include "native/base/clock.hpp"

namespace hakaru::probes::threads {
namespace {

// Each measured body below runs the construct `inner` times with one unit of work for every thread
// (EPCC syncbench).

void parallel(std::vector<Worker>& workers, int threads, std::int64_t inner, std::int64_t length) {
  for (std::int64_t i = 0; i < inner; ++i) {
#pragma omp parallel num_threads(threads)
    work_unit(workers[omp_get_thread_num()], length);
  }
}

void for_loop(std::vector<Worker>& workers, int threads, std::int64_t inner, std::int64_t length) {
#pragma omp parallel num_threads(threads)
  {
    Worker& worker = workers[omp_get_thread_num()];
    for (std::int64_t i = 0; i < inner; ++i) {
#pragma omp for
      for (int k = 0; k < threads; ++k) work_unit(worker, length);
    }
  }
}

void parallel_for(std::vector<Worker>& workers, int threads, std::int64_t inner,
                  std::int64_t length) {
  for (std::int64_t i = 0; i < inner; ++i) {
#pragma omp parallel for num_threads(threads)
    for (int k = 0; k < threads; ++k) work_unit(workers[omp_get_thread_num()], length);
  }
}

void barrier(std::vector<Worker>& workers, int threads, std::int64_t inner, std::int64_t length) {
#pragma omp parallel num_threads(threads)
  {
    Worker& worker = workers[omp_get_thread_num()];
    for (std::int64_t i = 0; i < inner; ++i) {
      work_unit(worker, length);
#pragma omp barrier
    }
  }
}

void single(std::vector<Worker>& workers, int threads, std::int64_t inner, std::int64_t length) {
#pragma omp parallel num_threads(threads)
  {
    Worker& worker = workers[omp_get_thread_num()];
    for (std::int64_t i = 0; i < inner; ++i) {
#pragma omp single
      work_unit(worker, length);
    }
  }
}

// `inner` units in all, so that without overhead the time is that of `inner` units.
void critical(std::vector<Worker>& workers, int threads, std::int64_t inner, std::int64_t length) {
#pragma omp parallel num_threads(threads)
  {
    Worker& worker = workers[omp_get_thread_num()];
    for (std::int64_t i = 0; i < inner / threads; ++i) {
#pragma omp critical(hakaru_threads_probe)
      work_unit(worker, length);
    }
  }
}

double reduction(std::vector<Worker>& workers, int threads, std::int64_t inner,
                 std::int64_t length) {
  double sum = 0.0;
  for (std::int64_t i = 0; i < inner; ++i) {
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
      work_unit(workers[omp_get_thread_num()], length);
      sum += 1.0;
    }
  }
  return sum;
}

std::int64_t rounded(Construct construct, int threads, std::int64_t inner) {
  return construct == Construct::critical ? (inner + threads - 1) / threads * threads : inner;
}

}  // namespace

std::string name_of(Construct construct) {
  switch (construct) {
    case Construct::parallel:
      return "parallel";
    case Construct::for_loop:
      return "for";
    case Construct::parallel_for:
      return "parallel_for";
    case Construct::barrier:
      return "barrier";
    case Construct::single:
      return "single";
    case Construct::critical:
      return "critical";
    case Construct::reduction:
      return "reduction";
  }
  return "";
}

Outcome run_construct(Construct construct, int threads, std::int64_t inner, std::int64_t length) {
  std::vector<Worker> workers(threads);
  Outcome outcome;
  outcome.expected = inner * threads;
  const double start = base::now_s();
  switch (construct) {
    case Construct::parallel:
      parallel(workers, threads, inner, length);
      break;
    case Construct::for_loop:
      for_loop(workers, threads, inner, length);
      break;
    case Construct::parallel_for:
      parallel_for(workers, threads, inner, length);
      break;
    case Construct::barrier:
      barrier(workers, threads, inner, length);
      break;
    case Construct::single:
      single(workers, threads, inner, length);
      outcome.expected = inner;
      break;
    case Construct::critical:
      critical(workers, threads, inner, length);
      outcome.expected = inner / threads * threads;
      break;
    case Construct::reduction:
      outcome.reduced = reduction(workers, threads, inner, length);
      outcome.expected_reduced = static_cast<double>(inner * threads);
      break;
  }
  outcome.seconds = base::now_s() - start;
  outcome.units = total_units(workers);
  return outcome;
}

std::int64_t calibrate(Construct construct, int threads, std::int64_t length, double seconds) {
  std::int64_t inner = rounded(construct, threads, 1);
  while (run_construct(construct, threads, inner, length).seconds < seconds)
    inner = rounded(construct, threads, 2 * inner);
  return inner;
}

Violations find_violations(int threads, std::int64_t rounds, bool damage) {
  Violations found;
  const std::int64_t iterations = 7 * threads + 3;  // no multiple of the threads
  std::vector<std::int64_t> hits(iterations, 0), phase(threads * 16, 0);
  std::int64_t exclusive = 0, singles = 0, sum = 0, late = 0;
#pragma omp parallel num_threads(threads) reduction(+ : late)
  {
    const int thread = omp_get_thread_num();
    Worker worker;
    for (std::int64_t round = 1; round <= rounds; ++round) {
#pragma omp for
      for (std::int64_t i = 0; i < iterations; ++i) ++hits[i];
#pragma omp critical(hakaru_threads_probe)
      ++exclusive;
#pragma omp single
      ++singles;
      work_unit(worker, (thread + round) % threads * 500);  // threads arrive at different times
      phase[thread * 16] = round;
#pragma omp barrier
      for (int other = 0; other < threads; ++other) late += phase[other * 16] != round;
#pragma omp barrier
    }
  }
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
  for (std::int64_t i = 1; i <= iterations; ++i) sum += i;

  if (damage) {
    --hits[iterations / 2];
    ++late;
    --exclusive;
    ++singles;
    ++sum;
  }
  for (std::int64_t count : hits) found.loop += count != rounds;
  found.barrier = late;
  found.exclusion = std::abs(exclusive - rounds * threads);
  found.single = std::abs(singles - rounds);
  found.reduction = std::abs(sum - iterations * (iterations + 1) / 2);
  return found;
}

}  // namespace hakaru::probes::threads
