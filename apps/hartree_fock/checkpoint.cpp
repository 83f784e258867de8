#include "apps/hartree_fock/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "native/base/atomic_file.hpp"
#include "native/base/mixed_bits.hpp"
#include "native/base/require.hpp"
#include "native/parallel/shared_file.hpp"

namespace hakaru::apps::hartree_fock {
namespace {

using nlohmann::json;

constexpr const char* format_name = "hakaru hartree_fock density 1";
static_assert(std::endian::native == std::endian::little, "checkpoints are little-endian");

std::string digest_of(const std::vector<double>& numbers) {
  std::uint64_t digest = numbers.size();
  for (const double number : numbers)
    digest = base::mixed_bits(digest * base::golden_step + std::bit_cast<std::uint64_t>(number));
  return fmt::format("{:016x}", digest);
}

// Atoms and charge, by their bits.
std::string molecule_digest(const Molecule& molecule) {
  std::vector<double> numbers{double(molecule.charge)};
  for (const Atom& atom : molecule.atoms)
    numbers.insert(numbers.end(), {double(atom.element), atom.at[0], atom.at[1], atom.at[2]});
  return digest_of(numbers);
}

json header_of(const Settings& settings, int functions, const Matrix& density) {
  return {{"format", format_name},
          {"basis", settings.basis},
          {"functions", functions},
          {"molecule", molecule_digest(settings.molecule)},
          {"digest", digest_of(density)}};
}

// Why the file cannot be used, or "".
std::string fault(const std::string& text, const Settings& settings, int functions,
                  Matrix& density) {
  const json header = json::parse(text.substr(0, checkpoint_header_bytes), nullptr, false);
  if (!header.is_object() || header.value("format", json()) != format_name)
    return "it is not a density of this program";
  const json expected = header_of(settings, functions, {});
  for (const char* key : {"basis", "functions", "molecule"})
    if (header.value(key, json()) != expected.at(key))
      return fmt::format("its {} is another: {}", key, header.value(key, json()).dump());
  const std::size_t size = static_cast<std::size_t>(functions) * functions;
  if (text.size() != checkpoint_header_bytes + 8 * size)
    return fmt::format("it has {} B instead of {}", text.size(),
                       checkpoint_header_bytes + 8 * size);
  density.resize(size);
  std::memcpy(density.data(), text.data() + checkpoint_header_bytes, 8 * size);
  if (!std::ranges::all_of(density, [](double x) { return std::isfinite(x); }))
    return "a number in it is not finite";
  if (header.value("digest", json()) != digest_of(density))
    return "its numbers are not those that were written";
  return "";
}

}  // namespace

void write_checkpoint(const std::string& path, const Settings& settings, int functions,
                      const Matrix& density, const parallel::Communicator& world) {
  parallel::write_whole(world, path, [&](parallel::SharedFile& file) {
    if (world.rank() != 0) return;
    std::string header = header_of(settings, functions, density).dump();
    header.resize(checkpoint_header_bytes, ' ');
    file.write(0, header.data(), header.size());
    file.write(checkpoint_header_bytes, density.data(), 8 * density.size());
  });
}

Matrix read_checkpoint(const std::string& path, const Settings& settings, int functions,
                       const parallel::Communicator& world) {
  // Every rank reads it, so that every rank finds the same fault.
  (void)world;
  Matrix density;
  const std::string why = fault(base::read_file(path), settings, functions, density);
  base::require(why.empty(), "cannot restart from " + path, why,
                "give a checkpoint that this program wrote for the same molecule and basis");
  return density;
}

}  // namespace hakaru::apps::hartree_fock
