#include "apps/multiblock_flow/solution_check.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "native/base/mixed_bits.hpp"
#include "native/base/require.hpp"

namespace hakaru::apps::multiblock_flow {
namespace {

using nlohmann::json;

constexpr const char* format_name = "hakaru multiblock_flow solution 1";

void refuse(const std::string& path, const std::string& why) {
  base::require(false, "cannot restart from " + path, why,
                "give a file that this program wrote for the same zones");
}

json extents_of(const Topology& topology) {
  json zones = json::array();
  for (const Zone& zone : topology) zones.push_back(zone.cells);
  return zones;
}

// Number of a cell among those of all zones.
std::uint64_t cell_number(const Topology& topology, const Local& local, const Index& cell) {
  std::uint64_t before = 0;
  for (int zone = 0; zone < local.block.zone; ++zone)
    before += static_cast<std::uint64_t>(topology[static_cast<std::size_t>(zone)].box().cells());
  const Index& n = topology[static_cast<std::size_t>(local.block.zone)].cells;
  const Index& begin = local.block.cells.begin;
  const std::int64_t rows =
      static_cast<std::int64_t>(begin[2] + cell[2]) * n[1] + begin[1] + cell[1];
  return before + static_cast<std::uint64_t>(rows * n[0] + begin[0] + cell[0]);
}

template <typename Use>
void for_cells(const Local& local, const Use& use) {
  for (int k = 0; k < local.cells[2]; ++k)
    for (int j = 0; j < local.cells[1]; ++j)
      for (int i = 0; i < local.cells[0]; ++i) use(Index{i, j, k});
}

bool is_gas(const State& q) {
  for (const double number : q)
    if (!std::isfinite(number)) return false;
  const double kinetic = 0.5 * (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) / q[0];
  return q[0] > 0.0 && q[4] > kinetic;
}

}  // namespace

std::string digest_of(const Solver& solver, Cells Local::*state) {
  std::uint64_t sum = 0;
  for (const Local& local : solver.blocks())
    for_cells(local, [&](const Index& cell) {
      std::uint64_t place = unknowns * cell_number(solver.problem().topology, local, cell);
      for (const double number : (local.*state).get(cell))
        sum += base::mixed_bits(std::bit_cast<std::uint64_t>(number) ^ base::mixed_bits(++place));
    });
  return fmt::format("{:016x}", solver.ranks().sum(sum));
}

std::string solution_header(const Solver& solver, const Moment& moment) {
  std::string header = json{{"format", format_name},
                            {"zones", extents_of(solver.problem().topology)},
                            {"steps", moment.steps},
                            {"time", moment.time},
                            {"digest", digest_of(solver, &Local::now)}}
                           .dump();
  header.resize(solution_header_bytes, ' ');
  return header;
}

SolutionHeader read_solution_header(const std::string& path, const Topology& topology) {
  std::ifstream stream(path, std::ios::binary);
  base::require(stream.good(), "cannot read the solution " + path, "there is no such file",
                "check its name");
  std::string text(solution_header_bytes, ' ');
  stream.read(text.data(), solution_header_bytes);
  const auto header = json::parse(text, nullptr, false);
  const bool known = header.is_object() && header.value("format", json()) == format_name;
  if (!known)
    refuse(path, static_cast<std::size_t>(stream.gcount()) < solution_header_bytes
                     ? fmt::format("it is truncated: it ends after {} B, within its header",
                                   stream.gcount())
                     : "it is not a solution of this program");
  if (header.value("zones", json()) != extents_of(topology))
    refuse(path, fmt::format("its zones have {} cells, not {}",
                             header.value("zones", json()).dump(), extents_of(topology).dump()));
  for (const char* name : {"steps", "time"})
    if (!header.contains(name) || !header[name].is_number())
      refuse(path, fmt::format("its header has no number `{}`", name));
  const std::size_t wanted = solution_bytes_before(topology, topology.size());
  std::error_code error;
  const std::size_t size = std::filesystem::file_size(path, error);
  if (error || size < wanted)
    refuse(path, fmt::format("it is truncated: it has {} of its {} B", size, wanted));
  if (size > wanted) refuse(path, "it is longer than it says");
  return {{header["steps"].get<std::int64_t>(), header["time"].get<double>()},
          header.value("digest", "")};
}

void require_gas(const std::string& path, const Solver& solver, const SolutionHeader& header) {
  const Topology& topology = solver.problem().topology;
  const std::int64_t none = cells_of(topology);
  std::int64_t first = none;
  for (const Local& local : solver.blocks())
    for_cells(local, [&](const Index& cell) {
      if (!is_gas(local.first.get(cell)))
        first = std::min(first, static_cast<std::int64_t>(cell_number(topology, local, cell)));
    });
  first = solver.ranks().minimum(first);
  if (first != none)
    refuse(path, fmt::format("cell {} has no finite state with a positive density and pressure",
                             first + 1));
  if (digest_of(solver, &Local::first) != header.digest)
    refuse(path, "its numbers do not match its digest: it was altered");
}

}  // namespace hakaru::apps::multiblock_flow
