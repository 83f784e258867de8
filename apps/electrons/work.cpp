#include "apps/electrons/work.hpp"

#include <algorithm>
#include <cmath>

#include "apps/electrons/checkpoint.hpp"
#include "apps/electrons/phases.hpp"

namespace hakaru::apps::electrons {
namespace {

using schedule::Collective;
using schedule::RankWriter;
using schedule::Work;

constexpr double complex_bytes = 16.0, real_bytes = 8.0;
constexpr double extras = 5.0;      // in the message beside the density
constexpr int exchange_bytes = 16;  // a cell's field and a request

// Loads and stores in bytes.
Work pointwise(double flops, double loads, double stores) {
  return {flops, loads + stores, loads + 2.0 * stores, -1.0};
}

Work operator+(const Work& a, const Work& b) {
  return {a.flops + b.flops, a.bytes + b.bytes, a.bytes_write_allocate + b.bytes_write_allocate,
          -1.0};
}

Work times(double n, const Work& a) {
  return {n * a.flops, n * a.bytes, n * a.bytes_write_allocate, -1.0};
}

// Of one orbital.
Work stencil(double n) {
  return pointwise(158.0 * n, (complex_bytes + real_bytes) * n, complex_bytes * n);
}
Work update(double n) { return pointwise(8.0 * n, 2 * complex_bytes * n, complex_bytes * n); }
Work copy(double n) { return pointwise(0.0, complex_bytes * n, complex_bytes * n); }
// An orbital, its image and the phases; an index of 4 B for four points.
Work nonlocal(const NonlocalCount& c) {
  return pointwise(c.conventional_flops(), (3 * complex_bytes + 1) * c.points,
                   complex_bytes * c.points);
}
Work density(double n) {
  return pointwise(5.0 * n, (complex_bytes + real_bytes) * n, real_bytes * n);
}
// Gradient along three axes at four distances, 4 flops each, of the points ahead; the commutator.
Work current(double n, const NonlocalCount& c) {
  return pointwise(50.0 * n + c.conventional_flops() + 9.0 * c.points, 13 * complex_bytes * n, 0);
}
// Two transforms, exchange and correlation, symmetrisation.
Work mean_field(double n, int operations) {
  const double transforms = 2.0 * 5.0 * n * std::log2(n);
  return pointwise(transforms + (60.0 + (operations > 1 ? operations : 0)) * n,
                   6.0 * complex_bytes * n, 4.0 * complex_bytes * n);
}
// Extrapolation of the mean field; sums over threads.
Work extrapolate(double n) { return pointwise(5.0 * n, 3 * real_bytes * n, real_bytes * n); }
Work middle(double n) { return pointwise(2.0 * n, 2 * real_bytes * n, real_bytes * n); }

struct PassWork {
  Work stencil, update, nonlocal, density, current;
};

enum class Pass { predict, advance, observe };

PassWork pass_work(const Scale& s, double orbitals, Pass which) {
  const double n = s.grid_points;
  PassWork w;
  w.density = times(orbitals, density(n));
  if (which != Pass::predict) w.current = times(orbitals, current(n, s.nonlocal));
  if (which == Pass::observe) return w;
  // Three updates are fused with the stencil, one follows it.
  w.stencil = times(orbitals, times(4.0, stencil(n)) + times(3.0, update(n)));
  w.update = times(orbitals, update(n));
  if (which == Pass::predict) w.update = w.update + times(orbitals, copy(n));
  w.nonlocal = times(4.0 * orbitals, nonlocal(s.nonlocal));
  return w;
}

// The next step after which there may be a checkpoint, or the last one.
int next_checkpoint(const Scale& s, int done) {
  const int interval = s.checkpoint ? s.checkpoint_interval : 0;
  return interval > 0 ? std::min(s.steps, (done / interval + 1) * interval) : s.steps;
}

bool has_checkpoint(const Scale& s, int step) {
  if (!s.checkpoint) return false;
  return step == s.steps || (s.checkpoint_interval > 0 && step % s.checkpoint_interval == 0);
}

double point_bytes(const Scale& s) { return real_bytes * (3.0 * s.grid_points + 1.0); }

double film_cells(const Scale& s, int rank) {
  const int group = s.layout.group_of(rank);
  return s.layout.points_of(rank).count() + (group == 0 ? s.vacuum_before : 0) +
         (group + 1 == s.layout.groups ? s.vacuum_after : 0);
}

double shared_bytes(int step) {
  return real_bytes * (numbers_of_clock + numbers_of_moment * (step + 1.0));
}

class RepetitionWriter {
 public:
  RepetitionWriter(const Scale& scale, RankWriter& writer)
      : s_(scale),
        writer_(writer),
        points_(scale.layout.points_of(writer.rank()).count()),
        orbitals_(double(scale.layout.k_points_of(writer.rank()).count()) * scale.bands) {
    const RankLayout layout = scale.layout;
    group_ = writer.split("point", [layout](int rank) { return layout.group_of(rank); });
    line_ = writer.split("line", [layout](int rank) { return layout.member_of(rank); });
  }

  void repetition() {
    for (int i = 0; i < points_; ++i) begin_point();
    energy();
    for (int done = 0; done < s_.steps;) {
      const int next = next_checkpoint(s_, done);
      advance(done, next);
      done = next;
      if (has_checkpoint(s_, done)) writer_.phase(phase::io, [&] { checkpoint(done); });
    }
    writer_.collective(Collective::allreduce, sizeof(double));
  }

 private:
  // Steps and the energies between them: of each step that the interval divides, and of the last.
  void advance(int done, int until) {
    const int interval = s_.energy_interval;
    if (interval <= 0) return steps(until - done);
    const int first = std::min(until, (done / interval + 1) * interval);
    const int blocks = (until - first) / interval, rest = (until - first) % interval;
    steps(first - done);
    if (first % interval == 0 || first == s_.steps) energy();
    writer_.repeat(static_cast<std::uint64_t>(blocks), [&] {
      steps(interval);
      energy();
    });
    if (rest == 0) return;
    steps(rest);
    if (until == s_.steps) energy();
  }

  void steps(int count) {
    writer_.repeat(static_cast<std::uint64_t>(count), [&] {
      exchange();
      for (int i = 0; i < points_; ++i) step_point();
    });
  }

  // As write_state does.
  void checkpoint(int step) {
    auto write = [&](double bytes) {
      writer_.file_part(schedule::Kind::file_write, static_cast<std::uint64_t>(bytes));
    };
    const RankLayout& layout = s_.layout;
    const int rank = writer_.rank();
    writer_.whole_file([&] {
      if (layout.member_of(rank) == 0) {
        for (int i = 0; i < points_; ++i) write(point_bytes(s_));
        if (s_.film) {
          const double cells = film_cells(s_, rank);
          write(8.0 * cells), write(8.0 * cells);
        }
      }
      const int blocks = points_ * layout.k_points_of(rank).count();
      for (int i = 0; i < blocks; ++i) write(complex_bytes * s_.grid_points * s_.bands);
      if (rank == 0) write(double(state_header_bytes)), write(shared_bytes(step));
    });
  }

  void exchange() {
    if (!s_.film) return;
    const int group = s_.layout.group_of(writer_.rank()), members = s_.layout.members();
    const int left = group > 0 ? writer_.rank() - members : -1;
    const int right = group + 1 < s_.layout.groups ? writer_.rank() + members : -1;
    writer_.phase(phase::exchange, [&] {
      writer_.send_receive(left, exchange_bytes, right, exchange_bytes, 0, line_);
      writer_.send_receive(right, exchange_bytes, left, exchange_bytes, 1, line_);
    });
  }

  // density_of of the start, its mean field, and the first observation.
  void begin_point() {
    if (s_.copies)
      writer_.phase(phase::update,
                    [&] { writer_.compute(times(orbitals_, copy(s_.grid_points))); });
    writer_.phase(phase::density,
                  [&] { writer_.compute(times(orbitals_, density(s_.grid_points))); });
    writer_.phase(phase::reduce, [&] {
      writer_.collective(Collective::allreduce,
                         static_cast<std::uint64_t>(real_bytes * s_.grid_points), group_);
    });
    writer_.phase(phase::density,
                  [&] { writer_.compute(mean_field(s_.grid_points, s_.operations)); });
    pass(Pass::observe);
    reduce();
  }

  void step_point() {
    writer_.phase(phase::nonlocal, [] {});
    writer_.phase(phase::density, [&] { writer_.compute(extrapolate(s_.grid_points)); });
    for (int i = 0; i < s_.corrections; ++i) {
      pass(Pass::predict);
      reduce();
      writer_.phase(phase::density,
                    [&] { writer_.compute(mean_field(s_.grid_points, s_.operations)); });
      writer_.phase(phase::density, [&] { writer_.compute(middle(s_.grid_points)); });
    }
    pass(Pass::advance);
    reduce();
    writer_.phase(phase::density,
                  [&] { writer_.compute(mean_field(s_.grid_points, s_.operations)); });
  }

  void pass(Pass which) {
    const PassWork work = pass_work(s_, orbitals_, which);
    writer_.phase(phase::stencil, [&] {
      writer_.compute(work.stencil);
      part(phase::nonlocal, work.nonlocal);
      part(phase::update, work.update);
      part(phase::density, work.density);
      part(phase::current, work.current);
    });
  }

  void part(const char* name, const Work& work) {
    if (work.bytes > 0.0) writer_.phase(name, [&] { writer_.compute(work); });
  }

  void reduce() {
    writer_.phase(phase::reduce, [&] {
      writer_.collective(Collective::allreduce,
                         static_cast<std::uint64_t>(real_bytes * (s_.grid_points + extras)),
                         group_);
    });
  }

  void energy() {
    if (s_.energy_interval <= 0) return;
    writer_.phase(phase::density, [&] { writer_.compute(mean_field(s_.grid_points, 1)); });
    writer_.phase(phase::stencil, [&] {
      writer_.compute(times(orbitals_, stencil(s_.grid_points)));
      part(phase::nonlocal, times(orbitals_, nonlocal(s_.nonlocal)));
    });
    writer_.phase(phase::reduce,
                  [&] { writer_.collective(Collective::allreduce, sizeof(double), group_); });
  }

  const Scale& s_;
  RankWriter& writer_;
  int points_;
  double orbitals_;
  std::uint32_t group_ = 0, line_ = 0;
};

}  // namespace

Scale scale_of(const Settings& settings, const base::Layout& layout) {
  const System& system = settings.system;
  Scale s;
  s.film = settings.geometry == Geometry::film;
  s.layout = layout_of(layout.ranks, settings.groups, s.film ? settings.film.points : 1,
                       static_cast<int>(system.k_points.size()));
  s.grid_points = static_cast<double>(system.grid.size());
  s.k_points = static_cast<int>(system.k_points.size());
  s.bands = system.crystal.occupied(), s.extra_bands = settings.extra_bands;
  s.threads = layout.threads;
  s.nonlocal = count_nonlocal(system.crystal, system.grid, system.reach);
  s.steps = settings.steps;
  s.corrections = settings.propagator.corrections;
  s.energy_interval = settings.energy_interval;
  s.operations = static_cast<int>(system.operations.size());
  s.waves = settings.waves, s.copies = !settings.waves;
  s.checkpoint = !settings.checkpoint.empty();
  s.checkpoint_interval = settings.checkpoint_interval;
  s.vacuum_before = settings.film.before, s.vacuum_after = settings.film.after;
  return s;
}

double stencil_flops_of_step(const Scale& s) {
  return double(s.layout.points) * s.k_points * s.bands * (1 + s.corrections) * 4.0 * 158.0 *
         s.grid_points;
}

namespace {

// All states twice (as they are found and as they are kept or written), and the eigensolver's
// blocks of each thread that has a k-point of its own: H x, w, H w, p, H p and three to combine.
double search_bytes(const Scale& s) {
  if (s.waves) return 0.0;
  const double block = (s.bands + s.extra_bands) * s.grid_points * complex_bytes;
  const double k_of_rank = std::ceil(double(s.k_points) / s.layout.members());
  const double solvers = k_of_rank >= s.threads ? s.threads : 1.0;
  return block * (2.0 * s.layout.groups * s.k_points + 8.0 * s.layout.ranks * solvers);
}

}  // namespace

base::Work size_of(const Scale& s) {
  const double points = s.layout.points, orbitals = double(s.k_points) * s.bands;
  const double n = s.grid_points;
  const double sets = s.copies ? points + s.layout.groups : points;
  const double memory = std::max(sets * orbitals * n * complex_bytes, search_bytes(s)) +
                        s.layout.ranks * (12.0 * n * real_bytes + 3.0 * n * complex_bytes +
                                          s.threads * n * (3.0 * complex_bytes + real_bytes)) +
                        2.0 * points * s.k_points * s.nonlocal.points * complex_bytes;
  return {orbitals * points * n, memory, {}};
}

harness::RankSchedule rank_schedule(const Scale& scale) {
  return [scale](RankWriter& writer) { RepetitionWriter(scale, writer).repetition(); };
}

}  // namespace hakaru::apps::electrons
