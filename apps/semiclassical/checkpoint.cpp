#include "apps/semiclassical/checkpoint.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "native/base/atomic_file.hpp"
#include "native/base/mixed_bits.hpp"
#include "native/base/require.hpp"
#include "native/parallel/shared_file.hpp"

namespace hakaru::apps::semiclassical {
namespace {

using nlohmann::json;
using parallel::ExactImage;

constexpr const char* format_name = "hakaru semiclassical sums 1";
static_assert(std::endian::native == std::endian::little, "checkpoints are little-endian");
static_assert(sizeof(ExactImage) == 8 * (ExactImage::limbs + 1));

class Digest {
 public:
  void add(std::uint64_t word) { state_ = base::mixed_bits(state_ * base::golden_step + word + 1); }
  void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }
  std::string text() const { return fmt::format("{:016x}", state_); }

 private:
  std::uint64_t state_ = 0;
};

// Of everything that changes what one trajectory adds.
std::string problem_digest(const Settings& s) {
  Digest digest;
  for (const double number : {double(int(s.model.potential)), double(s.model.n), s.model.coupling,
                              s.model.depth, s.model.range, s.hbar, s.width, s.dt,
                              s.most_energy_change, double(s.steps), double(s.interval)})
    digest.add(number);
  digest.add(s.seed);
  for (const double q : s.centre_q) digest.add(q);
  for (const double p : s.centre_p) digest.add(p);
  return digest.text();
}

std::string sums_digest(const std::vector<ExactImage>& images) {
  Digest digest;
  for (const ExactImage& image : images) {
    for (const std::uint64_t limb : image.limb) digest.add(limb);
    digest.add(image.special);
  }
  return digest.text();
}

json header_of(const Settings& settings, const Sums& sums) {
  return {{"format", format_name},
          {"problem", problem_digest(settings)},
          {"trajectories", sums.done},
          {"worst_branch", sums.worst_branch},
          {"worst_energy", sums.worst_energy},
          {"digest", sums_digest(sums.images)}};
}

bool is_worst(const json& header, const char* key) {
  const auto found = header.find(key);
  return found != header.end() && found->is_number() && std::isfinite(found->get<double>());
}

// Why the file cannot be used, or "".
std::string fault(const std::string& text, const Settings& settings, Sums& sums) {
  const json header = json::parse(text.substr(0, checkpoint_header_bytes), nullptr, false);
  if (!header.is_object() || header.value("format", json()) != format_name)
    return "it is not a checkpoint of this program";
  if (header.value("problem", json()) != problem_digest(settings))
    return "it is of other parameters, or of another geometry";
  const std::size_t bytes = sizeof(ExactImage) * sums.images.size();
  if (text.size() != checkpoint_header_bytes + bytes)
    return fmt::format("it has {} B instead of {}", text.size(), checkpoint_header_bytes + bytes);
  const json done = header.value("trajectories", json());
  if (!done.is_number_integer() || done.get<std::int64_t>() < 1 ||
      !is_worst(header, "worst_branch") || !is_worst(header, "worst_energy"))
    return "a number of its header is missing or makes no sense";
  std::memcpy(sums.images.data(), text.data() + checkpoint_header_bytes, bytes);
  if (header.value("digest", json()) != sums_digest(sums.images))
    return "its sums are not those that were written";
  sums.done = done.get<std::int64_t>();
  sums.worst_branch = header.at("worst_branch").get<double>();
  sums.worst_energy = header.at("worst_energy").get<double>();
  if (sums.done > settings.trajectories)
    return fmt::format("it has {} trajectories already, and trajectories={}", sums.done,
                       settings.trajectories);
  return "";
}

}  // namespace

void write_checkpoint(const std::string& path, const Settings& settings, const Sums& sums,
                      const parallel::Communicator& world) {
  parallel::write_whole(world, path, [&](parallel::SharedFile& file) {
    if (world.rank() != 0) return;
    std::string header = header_of(settings, sums).dump();
    header.resize(checkpoint_header_bytes, ' ');
    file.write(0, header.data(), header.size());
    file.write(checkpoint_header_bytes, sums.images.data(),
               sizeof(ExactImage) * sums.images.size());
  });
}

// Every rank reads it, so that every rank finds the same fault.
Sums read_checkpoint(const std::string& path, const Settings& settings) {
  Sums sums(settings);
  const std::string why = fault(base::read_file(path), settings, sums);
  base::require(why.empty(), "cannot restart from " + path, why,
                "give a checkpoint that this program wrote with the same parameters, of which "
                "trajectories, part and threading alone may differ");
  return sums;
}

}  // namespace hakaru::apps::semiclassical
