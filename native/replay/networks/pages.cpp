#include "native/replay/networks/pages.hpp"

#include <algorithm>

#include "native/replay/networks/reading.hpp"

namespace hakaru::replay {

using nlohmann::json;

namespace {

// A piece that the limit divides becomes two.
std::vector<Piece> divided(const std::vector<Piece>& pieces, std::uint64_t limit_bytes) {
  std::vector<Piece> result;
  std::uint64_t above_bytes = 0;
  for (const Piece& piece : pieces) {
    if (above_bytes < limit_bytes && limit_bytes < piece.maximum_bytes)
      result.push_back({limit_bytes, piece.value});
    result.push_back(piece);
    above_bytes = piece.maximum_bytes;
  }
  return result;
}

json written(const std::vector<Piece>& pieces) {
  json list = json::array();
  std::uint64_t minimum_bytes = 0;
  for (const Piece& piece : pieces) {
    json& one = list.emplace_back(json{{"minimum_bytes", minimum_bytes}, {"value_s", piece.value}});
    if (piece.maximum_bytes < UINT64_MAX) one["maximum_bytes"] = piece.maximum_bytes;
    minimum_bytes = piece.maximum_bytes + 1;
  }
  return list;
}

void shorten(json& level, const std::string& where, double saved_per_byte_s) {
  if (!level.contains("eager_limit_bytes") || level["eager_limit_bytes"].is_null()) return;
  const auto limit = static_cast<std::uint64_t>(count(level, where, "eager_limit_bytes", 0));
  const std::vector<Piece> before =
      divided(read_pieces(level, where, "gap_per_byte", "value_s"), limit);
  std::vector<Piece> gaps = before, turns = read_pieces(level, where, "crossing_turn", "value_s");
  for (Piece& gap : gaps)
    if (gap.maximum_bytes > limit) gap.value = std::max(gap.value - saved_per_byte_s, 0.0);
  for (Piece& turn : turns) {
    const double was = value_at(before, turn.maximum_bytes);
    if (was > 0) turn.value *= value_at(gaps, turn.maximum_bytes) / was;
  }
  level["gap_per_byte"] = written(gaps);
  level["crossing_turn"] = written(turns);
}

}  // namespace

json from_pages(json network, double in_large_pages) {
  if (!network.contains("levels") || !network["levels"].is_object()) return network;
  for (auto& [name, level] : network["levels"].items()) {
    if (!level.is_object() || !level.contains("small_pages")) continue;
    const std::string where = "levels." + name;
    const double saved_per_byte_s = in_large_pages * number(level, where, "small_pages", 0);
    if (saved_per_byte_s > 0) shorten(level, where, saved_per_byte_s);
    level.erase("small_pages");
  }
  return network;
}

}  // namespace hakaru::replay
