// Networks of comparators that merge and sort, made at compile time or at run time. A comparator
// leaves the smaller of two values at its first position and the larger one at the second.
//
// Merging is Batcher's odd-even merge for lists of any two lengths (Knuth, The Art of Computer
// Programming, vol. 3, 5.3.4): the odd-numbered values of both lists are merged, the even-numbered
// ones too, and one row of comparators puts the two results into order.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace hakaru::apps::median_filter {

struct Comparator {
  int low = 0, high = 0;
  bool keep_low = true, keep_high = true;  // whether anybody reads what it leaves there

  constexpr int operations() const { return (keep_low ? 1 : 0) + (keep_high ? 1 : 0); }
};

using Network = std::vector<Comparator>;
using Positions = std::vector<int>;  // by rank: where the values of a sorted list lie

constexpr Positions every_other(const Positions& list, std::size_t first) {
  Positions some;
  for (std::size_t i = first; i < list.size(); i += 2) some.push_back(list[i]);
  return some;
}

// Where the merged list lies; its comparators are added to `network`.
constexpr Positions merged(const Positions& a, const Positions& b, Network& network) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  if (a.size() == 1 && b.size() == 1) {
    network.push_back({a[0], b[0]});
    return {a[0], b[0]};
  }
  const Positions odd = merged(every_other(a, 0), every_other(b, 0), network);
  const Positions even = merged(every_other(a, 1), every_other(b, 1), network);
  Positions all{odd[0]};
  for (std::size_t i = 0; i < even.size() || i + 1 < odd.size(); ++i) {
    if (i < even.size() && i + 1 < odd.size()) network.push_back({even[i], odd[i + 1]});
    if (i < even.size()) all.push_back(even[i]);
    if (i + 1 < odd.size()) all.push_back(odd[i + 1]);
  }
  return all;
}

// Merges sorted lists, neighbours first.
constexpr Positions all_merged(std::vector<Positions> lists, Network& network) {
  if (lists.empty()) return {};
  while (lists.size() > 1) {
    std::vector<Positions> fewer;
    for (std::size_t i = 0; i + 1 < lists.size(); i += 2)
      fewer.push_back(merged(lists[i], lists[i + 1], network));
    if (lists.size() % 2 == 1) fewer.push_back(lists.back());
    lists = std::move(fewer);
  }
  return lists[0];
}

// `count` lists of `length` values, one after the other.
constexpr std::vector<Positions> lists_of(int count, int length) {
  std::vector<Positions> lists(static_cast<std::size_t>(count));
  for (int i = 0; i < count * length; ++i) lists[static_cast<std::size_t>(i / length)].push_back(i);
  return lists;
}

// Leaves out what nobody reads, where only the positions `wanted` are read in the end.
constexpr void prune(Network& network, const Positions& wanted, int positions) {
  std::vector<char> read(static_cast<std::size_t>(positions), 0);
  for (const int position : wanted) read[static_cast<std::size_t>(position)] = 1;
  Network kept;
  for (std::size_t i = network.size(); i-- > 0;) {
    Comparator one = network[i];
    auto &low = read[static_cast<std::size_t>(one.low)],
         &high = read[static_cast<std::size_t>(one.high)];
    one.keep_low = low != 0;
    one.keep_high = high != 0;
    if (one.operations() == 0) continue;
    low = high = 1;
    kept.push_back(one);
  }
  network.assign(kept.rbegin(), kept.rend());
}

// Minima and maxima that are computed.
constexpr int operations(const Network& network) {
  int sum = 0;
  for (const Comparator& one : network) sum += one.operations();
  return sum;
}

}  // namespace hakaru::apps::median_filter
