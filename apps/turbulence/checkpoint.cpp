#include "apps/turbulence/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "apps/turbulence/canonical.hpp"
#include "native/base/require.hpp"
#include "native/parallel/shared_file.hpp"

namespace hakaru::apps::turbulence {
namespace {

using base::ExitCode;
using base::UserError;
using nlohmann::json;

constexpr const char* format_name = "hakaru turbulence checkpoint 1";
constexpr std::string_view header_begins =
    "{\"digest\":";  // names are in the order of the alphabet
static_assert(std::endian::native == std::endian::little, "checkpoints are little-endian");

std::vector<std::size_t> plane_offsets(int n) {
  std::vector<std::size_t> offsets{checkpoint_header_bytes};
  for (int kz = 0; kz < n / 2; ++kz)
    offsets.push_back(offsets.back() +
                      3 * sizeof(Complex) * static_cast<std::size_t>(plane_modes(n, kz)));
  return offsets;
}

// Throws on every rank the message of the first rank that has one.
void agree(const std::string& complaint, ExitCode code,
           const parallel::Communicator& communicator) {
  const int mine = complaint.empty() ? communicator.size() : communicator.rank();
  const int first = communicator.minimum(mine);
  if (first == communicator.size()) return;
  std::vector<char> text(complaint.begin(), complaint.end());
  std::vector<int> length{static_cast<int>(text.size())};
  communicator.broadcast(length, first);
  text.resize(length[0]);
  communicator.broadcast(text, first);
  throw UserError(code, std::string(text.begin(), text.end()));
}

std::string cannot_read(const std::string& path, const std::string& why) {
  return base::explain(fmt::format("cannot read the checkpoint {}", path), why,
                       "check the file's name");
}

std::string not_usable(const std::string& path, const std::string& why) {
  return base::explain(fmt::format("cannot restart from {}", path), why,
                       "give a checkpoint that this program wrote for the same n");
}

// The header of the file, or a complaint.
json read_header(const std::string& path, int n, std::string& complaint, ExitCode& code) {
  code = ExitCode::environment;
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) return complaint = cannot_read(path, std::strerror(errno)), json();
  std::string text(checkpoint_header_bytes, ' ');
  const std::size_t read = std::fread(text.data(), 1, checkpoint_header_bytes, file);
  std::fclose(file);
  code = ExitCode::usage;
  const std::string begins = text.substr(0, std::min(read, header_begins.size()));
  if (read < checkpoint_header_bytes && header_begins.starts_with(begins))
    return complaint = not_usable(path, fmt::format("it is truncated: {} bytes, and its header "
                                                    "alone has {}",
                                                    read, checkpoint_header_bytes)),
           json();
  const json header = json::parse(text, nullptr, false);
  if (read < checkpoint_header_bytes || !header.is_object() ||
      header.value("format", "") != format_name)
    return complaint = not_usable(path, "it is not a checkpoint of this program"), json();
  if (header.value("n", 0) != n)
    return complaint =
               not_usable(path, fmt::format("it holds n = {}, not {}", header.value("n", 0), n)),
           json();
  std::error_code error;
  const auto size = static_cast<double>(std::filesystem::file_size(path, error));
  if (error || size != checkpoint_bytes(n))
    complaint =
        not_usable(path, fmt::format("it {}: {:.0f} bytes instead of {:.0f}",
                                     size < checkpoint_bytes(n) ? "is truncated" : "is too long",
                                     size, checkpoint_bytes(n)));
  return header;
}

}  // namespace

double checkpoint_bytes(int n) { return static_cast<double>(plane_offsets(n).back()); }

void write_checkpoint(const std::string& path, const Grid& grid, const State& velocity,
                      Moment moment, double nu, const parallel::Communicator& communicator) {
  const std::string state_digest = digest(grid, velocity, communicator);
  const auto offsets = plane_offsets(grid.n());
  parallel::write_whole(communicator, path, [&](parallel::SharedFile& file) {
    for (int plane = 0; plane < grid.planes(); ++plane) {
      const auto values = pack_plane(grid, velocity, plane);
      if (!values.empty())
        file.write(offsets[grid.kz_of(plane)], values.data(), values.size() * sizeof(Complex));
    }
    if (grid.rank() != 0) return;
    std::string header = json{{"format", format_name}, {"n", grid.n()}, {"step", moment.step},
                              {"time", moment.time},   {"nu", nu},      {"digest", state_digest}}
                             .dump();
    header.resize(checkpoint_header_bytes, ' ');
    file.write(0, header.data(), header.size());
  });
}

Moment read_checkpoint(const std::string& path, const Grid& grid, State& velocity,
                       const parallel::Communicator& communicator) {
  std::string complaint;
  ExitCode code = ExitCode::usage;
  const json header = read_header(path, grid.n(), complaint, code);
  // A file that only some ranks can read is a fault of the environment.
  agree(complaint,
        communicator.all(code == ExitCode::usage) ? ExitCode::usage : ExitCode::environment,
        communicator);
  const auto offsets = plane_offsets(grid.n());
  parallel::SharedFile file(communicator, path, MPI_MODE_RDONLY);
  agree(file.is_open() ? "" : cannot_read(path, "MPI cannot open it"), ExitCode::environment,
        communicator);
  for (int plane = 0; plane < grid.planes(); ++plane) {
    const int kz = grid.kz_of(plane);
    std::vector<Complex> values(3 * plane_modes(grid.n(), kz));
    if (values.empty()) continue;
    file.read(offsets[kz], values.data(), values.size() * sizeof(Complex));
    unpack_plane(grid, values, plane, velocity);
  }
  file.close();
  agree(file.good() ? "" : cannot_read(path, "reading failed"), ExitCode::environment,
        communicator);
  const std::string found = digest(grid, velocity, communicator);
  base::require(found == header.value("digest", ""), fmt::format("cannot restart from {}", path),
                "its content does not match its digest: it was altered", "give another checkpoint");
  return {header.value("step", std::int64_t{0}), header.value("time", 0.0)};
}

}  // namespace hakaru::apps::turbulence
