#include "apps/semiclassical/schedule.hpp"

#include "apps/semiclassical/checkpoint.hpp"
#include "apps/semiclassical/phases.hpp"
#include "native/base/share.hpp"
#include "native/parallel/exact_reduction.hpp"

namespace hakaru::apps::semiclassical {
namespace {

using schedule::Collective;
using schedule::Kind;
using schedule::RankWriter;
using schedule::Work;

// Numbers that are loaded and stored; the line of each store is read first.
Work work(double flops, double loads, double stores) {
  return {flops, 8.0 * (loads + stores), 8.0 * (loads + 2.0 * stores), -1.0};
}

Work times(double factor, const Work& one) {
  return {factor * one.flops, factor * one.bytes, factor * one.bytes_write_allocate, -1.0};
}

// Of one trajectory.
Work force_work(const Model& m) {
  const double n = m.n;
  const double drifts = m.unit_kinetic() ? 16.0 * n : 8.0 * n * n + 16.0 * n;
  // Only a cluster's second derivatives are dense.
  const double second = m.potential == Potential::lennard_jones ? n * n : 3.0 * n;
  return work(3.0 * (force_flops(m) + 2.0 * n) + drifts, 3.0 * (6.0 * n + second),
              3.0 * (3.0 * n + second));
}

// Each stage reads the second derivatives and both halves of the matrix, and writes both.
Work products_work(const Model& m) {
  const double n = m.n, square = n * n;
  return work(products_flops(m), 3.0 * 5.0 * square, 3.0 * 4.0 * square);
}

Work prefactor_work(const Model& m) {
  const double n = m.n;
  return work(determinant_flops(m.n), 4.0 * n * n + 4.0 / 3.0 * n * n * n,
              2.0 * n * n + 2.0 / 3.0 * n * n * n);
}

class EnsembleWriter {
 public:
  EnsembleWriter(const Settings& settings, RankWriter& writer) : s_(settings), writer_(writer) {}

  void ensemble() {
    const std::int64_t whole = s_.trajectories / s_.part, rest = s_.trajectories % s_.part;
    writer_.repeat(static_cast<std::uint64_t>(whole), [&] { part(s_.part); });
    if (rest > 0) part(rest);
  }

 private:
  void compute(const char* name, const Work& of_phase) {
    writer_.phase(name, [&] { writer_.compute(of_phase); });
  }

  void part(std::int64_t count) {
    const auto mine =
        static_cast<double>(base::share_of(count, writer_.rank(), writer_.ranks()).count);
    const auto steps = static_cast<double>(s_.steps), outputs = static_cast<double>(s_.outputs());
    const double n = s_.model.n;
    writer_.phase(phase::start, [&] {
      writer_.compute(times(mine, work(80.0 * n, 0.0, 2.0 * n + 4.0 * n * n)));
      compute(phase::force, times(mine * steps, force_work(s_.model)));
      compute(phase::products, times(mine * steps, products_work(s_.model)));
      compute(phase::prefactor, times(mine * outputs, prefactor_work(s_.model)));
      compute(
          phase::correlation,
          times(mine * outputs, work(force_flops(s_.model) + 12.0 * n + 200.0, 8.0 * n, 4.0 * n)));
    });
    writer_.phase(phase::reduction, [&] {
      reduce(parallel::exact_sum_bytes * static_cast<std::size_t>(quantities * s_.outputs()));
      reduce(2 * sizeof(double));
    });
    if (!s_.checkpoint.empty()) writer_.phase(phase::io, [&] { checkpoint(); });
  }

  void checkpoint() {
    writer_.whole_file([&] {
      if (writer_.rank() != 0) return;
      writer_.file_part(Kind::file_write, checkpoint_header_bytes);
      writer_.file_part(Kind::file_write, parallel::exact_sum_bytes *
                                              static_cast<std::size_t>(quantities * s_.outputs()));
    });
  }

  void reduce(std::size_t bytes) { writer_.collective(Collective::allreduce, bytes); }

  const Settings& s_;
  RankWriter& writer_;
};

}  // namespace

base::Work size_of(const Settings& s, const base::Layout& layout) {
  const Shape shape(s.model.n);
  const double block = 8.0 * double(shape.size()) * Block::batches_of(shape);
  const double tally = double(sizeof(parallel::ExactSum)) * quantities * double(s.outputs());
  const double workers = double(layout.ranks) * layout.threads;
  return {double(s.model.n), workers * (block + 8.0 * double(determinant_size(shape)) + tally), {}};
}

harness::RankSchedule rank_schedule(const Settings& settings) {
  return [settings](RankWriter& writer) { EnsembleWriter(settings, writer).ensemble(); };
}

}  // namespace hakaru::apps::semiclassical
