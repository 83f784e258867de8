#include "apps/linpack/rows.hpp"

#include <bit>
#include <map>

#include "native/base/share.hpp"

namespace hakaru::apps::linpack {
namespace {

int largest_cube(int places) {
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(places)));
}

Columns slice(std::int64_t columns, int part, int parts) {
  const base::Share share = base::share_of(columns, part, parts);
  return {share.first, share.end()};
}

// Places beyond the largest power of two first give their rows to a partner in the hypercube, and
// last get theirs from it: first and last round.
std::vector<Round> binary_exchange(int place, int places, std::int64_t columns) {
  const int cube = largest_cube(places);
  std::vector<Round> rounds(static_cast<std::size_t>(std::bit_width(unsigned(cube)) + 1));
  for (Round& round : rounds) round.out = round.in = {0, columns};
  if (place >= cube) {
    rounds.front().to = rounds.back().from = place - cube;
    return rounds;
  }
  if (place + cube < places) rounds.front().from = rounds.back().to = place + cube;
  for (int bit = 1, number = 1; bit < cube; bit *= 2, ++number)
    rounds[number].to = rounds[number].from = place ^ bit;
  return rounds;
}

// Everything about a slice of the columns to one place, and from there to everybody.
std::vector<Round> spread_roll(int place, int places, std::int64_t columns) {
  std::vector<Round> rounds;
  for (const bool spread : {true, false})
    for (int step = 1; step < places; ++step) {
      const int to = (place + step) % places, from = (place + places - step) % places;
      rounds.push_back({to, from, slice(columns, spread ? to : place, places),
                        slice(columns, spread ? place : from, places)});
    }
  return rounds;
}

template <typename Upper, typename Displaced>
Cargo chosen(const RowMoves& moves, const Upper& upper, const Displaced& displaced) {
  Cargo cargo;
  for (std::size_t i = 0; i < moves.upper.size(); ++i)
    if (upper(moves.upper[i].place)) cargo.upper.push_back(static_cast<std::int64_t>(i));
  for (std::size_t i = 0; i < moves.displaced.size(); ++i)
    if (displaced(moves.displaced[i].place))
      cargo.displaced.push_back(static_cast<std::int64_t>(i));
  return cargo;
}

Cargo of_binary_exchange(const RowMoves& moves, int places, int number, int place, int to) {
  const int cube = largest_cube(places), last = std::bit_width(unsigned(cube));
  const auto none = [](int) { return false; };
  if (number == 0)
    return chosen(
        moves, [&](int from) { return from == place; }, none);
  if (number == last)
    return chosen(
        moves, [&](int from) { return from != to; }, [&](int goal) { return goal == to; });
  const int shift = number - 1, bit = 1 << shift;
  const auto folded = [&](int any) { return any >= cube ? any - cube : any; };
  return chosen(
      moves, [&](int from) { return folded(from) >> shift == place >> shift; },
      [&](int goal) { return (folded(goal) & (bit - 1)) == place && (folded(goal) & bit) != 0; });
}

Cargo of_spread_roll(const RowMoves& moves, int places, int number, int place, int to) {
  if (number < places - 1)
    return chosen(
        moves, [&](int from) { return from == place; },
        [&](int goal) { return place == 0 && goal != 0; });
  return chosen(
      moves, [&](int from) { return from != to; },
      [&](int goal) { return goal == to && goal != 0; });
}

}  // namespace

RowMoves row_moves(const Problem& problem, Panel& panel) {
  const std::int64_t begin = problem.begin(panel.j()), width = panel.width();
  const int places = problem.grid.rows, diagonal = problem.row_of(panel.j());
  const auto place_of = [&](std::int64_t row) {
    return static_cast<int>((row / problem.nb + places - diagonal) % places);
  };
  const auto local_of = [&](std::int64_t row) {
    return row / problem.nb / places * problem.nb + row % problem.nb;
  };
  std::vector<std::int64_t> top(static_cast<std::size_t>(width));  // global row that stands there
  std::map<std::int64_t, std::int64_t> below;
  for (std::int64_t k = 0; k < width; ++k) top[k] = begin + k;
  for (std::int64_t k = 0; k < width; ++k) {
    const std::int64_t row = panel.pivot(k);
    if (row < begin + width)
      std::swap(top[k], top[row - begin]);
    else
      std::swap(top[k], below.try_emplace(row, row).first->second);
  }
  RowMoves moves;
  for (const std::int64_t row : top) moves.upper.push_back({place_of(row), local_of(row)});
  for (const auto& [row, from] : below)
    moves.displaced.push_back({from - begin, place_of(row), local_of(row)});
  return moves;
}

std::vector<Round> rounds_of(Swap swap, int place, int places, std::int64_t columns) {
  if (places == 1 || columns == 0) return {};
  return swap == Swap::binary_exchange ? binary_exchange(place, places, columns)
                                       : spread_roll(place, places, columns);
}

Cargo cargo_of(Swap swap, const RowMoves& moves, int places, int number, int place, int to) {
  return swap == Swap::binary_exchange ? of_binary_exchange(moves, places, number, place, to)
                                       : of_spread_roll(moves, places, number, place, to);
}

}  // namespace hakaru::apps::linpack
