#include "apps/lattice_qcd/schedule.hpp"

#include <algorithm>

#include "apps/lattice_qcd/heat_bath.hpp"
#include "apps/lattice_qcd/phases.hpp"
#include "native/parallel/exact_reduction.hpp"

namespace hakaru::apps::lattice_qcd {
namespace {

using schedule::Collective;
using schedule::RankWriter;

// Sites of a box that are alike on all ranks, so that they are counted once.
struct Counts {
  Counts(const Lattice& lattice, int bytes)
      : word(bytes), layout(lattice, lanes_for(lattice.local(), most_lanes(bytes))) {
    inside = static_cast<double>(layout.inside(0).size()) * layout.lanes();
    border = static_cast<double>(layout.border(0).size()) * layout.lanes();
  }
  double sites() const { return inside + border; }  // of one parity

  int word;
  VectorLayout layout;
  double inside, border;
};

class Writer {
 public:
  Writer(RankWriter& writer, const Repetition& repetition, const Counts& single,
         const Counts& twofold)
      : writer_(writer),
        r_(repetition),
        single_(single),
        twofold_(twofold),
        place_(repetition.lattice, writer.rank()) {}

  void repetition() {
    switch (r_.task) {
      case Task::apply:
        return writer_.repeat(static_cast<std::uint64_t>(r_.iterations), [&] {
          apply(r_.solver.precision == Precision::single ? single_ : twofold_);
        });
      case Task::solve:
        return solve();
      case Task::propagate:
        return writer_.repeat(12, [&] { solve(); });
      case Task::generate:
        return generate();
    }
  }

 private:
  bool even_odd() const { return r_.solver.preconditioning == Preconditioning::even_odd; }
  // Numbers of a field that a method works on.
  double numbers(const Counts& c) const {
    return (even_odd() ? 1 : 2) * spinor_numbers * c.sites();
  }

  void compute_sites(const Counts& c, double sites, bool based) {
    const double read = site_link_numbers + (based ? 2.0 : 1.0) * spinor_numbers;
    const double word = c.word;
    writer_.phase(phase::hopping, [&] {
      writer_.compute({(hopping_flops + third_row_flops + (based ? based_flops : 0.0)) * sites,
                       (read + spinor_numbers) * word * sites,
                       (read + 2.0 * spinor_numbers) * word * sites});
    });
  }

  void hop(const Counts& c, bool based) {
    const bool messages = r_.lattice.divided_axes() > 0;
    std::vector<std::int32_t> open;
    const auto wait = [&] {
      for (const std::int32_t request : open) writer_.wait(request);
    };
    if (messages)
      writer_.phase(phase::halo, [&] {
        open = start_messages(c);
        if (!r_.solver.overlap) wait();
      });
    compute_sites(c, c.inside, based);
    if (!messages) return;
    if (r_.solver.overlap) writer_.phase(phase::halo, wait);
    compute_sites(c, c.border, based);
  }

  std::vector<std::int32_t> start_messages(const Counts& c) {
    std::vector<std::int32_t> open;
    const auto bytes_of = [&](int direction) {
      const auto sites = static_cast<std::int64_t>(c.layout.face(0, direction).size());
      const int bit = c.layout.lane_bit(axis_of(direction));
      return static_cast<std::uint64_t>(sites * message_numbers(c.layout.lanes(), bit) * c.word);
    };
    for (int d = 0; d < directions; ++d)
      if (r_.lattice.divided(axis_of(d)))
        open.push_back(writer_.ireceive(place_.neighbour[opposite(d)], d, bytes_of(d)));
    for (int d = 0; d < directions; ++d)
      if (r_.lattice.divided(axis_of(d)))
        open.push_back(writer_.isend(place_.neighbour[d], d, bytes_of(d)));
    return open;
  }

  void apply(const Counts& c) {
    hop(c, !even_odd());
    hop(c, true);
  }

  schedule::Work work_of(const VectorWork& work, double numbers, int word) const {
    return {work.flops * numbers, work.words * word * numbers,
            (work.words + work.written) * word * numbers};
  }
  void vectors(const Counts& c, std::initializer_list<VectorWork> works) {
    schedule::Work sum{};
    for (const VectorWork& one : works) {
      const schedule::Work work = work_of(one, numbers(c), c.word);
      sum.flops += work.flops;
      sum.bytes += work.bytes;
      sum.bytes_write_allocate += work.bytes_write_allocate;
    }
    writer_.phase(phase::vectors, [&] { writer_.compute(sum); });
  }
  void reduce(int sums) {
    writer_.phase(phase::reduction,
                  [&] { writer_.collective(Collective::allreduce, 8 * std::uint64_t(sums)); });
  }

  void krylov(const Counts& c, std::int64_t iterations) {
    vectors(c, {{0, 1, 1}});
    r_.solver.method == Method::cg ? conjugate_gradients(c, iterations)
                                   : stabilised_gradients(c, iterations);
  }

  void conjugate_gradients(const Counts& c, std::int64_t iterations) {
    apply(c);
    vectors(c, {copy_work, norm_work});
    reduce(1);
    writer_.repeat(static_cast<std::uint64_t>(iterations), [&] {
      apply(c);
      apply(c);
      vectors(c, {norm_work});
      reduce(1);
      vectors(c, {add_work, add_work, norm_work});
      reduce(1);
      vectors(c, {turn_work});
    });
  }

  void stabilised_gradients(const Counts& c, std::int64_t iterations) {
    vectors(c, {copy_work, copy_work, copy_work, norm_work});
    reduce(1);
    writer_.repeat(static_cast<std::uint64_t>(iterations), [&] {
      apply(c);
      vectors(c, {dot_work});
      reduce(2);
      vectors(c, {add_complex_work});
      apply(c);
      vectors(c, {dot_work, norm_work});
      reduce(3);
      vectors(c, {add_complex_work, add_complex_work, add_complex_work, dot_work, norm_work});
      reduce(3);
      vectors(c, {turn_complex_work});
    });
  }

  // A field from one precision to the other.
  void convert(double words_read_double) {
    const double count = numbers(twofold_);
    writer_.phase(phase::vectors, [&] {
      const double bytes = (4.0 + 8.0 * words_read_double) * count;
      writer_.compute({count, bytes, bytes + 4.0 * count});
    });
  }

  void correct() {
    const bool mixed = r_.solver.precision == Precision::mixed;
    const std::int64_t most = mixed ? std::min(r_.solver.restart, r_.iterations) : r_.iterations;
    for (std::int64_t done = 0; done < r_.iterations; done += most) {
      if (done > 0) {
        apply(twofold_);
        vectors(twofold_, {turn_work});
      }
      vectors(twofold_, {norm_work});
      reduce(1);
      convert(1.0);
      krylov(single_, std::min(most, r_.iterations - done));
      convert(2.0);
    }
  }

  void solve() {
    if (even_odd()) hop(twofold_, true);
    r_.solver.precision == Precision::twofold ? krylov(twofold_, r_.iterations) : correct();
    if (even_odd()) hop(twofold_, true);
    hop(twofold_, true);
    hop(twofold_, true);
    const double all = 2 * spinor_numbers * twofold_.sites();
    writer_.phase(phase::vectors, [&] {
      const schedule::Work sum = work_of({6, 5, 1}, all, 8);
      writer_.compute(sum);
    });
    reduce(2);
  }

  void exchange_links() {
    for (int axis = 0; axis < axes; ++axis) {
      if (!r_.lattice.divided(axis)) continue;
      const auto bytes =
          static_cast<std::uint64_t>(8 * link_message_numbers(r_.lattice.local(), axis));
      std::vector<std::int32_t> open;
      for (const int backward : {0, 1})
        open.push_back(writer_.ireceive(place_.neighbour[2 * axis + backward],
                                        2 * axis + 1 - backward, bytes));
      for (const int backward : {0, 1})
        open.push_back(
            writer_.isend(place_.neighbour[2 * axis + backward], 2 * axis + backward, bytes));
      for (const std::int32_t request : open) writer_.wait(request);
    }
  }

  void generate() {
    const double sites = static_cast<double>(product(r_.lattice.local()));
    writer_.phase(phase::start, [&] {
      const double bytes = 4 * 144 * sites;
      writer_.compute({0, 2 * bytes, 3 * bytes});
    });
    writer_.repeat(static_cast<std::uint64_t>(r_.sweeps), [&] {
      writer_.repeat(static_cast<std::uint64_t>(8 * (1 + r_.over_relaxations)), [&] {
        const double links = 0.5 * sites;
        writer_.phase(phase::links, [&] {
          writer_.compute(
              {link_update_flops * links, link_update_bytes * links, link_update_bytes * links});
        });
        writer_.phase(phase::link_halo, [&] { exchange_links(); });
      });
      writer_.phase(phase::plaquette, [&] {
        writer_.compute(
            {plaquette_flops * sites, plaquette_bytes * sites, plaquette_bytes * sites});
      });
      writer_.phase(phase::reduction,
                    [&] { writer_.collective(Collective::allreduce, parallel::exact_sum_bytes); });
    });
  }

  RankWriter& writer_;
  const Repetition& r_;
  const Counts &single_, &twofold_;
  Place place_;
};

}  // namespace

harness::RankSchedule rank_schedule(const Repetition& repetition) {
  const auto single = std::make_shared<Counts>(repetition.lattice, 4);
  const auto twofold = std::make_shared<Counts>(repetition.lattice, 8);
  return [=](RankWriter& writer) { Writer(writer, repetition, *single, *twofold).repetition(); };
}

}  // namespace hakaru::apps::lattice_qcd
