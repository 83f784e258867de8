#include "apps/multiblock_flow/solution_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "apps/multiblock_flow/solution_check.hpp"
#include "native/base/require.hpp"
#include "native/parallel/shared_file.hpp"

namespace hakaru::apps::multiblock_flow {
namespace {

static_assert(std::endian::native == std::endian::little);

// The numbers of a block as in its runs.
std::vector<double> packed(const Local& local) {
  std::vector<double> numbers;
  numbers.reserve(static_cast<std::size_t>(unknowns * local.block.cells.cells()));
  for (int u = 0; u < unknowns; ++u)
    for (int k = 0; k < local.cells[2]; ++k)
      for (int j = 0; j < local.cells[1]; ++j) {
        const double* row = local.now.at(u, 0, j, k);
        numbers.insert(numbers.end(), row, row + local.cells[0]);
      }
  return numbers;
}

class Writer {
 public:
  Writer(const Solver& solver, const Division& division)
      : solver_(solver),
        topology_(solver.problem().topology),
        division_(division),
        ranks_(solver.ranks()) {}

  void independent(parallel::SharedFile& file) const {
    for (const Local& local : solver_.blocks()) {
      const std::vector<double> numbers = packed(local);
      const Runs runs = runs_of(topology_, local.block);
      for (std::int64_t r = 0; r < runs.count; ++r)
        file.write(place_of_run(topology_, local.block, r), &numbers[r * runs.numbers],
                   sizeof(double) * static_cast<std::size_t>(runs.numbers));
    }
  }

  // One call for all cells of the rank, in the order of the file.
  void collective(parallel::SharedFile& file) const {
    struct Run {
      std::size_t place;
      const double* from;
      int bytes;
    };
    std::vector<std::vector<double>> blocks;
    std::vector<Run> all;
    for (const Local& local : solver_.blocks()) {
      const double* from = blocks.emplace_back(packed(local)).data();
      const Runs runs = runs_of(topology_, local.block);
      for (std::int64_t r = 0; r < runs.count; ++r)
        all.push_back({place_of_run(topology_, local.block, r), from + r * runs.numbers,
                       static_cast<int>(sizeof(double) * runs.numbers)});
    }
    std::ranges::sort(all, {}, &Run::place);
    std::vector<std::size_t> places;
    std::vector<int> lengths;
    std::vector<char> bytes;
    for (const Run& run : all) {
      places.push_back(run.place), lengths.push_back(run.bytes);
      const char* begin = reinterpret_cast<const char*>(run.from);
      bytes.insert(bytes.end(), begin, begin + run.bytes);
    }
    file.write_all(places, lengths, bytes.data());
  }

  void master(parallel::SharedFile& file) const {
    const int rank = ranks_.rank();
    for (std::size_t zone = 0; zone < topology_.size(); ++zone) {
      const std::size_t begin = solution_bytes_before(topology_, zone);
      std::vector<double> whole;
      if (rank == 0)
        whole.resize(unknowns * static_cast<std::size_t>(topology_[zone].box().cells()));
      for (std::size_t number = 0; number < division_.blocks.size(); ++number) {
        const Block& block = division_.blocks[number];
        if (block.zone != static_cast<int>(zone) || (rank != 0 && block.owner != rank)) continue;
        const std::vector<double> numbers = at_master(static_cast<int>(number), block);
        if (rank != 0) continue;
        const Runs runs = runs_of(topology_, block);
        for (std::int64_t r = 0; r < runs.count; ++r)
          std::copy_n(&numbers[r * runs.numbers], runs.numbers,
                      &whole[(place_of_run(topology_, block, r) - begin) / sizeof(double)]);
      }
      if (rank == 0) file.write(begin, whole.data(), whole.size() * sizeof(double));
    }
  }

  // Records as Fortran's sequential unformatted files have them: length, content, length.
  void split(parallel::SharedFile& file, const Moment& moment) const {
    std::size_t at = 0;
    const auto record = [&](const void* content, std::size_t bytes) {
      const auto length = static_cast<std::uint32_t>(bytes);
      std::vector<char> text(bytes + 8);
      std::memcpy(text.data(), &length, 4);
      std::memcpy(text.data() + 4, content, bytes);
      std::memcpy(text.data() + 4 + bytes, &length, 4);
      file.write(at, text.data(), text.size());
      at += text.size();
    };
    char begin[12];
    const auto steps = static_cast<std::int32_t>(moment.steps);
    std::memcpy(begin, &steps, 4);
    std::memcpy(begin + 4, &moment.time, 8);
    record(begin, sizeof begin);
    for (const Local& local : solver_.blocks()) {
      const std::vector<double> numbers = packed(local);
      const std::size_t cells = numbers.size() / unknowns;
      for (int u = 0; u < unknowns; ++u) record(&numbers[u * cells], cells * sizeof(double));
    }
  }

 private:
  // The numbers of a block, on rank 0; sent there by its owner.
  std::vector<double> at_master(int number, const Block& block) const {
    const auto count = static_cast<int>(unknowns * block.cells.cells());
    if (block.owner == ranks_.rank()) {
      auto numbers =
          packed(solver_.blocks()[static_cast<std::size_t>(number - solver_.blocks()[0].number)]);
      if (ranks_.rank() != 0)
        HAKARU_MPI(MPI_Send(numbers.data(), count, MPI_DOUBLE, 0, 1, ranks_.handle()));
      return numbers;
    }
    std::vector<double> numbers(static_cast<std::size_t>(count));
    HAKARU_MPI(MPI_Recv(numbers.data(), count, MPI_DOUBLE, block.owner, 1, ranks_.handle(),
                        MPI_STATUS_IGNORE));
    return numbers;
  }

  const Solver& solver_;
  const Topology& topology_;
  const Division& division_;
  const parallel::Communicator& ranks_;
};

}  // namespace

std::string split_name(const std::string& path, int rank) {
  return fmt::format("{}.{:04d}", path, rank);
}

void write_solution(const std::string& path, Way way, const Solver& solver,
                    const Division& division, const Moment& moment) {
  const parallel::Communicator& ranks = solver.ranks();
  const Writer writer(solver, division);
  if (way == Way::split) {
    const auto alone = parallel::Communicator::borrow(MPI_COMM_SELF);
    parallel::write_whole(ranks, alone, split_name(path, ranks.rank()),
                          [&](parallel::SharedFile& file) { writer.split(file, moment); });
    return;
  }
  const std::string header = solution_header(solver, moment);
  parallel::write_whole(ranks, path, [&](parallel::SharedFile& file) {
    if (ranks.rank() == 0) file.write(0, header.data(), header.size());
    if (way == Way::collective) writer.collective(file);
    if (way == Way::independent) writer.independent(file);
    if (way == Way::master) writer.master(file);
  });
}

Moment read_solution(const std::string& path, Solver& solver, const Division& division) {
  const Topology& topology = solver.problem().topology;
  const parallel::Communicator& ranks = solver.ranks();
  const SolutionHeader header = read_solution_header(path, topology);
  parallel::SharedFile file(ranks, path, MPI_MODE_RDONLY);
  base::require_environment(ranks.all(file.is_open()), "cannot read " + path,
                            "not all ranks can open it", "put it where all hosts see it");
  for (Local& local : solver.blocks()) {
    const Block& block = division.blocks[static_cast<std::size_t>(local.number)];
    const Runs runs = runs_of(topology, block);
    std::vector<double> run(static_cast<std::size_t>(runs.numbers));
    std::int64_t at = 0;
    for (std::int64_t r = 0; r < runs.count; ++r) {
      file.read(place_of_run(topology, block, r), run.data(), run.size() * sizeof(double));
      for (std::size_t n = 0; n < run.size(); n += static_cast<std::size_t>(local.cells[0])) {
        const std::int64_t row = at / local.cells[0];
        const int j = static_cast<int>(row % local.cells[1]);
        const int k = static_cast<int>(row / local.cells[1] % local.cells[2]);
        const int u = static_cast<int>(row / local.cells[1] / local.cells[2]);
        std::copy_n(&run[n], local.cells[0], local.first.at(u, 0, j, k));
        at += local.cells[0];
      }
    }
  }
  file.close();
  base::require_environment(ranks.all(file.good()), "cannot read " + path, "reading failed",
                            "check the file system");
  require_gas(path, solver, header);
  solver.set_time(header.moment.time);
  return header.moment;
}

}  // namespace hakaru::apps::multiblock_flow
