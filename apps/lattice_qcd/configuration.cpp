#include "apps/lattice_qcd/configuration.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "native/base/mixed_bits.hpp"
#include "native/base/require.hpp"
#include "native/parallel/shared_file.hpp"

namespace hakaru::apps::lattice_qcd {
namespace {

constexpr const char* format_name = "hakaru lattice_qcd configuration 1";
constexpr std::size_t header_bytes = 4096, site_bytes = axes * sizeof(Matrix);
// Rounding of links that were made orthonormal before they were written.
constexpr double most_distance_from_su3 = 1e-12;
static_assert(sizeof(Matrix) == 144 && std::endian::native == std::endian::little);

void refuse(const std::string& path, const std::string& why) {
  base::require(false, "cannot use the configuration " + path, why,
                "give one that this program wrote for the same lattice");
}

// Rows along x of this rank: where they stand in the file, and their first site.
template <typename Use>
void for_rows(const Place& place, const Use& use) {
  Extents rows = place.local;
  rows[0] = 1;
  for (std::int64_t i = 0; i < product(rows); ++i) {
    const Extents x = point_of(i, rows);
    use(header_bytes + site_bytes * static_cast<std::size_t>(place.global_index(x)), x);
  }
}

// Changes with any bit of any link and with its place; the same for every division. Collective.
std::string digest(const GaugeField& field) {
  const Place& place = field.place();
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < product(place.local); ++i) {
    const Extents x = point_of(i, place.local);
    auto position = static_cast<std::uint64_t>(place.global_index(x)) * axes * 18;
    for (int axis = 0; axis < axes; ++axis) {
      const Matrix& link = field.at(x, axis);
      const double* numbers = reinterpret_cast<const double*>(&link);
      for (int n = 0; n < 18; ++n)
        sum += base::mixed_bits(std::bit_cast<std::uint64_t>(numbers[n]) ^
                                base::mixed_bits(++position));
    }
  }
  return fmt::format("{:016x}", field.ranks().sum(sum));
}

nlohmann::json header_of(const std::string& path, const Lattice& lattice) {
  std::ifstream stream(path, std::ios::binary);
  base::require(stream.good(), "cannot read the configuration " + path, "there is no such file",
                "check its name");
  std::string text(header_bytes, ' ');
  stream.read(text.data(), header_bytes);
  const auto header = nlohmann::json::parse(text, nullptr, false);
  if (!header.is_object() || header.value("format", nlohmann::json()) != format_name)
    refuse(path, static_cast<std::size_t>(stream.gcount()) < header_bytes
                     ? fmt::format("it is truncated: it ends after {} B, within its header",
                                   stream.gcount())
                     : "it is not a configuration of this program");
  if (header.value("extents", nlohmann::json()) != nlohmann::json(lattice.extents))
    refuse(path, fmt::format("its lattice is {}, not [{}]",
                             header.value("extents", nlohmann::json()).dump(),
                             fmt::join(lattice.extents, ",")));
  for (const char* name : {"beta", "sweeps", "plaquette"})
    if (!header.contains(name) || !header[name].is_number())
      refuse(path, fmt::format("its header has no number `{}`", name));
  const std::size_t wanted = header_bytes + site_bytes * static_cast<std::size_t>(lattice.sites());
  std::error_code error;
  const std::size_t size = std::filesystem::file_size(path, error);
  if (error || size < wanted)
    refuse(path, fmt::format("it is truncated: it has {} of its {} B", size, wanted));
  if (size > wanted) refuse(path, "it is longer than it says");
  return header;
}

}  // namespace

void write_configuration(const std::string& path, const GaugeField& field, const Origin& origin) {
  const std::string bits = digest(field);
  const double mean = plaquette(field);
  const parallel::Communicator& ranks = field.ranks();
  const Place& place = field.place();
  parallel::write_whole(ranks, path, [&](parallel::SharedFile& file) {
    std::vector<Matrix> row(static_cast<std::size_t>(place.local[0]) * axes);
    for_rows(place, [&](std::size_t at, Extents x) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        x[0] = static_cast<int>(i) / axes;
        row[i] = field.at(x, static_cast<int>(i) % axes);
      }
      file.write(at, row.data(), row.size() * sizeof(Matrix));
    });
    if (ranks.rank() == 0) {
      std::string header =
          nlohmann::json{{"format", format_name}, {"extents", place.lattice.extents},
                         {"beta", origin.beta},   {"sweeps", origin.sweeps},
                         {"plaquette", mean},     {"digest", bits}}
              .dump();
      header.resize(header_bytes, ' ');
      file.write(0, header.data(), header.size());
    }
  });
}

Origin read_configuration(const std::string& path, GaugeField& field) {
  const Place& place = field.place();
  const parallel::Communicator& ranks = field.ranks();
  const nlohmann::json header = header_of(path, place.lattice);
  parallel::SharedFile file(ranks, path, MPI_MODE_RDONLY);
  base::require_environment(ranks.all(file.is_open()), "cannot read " + path,
                            "not all ranks can open it", "put it where all hosts see it");
  std::vector<Matrix> row(static_cast<std::size_t>(place.local[0]) * axes);
  for_rows(place, [&](std::size_t at, Extents x) {
    file.read(at, row.data(), row.size() * sizeof(Matrix));
    for (std::size_t i = 0; i < row.size(); ++i) {
      x[0] = static_cast<int>(i) / axes;
      field.at(x, static_cast<int>(i) % axes) = row[i];
    }
  });
  file.close();
  base::require_environment(ranks.all(file.good()), "cannot read " + path, "reading failed",
                            "check the file system");
  const double distance = field.distance_from_su3();
  if (!ranks.all(distance <= most_distance_from_su3))
    refuse(path, "not all of its links are in SU(3)");
  if (digest(field) != header.value("digest", ""))
    refuse(path, "its links do not match its digest: it was altered");
  field.exchange();
  return {header.value("beta", 0.0), header.value("sweeps", std::int64_t{0})};
}

}  // namespace hakaru::apps::lattice_qcd
