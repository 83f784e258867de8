// Messages by tiles of time, coarse ones first, as long as there is room for their entries.
#include <algorithm>
#include <cmath>
#include <deque>
#include <map>

#include "native/trace/timeline/notes.hpp"

namespace hakaru::trace {
namespace {

using nlohmann::json;

constexpr std::size_t few = 400;         // messages that a tile tells one by one
constexpr std::size_t most_pairs = 250;  // of rows, that a tile of many tells
constexpr int deepest = 10;              // a level divides tiles by four
constexpr std::size_t children = 4;

// Told by itself, and again by the tiles that it is divided into.
struct Tile {
  double from_s, to_s;
  std::size_t first, last;  // messages sent in it
  int level;
};

struct Pair {
  std::uint64_t count = 0, bytes = 0;
  double sent_s = 0, received_s = 0;  // sums
};

json single(const Message& m) { return {m.from, m.to, m.sent_s, m.received_s, m.bytes, m.tag}; }

json pairs_of(const std::vector<Message>& messages, const Tile& tile, const Axis& axis) {
  std::map<std::pair<std::size_t, std::size_t>, Pair> pairs;
  for (std::size_t i = tile.first; i < tile.last; ++i) {
    const Message& m = messages[i];
    Pair& pair = pairs[{axis.row_of(static_cast<std::size_t>(m.from)),
                        axis.row_of(static_cast<std::size_t>(m.to))}];
    ++pair.count;
    pair.bytes += m.bytes;
    pair.sent_s += m.sent_s;
    pair.received_s += m.received_s;
  }
  std::vector<std::pair<std::pair<std::size_t, std::size_t>, Pair>> all(pairs.begin(), pairs.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.second.bytes > b.second.bytes; });
  json entries = json::array();
  for (std::size_t i = 0; i < std::min(all.size(), most_pairs); ++i) {
    const auto& [rows, pair] = all[i];
    const auto count = static_cast<double>(pair.count);
    entries.push_back({rows.first, rows.second, pair.sent_s / count, pair.received_s / count,
                       pair.bytes, pair.count});
  }
  return entries;
}

json document_of(const std::vector<Message>& messages, const Tile& tile, const Axis& axis) {
  const std::size_t count = tile.last - tile.first;
  json entries = json::array();
  std::uint64_t bytes = 0;
  for (std::size_t i = tile.first; i < tile.last; ++i) bytes += messages[i].bytes;
  const bool singles = count <= few;
  if (singles)
    for (std::size_t i = tile.first; i < tile.last; ++i) entries.push_back(single(messages[i]));
  else
    entries = pairs_of(messages, tile, axis);
  return {{"level", tile.level}, {"from_s", tile.from_s}, {"to_s", tile.to_s},
          {"count", count},      {"bytes", bytes},        {"single", singles},
          {"divided", false},    {"entries", entries}};
}

std::vector<Tile> divide(const std::vector<Message>& messages, const Tile& tile) {
  std::vector<Tile> parts;
  const double width = (tile.to_s - tile.from_s) / children;
  std::size_t first = tile.first;
  for (std::size_t i = 0; i < children; ++i) {
    const double from = tile.from_s + static_cast<double>(i) * width;
    const double to = i + 1 == children ? tile.to_s : from + width;
    std::size_t last = tile.last;
    if (i + 1 < children)
      last = static_cast<std::size_t>(
          std::lower_bound(messages.begin() + static_cast<std::ptrdiff_t>(first),
                           messages.begin() + static_cast<std::ptrdiff_t>(tile.last), to,
                           [](const Message& m, double time) { return m.sent_s < time; }) -
          messages.begin());
    if (last > first) parts.push_back({from, to, first, last, tile.level + 1});
    first = last;
  }
  return parts;
}

}  // namespace

json message_tiles(const std::vector<Message>& messages, const Axis& axis, std::size_t limit) {
  std::deque<std::pair<Tile, std::size_t>> dividable;  // with its place in `tiles`
  json tiles = json::array();
  std::size_t entries = 0;
  const auto tell = [&](const Tile& tile) {
    tiles.push_back(document_of(messages, tile, axis));
    entries += tiles.back()["entries"].size();
    const bool single = tiles.back()["single"];
    if (!single && tile.level < deepest && tile.to_s > tile.from_s)
      dividable.emplace_back(tile, tiles.size() - 1);
  };
  if (!messages.empty()) tell({axis.from_s, axis.to_s, 0, messages.size(), 0});
  while (!dividable.empty() && entries < limit) {
    const auto [tile, place] = dividable.front();
    dividable.pop_front();
    tiles[place]["divided"] = true;
    for (const Tile& part : divide(messages, tile)) tell(part);
  }
  return tiles;
}

}  // namespace hakaru::trace
