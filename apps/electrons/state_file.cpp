#include "apps/electrons/state_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "native/base/require.hpp"
#include "native/parallel/shared_file.hpp"

namespace hakaru::apps::electrons {
namespace {

constexpr const char* format_name = "hakaru electrons state 1";

void refuse_file(const std::string& path, const std::string& why) {
  base::require(false, "cannot use " + path, why,
                "give a file that this program wrote for the same crystal, grid and k-points");
}

void require_whole(bool whole, const std::string& path, const std::string& why) {
  base::require(whole, "cannot use " + path, "it is truncated: " + why,
                "give one that was written to its end");
}

std::size_t block_at(const StateShape& shape, const Orbitals& orbitals, int point, int k) {
  return shape.orbitals_offset() + shape.orbital_block() * (std::size_t(point) * shape.k_points +
                                                            std::size_t(orbitals.first_k() + k));
}

}  // namespace

void write_state(const std::string& path, const StateShape& shape, const StatePart& part,
                 const parallel::Communicator& ranks) {
  parallel::write_whole(ranks, path, [&](parallel::SharedFile& file) {
    if (part.leader) {
      for (std::size_t i = 0; i < part.points.size(); ++i)
        file.write(shape.points_offset() + 8 * shape.of_point * (part.first_point + i),
                   part.points[i].data(), 8 * shape.of_point);
      if (shape.film_cells > 0) {
        const std::size_t at = shape.film_offset() + 8 * std::size_t(part.first_cell);
        file.write(at, part.film_now.data(), 8 * part.film_now.size());
        file.write(at + 8 * shape.film_cells, part.film_last.data(), 8 * part.film_last.size());
      }
    }
    for (std::size_t i = 0; i < part.orbitals.size(); ++i)
      for (int k = 0; k < part.orbitals[i]->k_count(); ++k)
        file.write(block_at(shape, *part.orbitals[i], part.first_point + int(i), k),
                   part.orbitals[i]->at(k, 0), shape.orbital_block());
    if (ranks.rank() == 0) {
      std::string header = nlohmann::json{
          {"format", format_name},
          {"identity", shape.identity},
          {"shared",
           shape.shared}}.dump();
      header.resize(state_header_bytes, ' ');
      file.write(0, header.data(), header.size());
      file.write(state_header_bytes, part.shared.data(), 8 * shape.shared);
    }
  });
}

namespace {

nlohmann::json header_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  base::require(stream.good(), "cannot read " + path, "there is no such file", "check its name");
  std::string text(state_header_bytes, ' ');
  stream.read(text.data(), std::streamsize(text.size()));
  const auto read = static_cast<std::size_t>(stream.gcount());
  const std::string opening = fmt::format("{{\"format\":\"{}\"", format_name);
  const std::size_t known = std::min(read, opening.size());
  require_whole(read == text.size() || text.compare(0, known, opening, 0, known) != 0, path,
                fmt::format("it ends after {} B, within its header", read));
  auto header = nlohmann::json::parse(text, nullptr, false);
  if (!header.is_object() || header.value("format", nlohmann::json()) != format_name ||
      !header.contains("identity") || !header["identity"].is_object() ||
      !header.value("shared", nlohmann::json()).is_number_unsigned())
    refuse_file(path, "it is not a file of this program");
  return header;
}

}  // namespace

std::string kind_of_state(const std::string& path) {
  return header_of(path).at("identity").value("what", "something else");
}

std::size_t shared_numbers(const std::string& path, const StateShape& shape) {
  const nlohmann::json header = header_of(path);
  const auto& identity = header.at("identity");
  if (identity.value("what", "") != shape.identity.at("what"))
    refuse_file(path, fmt::format("it is a {}, not a {}", identity.value("what", "something else"),
                                  shape.identity.at("what").get<std::string>()));
  for (const auto& [key, value] : shape.identity.items())
    if (!identity.contains(key) || identity.at(key) != value)
      refuse_file(path, fmt::format("its {} is {}, not {}", key,
                                    identity.contains(key) ? identity.at(key).dump() : "missing",
                                    value.dump()));
  StateShape whole = shape;
  whole.shared = header.value("shared", std::size_t{0});
  std::error_code error;
  const std::size_t size = std::filesystem::file_size(path, error);
  require_whole(!error && size >= whole.bytes(), path,
                fmt::format("it has {} of its {} B", size, whole.bytes()));
  if (size > whole.bytes()) refuse_file(path, "it is longer than it says");
  return whole.shared;
}

void read_state(const std::string& path, const StateShape& shape, StatePart& part,
                const parallel::Communicator& ranks) {
  parallel::SharedFile file(ranks, path, MPI_MODE_RDONLY);
  base::require_environment(ranks.all(file.is_open()), "cannot read " + path,
                            "not all ranks can open it", "put it where all hosts see it");
  part.shared.resize(shape.shared);
  file.read(state_header_bytes, part.shared.data(), 8 * shape.shared);
  for (std::size_t i = 0; i < part.points.size(); ++i) {
    part.points[i].resize(shape.of_point);
    file.read(shape.points_offset() + 8 * shape.of_point * (part.first_point + i),
              part.points[i].data(), 8 * shape.of_point);
  }
  if (shape.film_cells > 0) {
    const std::size_t at = shape.film_offset() + 8 * std::size_t(part.first_cell);
    file.read(at, part.film_now.data(), 8 * part.film_now.size());
    file.read(at + 8 * shape.film_cells, part.film_last.data(), 8 * part.film_last.size());
  }
  for (std::size_t i = 0; i < part.orbitals.size(); ++i)
    for (int k = 0; k < part.orbitals[i]->k_count(); ++k)
      file.read(block_at(shape, *part.orbitals[i], part.first_point + int(i), k),
                part.orbitals[i]->at(k, 0), shape.orbital_block());
  file.close();
  base::require_environment(ranks.all(file.good()), "cannot read " + path, "reading failed",
                            "check the file system");
}

}  // namespace hakaru::apps::electrons
