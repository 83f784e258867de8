// Heat in a plate: halo exchange with up to four neighbours, with and without overlap.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "apps/heat/plate.hpp"
#include "native/base/require.hpp"
#include "native/harness/program.hpp"
#include "native/parallel/communicator.hpp"

namespace hakaru::apps::heat {
namespace {

using base::Better;
using base::PhaseKind;

namespace phase {
constexpr const char *start = "start", *halo = "halo", *diffuse = "diffuse";
}

// A side's tag is what the receiver calls it.
int tag_of(Side side) { return side; }

// One step's messages: buffers stay where they are while requests are open.
class Halo {
 public:
  Halo(const Place& place, MPI_Comm communicator) : place_(place), communicator_(communicator) {
    for (const Side side : sides) {
      incoming_[side].resize(place.edge(side));
      outgoing_[side].resize(place.edge(side));
    }
  }

  void start(const Plate& plate) {
    open_ = 0;
    for (const Side side : sides) {
      if (place_.neighbour[side] < 0) continue;
      HAKARU_MPI(MPI_Irecv(incoming_[side].data(), static_cast<int>(incoming_[side].size()),
                           MPI_DOUBLE, place_.neighbour[side], tag_of(side), communicator_,
                           &requests_[open_++]));
    }
    for (const Side side : sides) {
      if (place_.neighbour[side] < 0) continue;
      plate.read_edge(side, outgoing_[side].data());
      HAKARU_MPI(MPI_Isend(outgoing_[side].data(), static_cast<int>(outgoing_[side].size()),
                           MPI_DOUBLE, place_.neighbour[side], tag_of(opposite(side)),
                           communicator_, &requests_[open_++]));
    }
  }

  void finish(Plate& plate) {
    HAKARU_MPI(MPI_Waitall(open_, requests_.data(), MPI_STATUSES_IGNORE));
    for (const Side side : sides)
      if (place_.neighbour[side] >= 0) plate.write_halo(side, incoming_[side].data());
  }

 private:
  Place place_;
  MPI_Comm communicator_;
  std::array<std::vector<double>, 4> incoming_, outgoing_;
  std::array<MPI_Request, 8> requests_{};
  int open_ = 0;
};

// What Halo does, as operations.
std::vector<std::int32_t> start_halo(schedule::RankWriter& writer, const Place& place) {
  std::vector<std::int32_t> open;
  const auto bytes = [&](Side side) { return 8 * static_cast<std::uint64_t>(place.edge(side)); };
  for (const Side side : sides)
    if (place.neighbour[side] >= 0)
      open.push_back(writer.ireceive(place.neighbour[side], tag_of(side), bytes(side)));
  for (const Side side : sides)
    if (place.neighbour[side] >= 0)
      open.push_back(writer.isend(place.neighbour[side], tag_of(opposite(side)), bytes(side)));
  return open;
}

void finish_halo(schedule::RankWriter& writer, const std::vector<std::int32_t>& open) {
  for (const std::int32_t request : open) writer.wait(request);
}

// Cells that need no neighbour's.
double inner_cells(const Place& place) {
  return static_cast<double>(std::max<std::int64_t>(place.width - 2, 0) *
                             std::max<std::int64_t>(place.height - 2, 0));
}

class Heat final : public harness::Program {
 public:
  base::Description describe() const override {
    base::Description d("heat", "heat in a plate: five-point differences with halo exchange");
    d.integer("n", 512, 2, 1'000'000, "1", "cells in each direction")
        .integer("steps", 100, 1, 1'000'000'000, "1", "time steps of a repetition")
        .boolean("overlap", false, "compute the inner cells while messages are under way")
        .preset("small", {{"n", 64}, {"steps", 20}}, "milliseconds")
        .preset("medium", {{"n", 1024}, {"steps", 100}}, "a tenth of a second")
        .preset("long", {{"n", 1024}, {"steps", 250'000}}, "ten minutes on one core", 2)
        .phase(phase::start, PhaseKind::compute, "the first state is set, once a repetition")
        .phase(phase::halo, PhaseKind::communicate,
               "lines of cells swapped with up to four neighbours")
        .phase(phase::diffuse, PhaseKind::compute, "the stencil")
        .metric("rate", "flop/s", Better::higher, "stencil operations per second of wall time")
        .verifies({"n", "steps", "overlap"},
                  "the plate that is asked for, with and without overlap")
        .size_meaning("cells in each direction");
    return d;
  }

  base::Work work(const base::Parameters& parameters, const base::Layout&) const override {
    const double n = static_cast<double>(parameters.integer("n"));
    return {n, 2.0 * 8.0 * n * n, {}};
  }

  std::string refuse(const base::Parameters& parameters,
                     const base::Layout& layout) const override {
    const std::int64_t n = parameters.integer("n");
    if (n < process_grid(layout.ranks)[0]) return "each rank needs at least one column of cells";
    if (parameters.integer("steps") <= most_steps(n)) return "";
    return "after so many steps nothing is left of the plate's heat: at most " +
           std::to_string(most_steps(n)) + " steps at n=" + std::to_string(n);
  }

  harness::RankSchedule schedule(const base::Parameters& parameters,
                                 const base::Layout& layout) const override {
    const std::int64_t n = parameters.integer("n");
    const auto steps = static_cast<std::uint64_t>(parameters.integer("steps"));
    const bool overlap = parameters.boolean("overlap");
    const int ranks = layout.ranks;
    return [=](schedule::RankWriter& writer) {
      const Place place(n, writer.rank(), ranks);
      const double inner = overlap ? inner_cells(place) : 0.0;
      const double all = static_cast<double>(place.width * place.height);
      const auto diffuse = [&](double cells) {
        writer.phase(phase::diffuse, [&] {
          writer.compute({7.0 * cells, 16.0 * cells, 24.0 * cells});
        });
      };
      writer.phase(phase::start, [&] { writer.compute({all, 8.0 * all, 16.0 * all}); });
      writer.repeat(steps, [&] {
        std::vector<std::int32_t> open;
        writer.phase(phase::halo, [&] {
          open = start_halo(writer, place);
          if (!overlap) finish_halo(writer, open);
        });
        if (overlap) {
          diffuse(inner);
          writer.phase(phase::halo, [&] { finish_halo(writer, open); });
        }
        diffuse(all - inner);
      });
    };
  }

  void prepare(harness::Run& run) override {
    steps_ = run.parameters().integer("steps");
    overlap_ = run.parameters().boolean("overlap");
    place(run);
  }

  void repeat(harness::Run& run) override {
    simulate(run);
    const auto& seconds = run.phases().seconds();
    const double n = static_cast<double>(run.parameters().integer("n"));
    const double busy =
        seconds[run.phases().index(phase::halo)] + seconds[run.phases().index(phase::diffuse)];
    run.metrics().add("rate", 7.0 * n * n * static_cast<double>(steps_) / std::max(busy, 1e-12));
  }

  void check(harness::Run&, base::Checks& checks) override { check_decay(checks, ""); }

  void verify(harness::Run& run, base::Checks& checks) override {
    const int ranks = parallel::Communicator::world().size();
    const std::string refusal = refuse(run.parameters(), {ranks, 1});
    base::require(refusal.empty(), "heat cannot verify this", refusal, "change n or steps");
    steps_ = run.parameters().integer("steps");
    place(run);
    for (const bool overlap : {false, true}) {
      overlap_ = overlap;
      simulate(run);
      if (run.damaged()) plate_->at(0, 0) += 1e-3;
      check_decay(checks, overlap ? ", with overlap" : "");
    }
  }

 private:
  void place(harness::Run& run) {
    const auto world = parallel::Communicator::world();
    plate_.emplace(Place(run.parameters().integer("n"), world.rank(), world.size()));
  }

  void simulate(harness::Run& run) {
    const auto world = parallel::Communicator::world();
    const Place& place = plate_->place();
    const int halo_phase = run.phases().index(phase::halo),
              stencil = run.phases().index(phase::diffuse);
    {
      auto phase = run.phases().scope(run.phases().index(phase::start));
      plate_->start();
    }
    Halo halo(place, world.handle());
    for (std::int64_t step = 0; step < steps_; ++step) {
      {
        auto phase = run.phases().scope(halo_phase);
        halo.start(*plate_);
        if (!overlap_) halo.finish(*plate_);
      }
      if (overlap_) {
        {
          auto phase = run.phases().scope(stencil);
          plate_->diffuse(1, place.width - 1, 1, place.height - 1);
        }
        auto phase = run.phases().scope(halo_phase);
        halo.finish(*plate_);
      }
      auto phase = run.phases().scope(stencil);
      if (overlap_)
        diffuse_frame(place);
      else
        plate_->diffuse(0, place.width, 0, place.height);
      plate_->finish_step();
    }
  }

  // Own cells that need a neighbour's: the outermost lines, each once.
  void diffuse_frame(const Place& place) {
    const std::int64_t w = place.width, h = place.height;
    plate_->diffuse(0, w, 0, 1);
    if (h > 1) plate_->diffuse(0, w, h - 1, h);
    plate_->diffuse(0, 1, 1, h - 1);
    if (w > 1) plate_->diffuse(w - 1, w, 1, h - 1);
  }

  void check_decay(base::Checks& checks, const std::string& how) const {
    const double distance = plate_->distance_from_exact(steps_);
    checks.at_most("distance from the exact solution" + how,
                   parallel::Communicator::world().maximum(distance),
                   std::max(1e-12, 4.4e-16 * static_cast<double>(steps_)) *
                       height_after(plate_->place().n, steps_),
                   "a step shrinks an error as it does the plate's heat or more, so that roundings "
                   "of a few operations add up");
  }

  std::int64_t steps_ = 0;
  bool overlap_ = false;
  std::optional<Plate> plate_;
};

}  // namespace
}  // namespace hakaru::apps::heat

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<apps::heat::Heat>();
}
