#include "apps/cg/schedule.hpp"

#include "apps/cg/phases.hpp"

namespace hakaru::apps::cg {
namespace {

using schedule::Collective;
using schedule::RankWriter;
using schedule::Work;

// Operations and bytes of the loops over a vector of so many elements: reads and writes of 8 B;
// only q, whole vectors and x are written without having been read.
Work fill(double n) { return {0, 8 * n, 16 * n}; }
Work beginning(double n) { return {0, 32 * n, 56 * n}; }
Work dot(double n) { return {2 * n, 16 * n, 16 * n}; }
Work square(double n) { return {2 * n, 8 * n, 8 * n}; }
Work advance(double n) { return {4 * n, 48 * n, 48 * n}; }
Work turn(double n) { return {2 * n, 24 * n, 24 * n}; }
Work distance(double n) { return {3 * n, 16 * n, 16 * n}; }
Work norms(double n) { return {4 * n, 16 * n, 16 * n}; }
Work scale(double n) { return {n, 16 * n, 24 * n}; }
Work add(double n) { return {n, 24 * n, 24 * n}; }

// An element is a value of 8 B and a column of 4 B; the benchmark's estimate of their number. Rows
// have a start of 8 B.
Work product(const Problem& problem, double own, Communication communication) {
  const double elements = own * problem.row_elements(), n = static_cast<double>(problem.n);
  if (communication == Communication::paper)
    return {2 * elements, 12 * elements + 24 * n + 8 * own, 12 * elements + 24 * n + 8 * own};
  return {2 * elements, 12 * elements + 16 * own + 8 * n, 12 * elements + 24 * own + 8 * n};
}

class Writer {
 public:
  Writer(RankWriter& writer, const Repetition& r)
      : writer_(writer),
        r_(r),
        block_(block_of(r.problem.n, writer.rank(), r.ranks)),
        own_(static_cast<double>(block_.count)),
        paper_(r.communication == Communication::paper) {}

  void repetition() {
    writer_.phase(phase::vectors, [&] { writer_.compute(fill(own_)); });
    writer_.repeat(static_cast<std::uint64_t>(r_.estimates), [&] { estimate(); });
  }

 private:
  void end_loop() {
    if (paper_) writer_.phase(phase::barrier, [&] { writer_.collective(Collective::barrier, 0); });
  }
  void compute(const Work& work) {
    writer_.phase(phase::vectors, [&] { writer_.compute(work); });
  }
  void loop(const Work& work) {
    compute(work);
    end_loop();
  }
  void reduce(const Work& work, int values = 1) {
    compute(work);
    writer_.phase(phase::reduction, [&] {
      for (int i = 0; i < values; ++i) writer_.collective(Collective::allreduce, 8);
    });
    end_loop();
  }

  void sum_vectors() {
    const int rank = writer_.rank();
    const auto bytes = static_cast<std::uint64_t>(8 * r_.problem.n);
    for (int step = 1; step < r_.ranks; step *= 2) {
      if (rank & step) {
        writer_.send(rank - step, tag_sum, bytes);
        break;
      }
      if (rank + step >= r_.ranks) continue;
      writer_.receive(rank + step, tag_sum, bytes);
      writer_.compute(add(static_cast<double>(r_.problem.n)));
    }
    writer_.collective(Collective::broadcast, bytes, schedule::world, 0);
  }

  void multiply() {
    const auto work = product(r_.problem, own_, r_.communication);
    if (!paper_) {
      writer_.phase(phase::gather, [&] {
        writer_.collective(Collective::allgather,
                           static_cast<std::uint64_t>(8 * widest_block(r_.problem.n, r_.ranks)));
      });
      writer_.phase(phase::product, [&] { writer_.compute(work); });
      return;
    }
    loop(fill(static_cast<double>(r_.problem.n)));
    writer_.phase(phase::product, [&] { writer_.compute(work); });
    end_loop();
    writer_.phase(phase::vector_reduction, [&] { sum_vectors(); });
    end_loop();
    writer_.phase(phase::move, [&] {
      writer_.put(writer_.rank(), static_cast<std::uint64_t>(8 * block_.count),
                  {0, flag_moved, block_.count});
      writer_.flag_wait(flag_moved);
    });
    end_loop();
  }

  void estimate() {
    loop(beginning(own_));
    reduce(square(own_));
    writer_.repeat(inner_iterations, [&] {
      multiply();
      reduce(dot(own_));
      loop(advance(own_));
      reduce(square(own_));
      loop(turn(own_));
    });
    multiply();
    reduce(distance(own_));
    reduce(norms(own_), 2);
    loop(scale(own_));
  }

  RankWriter& writer_;
  const Repetition& r_;
  Block block_;
  double own_;
  bool paper_;
};

}  // namespace

harness::RankSchedule rank_schedule(const Repetition& r) {
  return [r](RankWriter& writer) { Writer(writer, r).repetition(); };
}

base::Work size_of(const Repetition& r) {
  const double n = static_cast<double>(r.problem.n), ranks = r.ranks;
  const bool paper = r.communication == Communication::paper;
  const double whole_vectors = paper ? 3.0 : 2.0;
  const double memory =
      12.0 * n * r.problem.row_elements() + 8.0 * n * (6.0 + whole_vectors * ranks);
  const double gathered = 8.0 * n * (paper ? 1.0 : ranks);  // a rank's columns of p, or all of p
  return {n, memory, {}, gathered};
}

}  // namespace hakaru::apps::cg
