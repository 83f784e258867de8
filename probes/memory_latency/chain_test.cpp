#include "probes/memory_latency/chain.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "native/base/aligned.hpp"
#include "probes/memory_latency/curves.hpp"

namespace {

using namespace hakaru::probes::memory_latency;
using hakaru::base::AlignedArray;

constexpr std::size_t page = 4096;

std::vector<std::size_t> offsets(void** start, std::byte* memory, std::size_t count) {
  std::vector<std::size_t> result;
  void** here = start;
  for (std::size_t i = 0; i < count; ++i, here = static_cast<void**>(*here))
    result.push_back(reinterpret_cast<std::byte*>(here) - memory);
  return result;
}

TEST(Chain, VisitsEverySlotOnceAndComesBack) {
  std::mt19937_64 random(7);
  for (const auto pattern : {Pattern::random_local, Pattern::random, Pattern::sequential})
    for (const std::size_t stride : {8, 24, 64, 256, 4096, 8192})
      for (const std::size_t slots : {1, 2, 3, 63, 64, 65, 1000}) {
        AlignedArray<std::byte> memory(slots * stride);
        void** start = link(memory.data(), {slots, stride, page, pattern}, random);
        EXPECT_EQ(cycle_length(start, slots + 5), slots) << stride << ' ' << slots;
        std::set<std::size_t> expected;
        for (std::size_t i = 0; i < slots; ++i) expected.insert(i * stride);
        const auto visited = offsets(start, memory.data(), slots);
        EXPECT_EQ(std::set<std::size_t>(visited.begin(), visited.end()), expected);
      }
}

TEST(Chain, SequentialAscends) {
  std::mt19937_64 random(7);
  AlignedArray<std::byte> memory(100 * 64);
  const auto visited = offsets(link(memory.data(), {100, 64, page, Pattern::sequential}, random),
                               memory.data(), 100);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(visited[i], i * 64);
}

TEST(Chain, RandomLocalFinishesAWindowBeforeTheNextAndShowsNoStride) {
  std::mt19937_64 random(7);
  constexpr std::size_t slots = 64 * 50;
  AlignedArray<std::byte> memory(slots * 64);
  const auto visited = offsets(
      link(memory.data(), {slots, 64, page, Pattern::random_local}, random), memory.data(), slots);
  std::size_t page_changes = 0, ascending_by_one = 0;
  for (std::size_t i = 1; i < slots; ++i) {
    page_changes += visited[i] / page != visited[i - 1] / page;
    ascending_by_one += visited[i] == visited[i - 1] + 64;
  }
  EXPECT_EQ(page_changes, 49u);
  // A random order has about one ascent by one in each page of 64.
  EXPECT_LT(ascending_by_one, 150u);
}

TEST(Chain, RandomLeavesAPageAtOnce) {
  std::mt19937_64 random(7);
  constexpr std::size_t slots = 64 * 50;
  AlignedArray<std::byte> memory(slots * 64);
  const auto visited = offsets(link(memory.data(), {slots, 64, page, Pattern::random}, random),
                               memory.data(), slots);
  std::size_t page_changes = 0;
  for (std::size_t i = 1; i < slots; ++i)
    page_changes += visited[i] / page != visited[i - 1] / page;
  EXPECT_GT(page_changes, slots * 9 / 10);
}

TEST(Chain, ABrokenChainIsSeen) {
  std::mt19937_64 random(7);
  AlignedArray<std::byte> memory(1000 * 64);
  for (const auto pattern : {Pattern::random_local, Pattern::random, Pattern::sequential}) {
    void** start = link(memory.data(), {1000, 64, page, pattern}, random);
    cut_out_one_slot(start);
    EXPECT_EQ(cycle_length(start, 1000), 999u);
    // A walk that never comes back, because a slot in the middle leads to itself.
    start = link(memory.data(), {1000, 64, page, pattern}, random);
    void** second = static_cast<void**>(*start);
    *second = second;
    EXPECT_EQ(cycle_length(start, 1000), 1001u);
  }
  EXPECT_NE(
      measure_point(memory.data(), {1000, 64, page, Pattern::random_local}, 3, 1e-5, random, true)
          .length,
      1000u);
  EXPECT_EQ(
      measure_point(memory.data(), {1000, 64, page, Pattern::random_local}, 3, 1e-5, random, false)
          .length,
      1000u);
}

TEST(Chain, ChaseGoesAsFarAsAsked) {
  std::mt19937_64 random(7);
  AlignedArray<std::byte> memory(1000 * 64);
  void** start = link(memory.data(), {1000, 64, page, Pattern::sequential}, random);
  EXPECT_EQ(chase(start, 160), reinterpret_cast<void**>(memory.data() + 160 * 64));
  EXPECT_EQ(chase(start, 161), reinterpret_cast<void**>(memory.data() + 161 * 64));
  EXPECT_EQ(chase(start, 2000), start);
}

TEST(WorkingSets, GrowGeometricallyInWholeStrides) {
  const auto sizes = working_sets(4096, 1 << 20, 4, 64);
  EXPECT_EQ(sizes.front(), 4096u);
  EXPECT_EQ(sizes.back(), 1u << 20);
  EXPECT_EQ(sizes.size(), 33u);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_EQ(sizes[i] % 64, 0u);
    if (i) {
      EXPECT_LT(sizes[i - 1], sizes[i]);
    }
  }
  for (const std::size_t size : working_sets(4096, 1 << 20, 4, 4096)) EXPECT_GE(size, 8192u);
  EXPECT_TRUE(working_sets(4096, 4096, 4, 4096).empty());
}

}  // namespace
