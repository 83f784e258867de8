#include "apps/multiblock_flow/schedule.hpp"

#include "apps/multiblock_flow/phases.hpp"

namespace hakaru::apps::multiblock_flow {
namespace {

using schedule::Collective;
using schedule::Kind;
using schedule::RankWriter;
using schedule::Work;

constexpr double real_bytes = sizeof(double);

// Loads and stores of numbers; the line of each store is read first.
Work work(double flops, double words, double written) {
  return {flops, real_bytes * words, real_bytes * (words + written), -1.0};
}

int axes_with_waves(const Zone& zone) {
  int count = 0;
  for (const int cells : zone.cells) count += cells > 1;
  return count;
}

// What one rank does, of the counts of its blocks.
class Writer {
 public:
  Writer(RankWriter& writer, const Repetition& r)
      : writer_(writer),
        r_(r),
        layers_(layers_of(r.scheme)),
        own_(r.division.of_rank(writer.rank())),
        exchange_(exchange_of(r.topology, r.division, writer.rank(), layers_)) {
    for (const int number : own_) {
      const Block& block = r_.division.blocks[static_cast<std::size_t>(number)];
      cells_ += static_cast<double>(block.cells.cells());
      numbers_ += static_cast<double>(Cells::numbers_for(block_extents(block)));
    }
  }

  void repetition() {
    writer_.phase(phase::start, [&] {
      Work copied = work(0.0, 2.0 * numbers_, numbers_);
      double flops = 0.0;
      for (const int number : own_) {
        const Block& block = r_.division.blocks[static_cast<std::size_t>(number)];
        const int waves = axes_with_waves(r_.topology[static_cast<std::size_t>(block.zone)]);
        flops += (19.0 + 21.0 * waves) * static_cast<double>(block.cells.cells());
      }
      const Work waved = work(flops, (unknowns + metric_numbers) * cells_, 0.0);
      writer_.compute({flops, copied.bytes + waved.bytes,
                       copied.bytes_write_allocate + waved.bytes_write_allocate, -1.0});
    });
    agree_on_waves();
    writer_.repeat(static_cast<std::uint64_t>(r_.steps), [&] {
      const int stages = stages_of(r_.scheme);
      for (int stage = 0; stage < stages; ++stage) one_stage(stage > 0, stage == stages - 1);
      agree_on_waves();
    });
    if (r_.writes) writer_.phase(phase::output, [&] { output(); });
  }

 private:
  static Index block_extents(const Block& block) {
    return {block.cells.size(0), block.cells.size(1), block.cells.size(2)};
  }

  void agree_on_waves() {
    writer_.phase(phase::reduction,
                  [&] { writer_.collective(Collective::allreduce, sizeof(double)); });
  }

  void one_stage(bool reads_base, bool last) {
    std::vector<std::int32_t> open;
    writer_.phase(phase::halo, [&] {
      for (const Peer& peer : exchange_.peers)
        open.push_back(writer_.ireceive(peer.rank, 0, bytes_of(peer.receive)));
      for (const Peer& peer : exchange_.peers)
        open.push_back(writer_.isend(peer.rank, 0, bytes_of(peer.send)));
    });
    writer_.phase(phase::boundary, [&] {
      const auto copied = static_cast<double>(numbers_of(exchange_.local)) + boundary_numbers();
      writer_.compute(work(0.0, 2.0 * copied, copied));
    });
    writer_.phase(phase::halo, [&] {
      for (const std::int32_t request : open) writer_.wait(request);
    });
    writer_.phase(phase::flux, [&] { writer_.compute(flux(reads_base, last)); });
  }

  static std::uint64_t bytes_of(const std::vector<Transfer>& transfers) {
    return sizeof(double) * static_cast<std::uint64_t>(numbers_of(transfers));
  }

  // Of ghosts outside of the flow.
  double boundary_numbers() const {
    std::int64_t ghosts = 0;
    for (const int number : own_) {
      const Block& block = r_.division.blocks[static_cast<std::size_t>(number)];
      const Zone& zone = r_.topology[static_cast<std::size_t>(block.zone)];
      for (int side = 0; side < sides; ++side) {
        const int axis = axis_of(side);
        const bool at_end = is_high(side) ? block.cells.end[axis] == zone.cells[axis]
                                          : block.cells.begin[axis] == 0;
        if (at_end && zone.faces[side].boundary != Boundary::joined)
          ghosts += ghosts_of(block.cells, side, layers_).cells();
      }
    }
    return unknowns * static_cast<double>(ghosts);
  }

  Work flux(bool reads_base, bool last) const {
    Work sum{0.0, 0.0, 0.0, -1.0};
    for (const int number : own_) {
      const Block& block = r_.division.blocks[static_cast<std::size_t>(number)];
      const Zone& zone = r_.topology[static_cast<std::size_t>(block.zone)];
      const CellWork one = cell_work(r_.scheme, reads_base, last ? axes_with_waves(zone) : 0);
      const auto cells = static_cast<double>(block.cells.cells());
      const Work all = work(one.flops * cells, one.words * cells, one.written * cells);
      sum.flops += all.flops;
      sum.bytes += all.bytes;
      sum.bytes_write_allocate += all.bytes_write_allocate;
    }
    return sum;
  }

  void output() {
    const bool split = r_.way == Way::split;
    const std::uint32_t communicator =
        split ? writer_.split("self", [](int rank) { return rank; }) : schedule::world;
    if (!split) writer_.collective(Collective::allreduce, sizeof(std::uint64_t));  // digest
    const auto parts = [&] {
      if (split) return records(communicator);
      if (writer_.rank() == 0) writer_.file_part(Kind::file_write, solution_header_bytes);
      if (r_.way == Way::collective)
        writer_.file(Kind::file_write, static_cast<std::uint64_t>(unknowns * real_bytes * cells_),
                     true);
      if (r_.way == Way::independent) independent();
      if (r_.way == Way::master) master();
    };
    writer_.whole_file(parts, communicator);
  }

  void records(std::uint32_t communicator) {
    writer_.file_part(Kind::file_write, 12 + 8, communicator);
    for (const int number : own_) {
      const std::int64_t cells = r_.division.blocks[static_cast<std::size_t>(number)].cells.cells();
      for (int u = 0; u < unknowns; ++u)
        writer_.file_part(Kind::file_write, sizeof(double) * static_cast<std::uint64_t>(cells) + 8,
                          communicator);
    }
  }

  void independent() {
    for (const int number : own_) {
      const Runs runs = runs_of(r_.topology, r_.division.blocks[static_cast<std::size_t>(number)]);
      writer_.repeat(static_cast<std::uint64_t>(runs.count), [&] {
        writer_.file_part(Kind::file_write,
                          sizeof(double) * static_cast<std::uint64_t>(runs.numbers));
      });
    }
  }

  void master() {
    const int rank = writer_.rank();
    for (std::size_t zone = 0; zone < r_.topology.size(); ++zone) {
      for (const Block& block : r_.division.blocks) {
        if (block.zone != static_cast<int>(zone) || block.owner == 0) continue;
        const auto bytes =
            sizeof(double) * static_cast<std::uint64_t>(unknowns * block.cells.cells());
        if (rank == 0) writer_.receive(block.owner, 1, bytes);
        if (rank == block.owner) writer_.send(0, 1, bytes);
      }
      if (rank == 0)
        writer_.file_part(Kind::file_write,
                          sizeof(double) * static_cast<std::uint64_t>(
                                               unknowns * r_.topology[zone].box().cells()));
    }
  }

  RankWriter& writer_;
  const Repetition& r_;
  int layers_;
  std::vector<int> own_;
  Exchange exchange_;
  double cells_ = 0.0, numbers_ = 0.0;
};

}  // namespace

harness::RankSchedule rank_schedule(const Repetition& repetition) {
  const auto shared = std::make_shared<Repetition>(repetition);
  return [shared](RankWriter& writer) { Writer(writer, *shared).repetition(); };
}

double memory_of(const Repetition& r) {
  double numbers = 0.0;
  const double copies = stages_of(r.scheme) > 1 ? 4.0 : 3.0;
  for (const Block& block : r.division.blocks) {
    const Index n{block.cells.size(0), block.cells.size(1), block.cells.size(2)};
    numbers += copies * static_cast<double>(Cells::numbers_for(n)) +
               static_cast<double>(Metrics::numbers_for(n));
  }
  return real_bytes * numbers;
}

}  // namespace hakaru::apps::multiblock_flow
