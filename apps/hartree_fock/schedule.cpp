#include "apps/hartree_fock/schedule.hpp"

#include <cmath>

#include "apps/hartree_fock/checkpoint.hpp"
#include "apps/hartree_fock/phases.hpp"
#include "apps/hartree_fock/repulsion.hpp"

namespace hakaru::apps::hartree_fock {
namespace {

using schedule::Collective;
using schedule::Kind;
using schedule::RankWriter;
using schedule::Work;

constexpr double real_bytes = sizeof(double);

// Loads and stores in bytes; the line of each store is read first.
Work work(double flops, double loads, double stores) {
  return {flops, loads + stores, loads + 2.0 * stores, -1.0};
}

// Tasks that are written or read at once: the sums of blocks_of().
struct Piece {
  double flops = 0.0, integrals = 0.0;
  double bytes() const { return integrals * real_bytes; }
};

std::vector<Piece> pieces(const Counts& counts, int rank, double most_bytes) {
  std::vector<Piece> result;
  for (const int task : counts.shares[rank]) {
    const Counts::Part& part = counts.tasks[task];
    const double added = double(part.integrals);
    if (result.empty() || (result.back().integrals + added) * real_bytes > most_bytes)
      result.push_back({});
    result.back().flops += part.flops;
    result.back().integrals += added;
  }
  return result;
}

class CalculationWriter {
 public:
  CalculationWriter(const Settings& settings, const Counts& counts, RankWriter& writer)
      : s_(settings),
        c_(counts),
        writer_(writer),
        pieces_(pieces(counts, writer.rank(),
                       settings.keeping == Keeping::disk ? double(settings.buffer) : INFINITY)),
        square_(double(counts.functions) * counts.functions),
        iterations_(settings.iterations > 0 ? settings.iterations : assumed_iterations) {}

  void calculation() {
    matrices();
    root_scf(2.0);
    keep_integrals();
    const int interval = s_.checkpoint.empty() ? 0 : s_.checkpoint_interval;
    if (interval > 0) {
      writer_.repeat(static_cast<std::uint64_t>(iterations_ / interval), [&] {
        iterations(interval);
        checkpoint();
      });
      iterations(iterations_ % interval);
    } else {
      iterations(iterations_);
    }
    if (!s_.checkpoint.empty() && (interval == 0 || iterations_ % interval != 0)) checkpoint();
    if (s_.keeping == Keeping::disk)
      writer_.phase(phase::io, [&] { writer_.file(Kind::file_close, 0, true); });
  }

 private:
  void compute(const char* name, const Work& of_phase) {
    writer_.phase(name, [&] { writer_.compute(of_phase); });
  }

  void matrices() {
    const double ranks = writer_.ranks();
    compute(phase::normalise, work(100.0 * c_.shells, 0.0, 100.0 * c_.shells));
    compute(phase::pairs, work(0.1 * c_.pair_flops, 0.0, 0.0));
    compute(phase::one_electron, work((c_.overlap_flops + c_.attraction_flops) / ranks, 0.0,
                                      3.0 * real_bytes * square_ / ranks));
    writer_.phase(phase::exchange, [&] {
      for (int i = 0; i < 3; ++i) reduce(real_bytes * square_);
    });
    compute(phase::pairs, work(c_.pair_flops, 0.0, 0.0));
  }

  // The root's linear algebra, and what it tells the others.
  void root_scf(double share) {
    const double flops = share * scf_flops(c_.functions, s_.mixing);
    if (writer_.rank() == 0)
      compute(phase::scf, work(flops, 40.0 * real_bytes * square_, 20.0 * real_bytes * square_));
    writer_.phase(phase::exchange, [&] {
      writer_.collective(Collective::broadcast,
                         static_cast<std::uint64_t>(real_bytes * (square_ + numbers_of_step)),
                         schedule::world, 0);
    });
  }

  void keep_integrals() {
    if (s_.keeping == Keeping::direct) return;
    if (s_.keeping == Keeping::memory) {
      writer_.phase(phase::two_electron, [&] {
        for (const Piece& piece : pieces_) writer_.compute(work(piece.flops, 0.0, piece.bytes()));
      });
      return;
    }
    writer_.phase(phase::io, [&] {
      writer_.file(Kind::file_open, 0, true);
      agree();
    });
    for (const Piece& piece : pieces_) {
      compute(phase::two_electron, work(piece.flops, 0.0, piece.bytes()));
      writer_.phase(phase::io, [&] {
        writer_.file_part(Kind::file_write, static_cast<std::uint64_t>(piece.bytes()));
      });
    }
    writer_.phase(phase::io, [&] {
      writer_.file(Kind::file_close, 0, true);
      agree();
      writer_.file(Kind::file_open, 0, true);
      agree();
    });
  }

  void iterations(int count) {
    writer_.repeat(static_cast<std::uint64_t>(count), [&] {
      add_integrals();
      compute(phase::fock, work(4.0 * square_, 4.0 * real_bytes * square_, 2.0 * square_));
      writer_.phase(phase::exchange, [&] {
        const double n = c_.functions;
        reduce(real_bytes * (n * (n + 1) / 2 + 1));
      });
      compute(phase::fock, work(square_, real_bytes * square_, real_bytes * square_));
      root_scf(1.0);
    });
  }

  void add_integrals() {
    if (s_.keeping == Keeping::direct) {
      writer_.phase(phase::two_electron, [&] {
        for (const Piece& piece : pieces_)
          writer_.compute(work(piece.flops + fock_flops_of_integral * piece.integrals, 0.0, 0.0));
      });
      return;
    }
    auto add = [&](const Piece& piece) {
      writer_.compute(work(fock_flops_of_integral * piece.integrals, piece.bytes(), 0.0));
    };
    if (s_.keeping == Keeping::memory) {
      writer_.phase(phase::fock, [&] {
        for (const Piece& piece : pieces_) add(piece);
      });
      return;
    }
    for (const Piece& piece : pieces_) {
      writer_.phase(phase::io, [&] {
        writer_.file_part(Kind::file_read, static_cast<std::uint64_t>(piece.bytes()));
      });
      writer_.phase(phase::fock, [&] { add(piece); });
    }
  }

  void checkpoint() {
    writer_.phase(phase::io, [&] {
      writer_.whole_file([&] {
        if (writer_.rank() != 0) return;
        writer_.file_part(Kind::file_write, checkpoint_header_bytes);
        writer_.file_part(Kind::file_write, static_cast<std::uint64_t>(real_bytes * square_));
      });
    });
  }

  void reduce(double bytes) {
    writer_.collective(Collective::allreduce, static_cast<std::uint64_t>(bytes));
  }
  void agree() { writer_.collective(Collective::allreduce, sizeof(int)); }

  const Settings& s_;
  const Counts& c_;
  RankWriter& writer_;
  std::vector<Piece> pieces_;
  double square_;
  int iterations_;
};

}  // namespace

std::shared_ptr<const Counts> count(const Settings& settings, int ranks) {
  Basis basis = require_basis(settings);
  normalise(basis);
  std::vector<PairList> lists;
  auto counts = std::make_shared<Counts>();
  for (auto& pairs : group_pairs(basis)) {
    const int type = type_of(basis, pairs.front());
    lists.emplace_back(basis, type, std::move(pairs));
    const PairList& list = lists.back();
    for (int batch = 0; batch < list.batches(); ++batch)
      counts->pair_flops +=
          double(lanes) * lanes * list.primitives(batch) *
          (list.primitives(batch) * flops_of_primitives(type, type) + flops_of_bra(type, type));
  }
  const Plan plan(basis, lists, settings.screening);
  counts->functions = basis.functions, counts->shells = static_cast<int>(basis.shells.size());
  counts->integrals = plan.integrals(), counts->quartets = plan.quartets();
  counts->overlap_flops = overlap_flops(lists);
  counts->attraction_flops = attraction_flops(lists, settings.molecule.atoms.size());
  for (const Task& task : plan.tasks()) counts->tasks.push_back({task.flops, task.integrals});
  counts->shares = plan.shares(ranks);
  return counts;
}

base::Work size_of(const Settings& settings, const Counts& counts, const base::Layout& layout) {
  const double square = double(counts.functions) * counts.functions;
  const double kept = settings.keeping == Keeping::memory ? real_bytes * double(counts.integrals)
                      : settings.keeping == Keeping::disk ? double(settings.buffer) * layout.ranks
                                                          : 0.0;
  // The root has about forty matrices, each thread sums of its own.
  const double matrices =
      real_bytes * square * (40.0 + layout.ranks * (8.0 + 2.5 * layout.threads));
  return {double(counts.functions), kept + matrices, {}};
}

harness::RankSchedule rank_schedule(const Settings& settings,
                                    std::shared_ptr<const Counts> counts) {
  return [settings, counts](RankWriter& writer) {
    CalculationWriter(settings, *counts, writer).calculation();
  };
}

}  // namespace hakaru::apps::hartree_fock
