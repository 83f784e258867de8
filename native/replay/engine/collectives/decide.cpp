// What MPI libraries choose. Facts from Open MPI 4.1's
// ompi/mca/coll/tuned/coll_tuned_decision_fixed.c (switch points in ranks and bytes; commutative
// operations), coll/base/coll_base_allreduce.c and _reduce.c (what they do with fewer numbers than
// parts), and from MPICH as in Thakur, Rabenseifner, Gropp (2005).
#include <algorithm>
#include <initializer_list>

#include "native/replay/engine/collectives/algorithm.hpp"

namespace hakaru::replay {

namespace {

using schedule::Collective;

struct ByBytes {
  std::uint64_t below;
  const char* algorithm;
};
struct ByRanks {
  std::int32_t below;
  std::initializer_list<ByBytes> sizes;
};

constexpr std::int32_t any_ranks = INT32_MAX;
constexpr std::uint64_t any_bytes = UINT64_MAX;

// Algorithms by other names here: Open MPI's non-overlapping allreduce is reduce_broadcast, its
// segmented ring is taken as ring; the modified Bruck as bruck, linear and linear_sync alltoall as
// simple_spread; the k-nomial broadcast has radix 4; pipeline is chain in one segment (its
// default), split binary is binary; in-order binary is binary; butterfly is recursive halving.
constexpr const char *doubling = "recursive_doubling", *ring = "ring",
                     *rabenseifner = "rabenseifner", *tree2 = "reduce_broadcast",
                     *spread = "simple_spread", *pairwise = "pairwise", *bruck = "bruck",
                     *linear = "linear", *binary = "binary", *chain = "chain",
                     *binomial = "binomial", *knomial = "four_nomial", *geijn = "scatter_doubling",
                     *neighbour = "neighbour_exchange", *halving = "recursive_halving",
                     *asked = "linear_asked", *nonoverlapping = "reduce_scatter";

using Rules = std::initializer_list<ByRanks>;

const char* look_up(const Rules& rules, std::int32_t ranks, std::uint64_t bytes) {
  const auto row = std::find_if(rules.begin(), rules.end(),
                                [ranks](const ByRanks& one) { return ranks < one.below; });
  return std::find_if(row->sizes.begin(), row->sizes.end(),
                      [bytes](const ByBytes& one) { return bytes < one.below; })
      ->algorithm;
}

const char* openmpi_allreduce(std::int32_t ranks, std::uint64_t bytes) {
  static const Rules rules = {
      {4,
       {{8, ring},
        {4096, doubling},
        {8192, ring},
        {16384, doubling},
        {262144, ring},
        {any_bytes, rabenseifner}}},
      {8, {{16, ring}, {8192, doubling}, {any_bytes, rabenseifner}}},
      {16, {{8192, doubling}, {any_bytes, rabenseifner}}},
      {32, {{64, ring}, {4096, doubling}, {any_bytes, rabenseifner}}},
      {64, {{128, ring}, {any_bytes, rabenseifner}}},
      {128, {{262144, doubling}, {any_bytes, rabenseifner}}},
      {256, {{131072, tree2}, {262144, doubling}, {any_bytes, rabenseifner}}},
      {512, {{4096, tree2}, {any_bytes, rabenseifner}}},
      {2048, {{2048, tree2}, {16384, doubling}, {any_bytes, rabenseifner}}},
      {4096, {{2048, tree2}, {4096, ring}, {16384, doubling}, {any_bytes, rabenseifner}}},
      {any_ranks, {{2048, tree2}, {16384, ring}, {32768, doubling}, {any_bytes, ring}}}};
  return look_up(rules, ranks, bytes);
}

const char* openmpi_alltoall(std::int32_t ranks, std::uint64_t bytes) {
  static const Rules rules = {{3, {{32768, pairwise}, {262144, spread}, {any_bytes, pairwise}}},
                              {8, {{524288, spread}, {1048576, pairwise}, {any_bytes, spread}}},
                              {16, {{any_bytes, spread}}},
                              {32, {{4, spread}, {512, bruck}, {any_bytes, spread}}},
                              {64, {{512, bruck}, {any_bytes, spread}}},
                              {256, {{1024, bruck}, {262144, spread}, {any_bytes, pairwise}}},
                              {512, {{1024, bruck}, {32768, spread}, {any_bytes, pairwise}}},
                              {1024, {{512, bruck}, {262144, spread}, {any_bytes, pairwise}}},
                              {2048, {{512, bruck}, {any_bytes, spread}}},
                              {4096, {{1024, bruck}, {any_bytes, spread}}},
                              {8192, {{2048, bruck}, {any_bytes, spread}}},
                              {any_ranks, {{any_bytes, pairwise}}}};
  return look_up(rules, ranks, bytes);
}

const char* openmpi_alltoall_lengths(std::int32_t ranks) {
  const bool pairs =
      ranks < 4 || (ranks >= 64 && ranks < 128) || (ranks >= 256 && ranks < 1024) || ranks >= 8192;
  return pairs ? pairwise : spread;
}

const char* openmpi_barrier(std::int32_t ranks) {
  static const Rules rules = {
      {4, {{any_bytes, doubling}}},  {8, {{any_bytes, linear}}},
      {64, {{any_bytes, doubling}}}, {256, {{any_bytes, "dissemination"}}},
      {512, {{any_bytes, "tree"}}},  {1024, {{any_bytes, "dissemination"}}},
      {4096, {{any_bytes, "tree"}}}, {any_ranks, {{any_bytes, "dissemination"}}}};
  return look_up(rules, ranks, 0);
}

const char* openmpi_broadcast(std::int32_t ranks, std::uint64_t bytes) {
  static const Rules rules = {
      {4,
       {{32, chain},
        {256, binary},
        {512, chain},
        {1024, knomial},
        {32768, linear},
        {131072, binary},
        {262144, chain},
        {524288, linear},
        {1048576, binomial},
        {any_bytes, binary}}},
      {8,
       {{64, binary},
        {128, binomial},
        {2048, binary},
        {8192, binomial},
        {1048576, linear},
        {any_bytes, chain}}},
      {16,
       {{8, knomial},
        {64, binary},
        {4096, knomial},
        {16384, binary},
        {32768, binomial},
        {any_bytes, linear}}},
      {32, {{4096, knomial}, {1048576, binomial}, {any_bytes, geijn}}},
      {64, {{2048, binomial}, {any_bytes, knomial}}},
      {128, {{any_bytes, knomial}}},
      {256,
       {{2, binomial}, {16384, binary}, {32768, linear}, {65536, binary}, {any_bytes, knomial}}},
      {1024, {{16384, knomial}, {32768, binary}, {any_bytes, knomial}}},
      {2048, {{524288, knomial}, {any_bytes, geijn}}},
      {4096, {{262144, knomial}, {any_bytes, geijn}}},
      {any_ranks, {{8192, knomial}, {16384, binary}, {any_bytes, knomial}}}};
  return look_up(rules, ranks, bytes);
}

const char* openmpi_reduce(std::int32_t ranks, std::uint64_t bytes) {
  static const Rules rules = {
      {4, {{8, rabenseifner}, {16, binary}, {32, chain}, {262144, linear}, {any_bytes, chain}}},
      {8,
       {{4096, binary},
        {65536, chain},
        {262144, binomial},
        {524288, linear},
        {1048576, binomial},
        {any_bytes, linear}}},
      {16, {{8192, binary}, {any_bytes, binomial}}},
      {32, {{4096, binary}, {any_bytes, binomial}}},
      {256, {{any_bytes, binomial}}},
      {512, {{8192, binomial}, {16384, binary}, {any_bytes, binomial}}},
      {2048, {{any_bytes, binomial}}},
      {4096,
       {{512, binomial}, {1024, binary}, {8192, binomial}, {16384, binary}, {any_bytes, binomial}}},
      {any_ranks,
       {{16, binomial},
        {32, binary},
        {1024, binomial},
        {2048, binary},
        {8192, binomial},
        {16384, binary},
        {any_bytes, binomial}}}};
  return look_up(rules, ranks, bytes);
}

const char* openmpi_reduce_scatter(std::int32_t ranks, std::uint64_t bytes) {
  static const Rules rules = {{4, {{65536, ring}, {131072, halving}, {any_bytes, ring}}},
                              {8, {{8, nonoverlapping}, {262144, halving}, {any_bytes, ring}}},
                              {32, {{262144, halving}, {any_bytes, ring}}},
                              {64, {{64, nonoverlapping}, {524288, halving}, {any_bytes, ring}}},
                              {512, {{256, nonoverlapping}, {any_bytes, halving}}},
                              {4096, {{512, nonoverlapping}, {any_bytes, halving}}},
                              {8192, {{1024, nonoverlapping}, {any_bytes, halving}}},
                              {any_ranks, {{any_bytes, halving}}}};
  return look_up(rules, ranks, bytes);
}

const char* openmpi_allgather(std::int32_t ranks, std::uint64_t bytes) {
  static const Rules rules = {
      {3, {{any_bytes, ring}}},
      {32, {{any_bytes, doubling}}},
      {64, {{1024, doubling}, {65536, neighbour}, {any_bytes, ring}}},
      {128, {{512, doubling}, {65536, neighbour}, {any_bytes, ring}}},
      {256,
       {{512, doubling},
        {131072, neighbour},
        {524288, ring},
        {1048576, neighbour},
        {any_bytes, ring}}},
      {512,
       {{32, doubling},
        {128, bruck},
        {1024, doubling},
        {131072, neighbour},
        {524288, ring},
        {1048576, neighbour},
        {any_bytes, ring}}},
      {1024, {{64, doubling}, {256, bruck}, {2048, doubling}, {any_bytes, neighbour}}},
      {2048,
       {{4, doubling},
        {8, bruck},
        {16, doubling},
        {32, bruck},
        {256, doubling},
        {512, bruck},
        {4096, doubling},
        {any_bytes, neighbour}}},
      {4096,
       {{32, bruck}, {128, doubling}, {512, bruck}, {4096, doubling}, {any_bytes, neighbour}}},
      {any_ranks,
       {{2, doubling},
        {8, bruck},
        {16, doubling},
        {512, bruck},
        {4096, doubling},
        {any_bytes, neighbour}}}};
  return look_up(rules, ranks, bytes);
}

const char* openmpi_allgather_lengths(std::int32_t ranks, std::uint64_t bytes) {
  static const Rules rules = {{3, {{any_bytes, ring}}},
                              {8,
                               {{256, "gather_broadcast"},
                                {4096, neighbour},
                                {8192, ring},
                                {16384, neighbour},
                                {262144, bruck},
                                {any_bytes, neighbour}}},
                              {16, {{1024, "gather_broadcast"}, {any_bytes, bruck}}},
                              {32, {{128, "gather_broadcast"}, {262144, bruck}, {any_bytes, ring}}},
                              {64, {{256, "gather_broadcast"}, {8192, bruck}, {any_bytes, ring}}},
                              {128, {{256, "gather_broadcast"}, {4096, bruck}, {any_bytes, ring}}},
                              {256, {{1024, bruck}, {65536, neighbour}, {any_bytes, ring}}},
                              {512, {{1024, bruck}, {any_bytes, ring}}},
                              {1024,
                               {{512, bruck},
                                {1024, "gather_broadcast"},
                                {4096, bruck},
                                {1048576, neighbour},
                                {any_bytes, ring}}},
                              {any_ranks, {{4096, bruck}, {any_bytes, neighbour}}}};
  return look_up(rules, ranks, bytes);
}

const char* openmpi_gather(std::int32_t ranks, std::uint64_t bytes) {
  static const Rules rules = {
      {4,
       {{2, asked},
        {4, linear},
        {32768, binomial},
        {65536, linear},
        {131072, binomial},
        {any_bytes, asked}}},
      {8,
       {{1024, binomial}, {8192, linear}, {32768, binomial}, {262144, linear}, {any_bytes, asked}}},
      {256, {{any_bytes, binomial}}},
      {512, {{2048, binomial}, {8192, linear}, {any_bytes, binomial}}},
      {any_ranks, {{any_bytes, binomial}}}};
  return look_up(rules, ranks, bytes);
}

const char* openmpi_scatter(std::int32_t ranks, std::uint64_t bytes) {
  static const Rules rules = {
      {4, {{any_bytes, linear}}},
      {8, {{2048, binomial}, {4096, linear}, {8192, binomial}, {any_bytes, linear}}},
      {32, {{16384, binomial}, {any_bytes, linear}}},
      {64, {{512, binomial}, {8192, linear}, {16384, binomial}, {any_bytes, linear}}},
      {any_ranks, {{512, binomial}, {any_bytes, linear}}}};
  return look_up(rules, ranks, bytes);
}

// A sum in parts needs a number for each. Schedules know bytes alone: numbers are taken as doubles.
bool fewer_numbers_than(std::int32_t parts, std::uint64_t bytes) {
  return bytes / sizeof(double) < static_cast<std::uint64_t>(parts);
}

const char* openmpi_sum(const Call& call, const char* by_size, std::uint64_t bytes) {
  if (by_size == ring && fewer_numbers_than(call.size, bytes)) return doubling;
  const std::int32_t halves = collectives::floor_power_of_two(call.size);
  return by_size == rabenseifner && fewer_numbers_than(halves, bytes) ? linear : by_size;
}

const char* mpich_sum(const Call& call, const char* whole, std::uint64_t bytes) {
  const std::int32_t halves = collectives::floor_power_of_two(call.size);
  return bytes <= 2048 || fewer_numbers_than(halves, bytes) ? whole : rabenseifner;
}

const char* mpich(const Call& call, bool vector, std::uint64_t bytes) {
  const auto ranks = static_cast<std::uint64_t>(call.size);
  const bool power = collectives::is_power_of_two(call.size);
  switch (call.what) {
    case Collective::barrier:
      return "dissemination";
    case Collective::broadcast:
      if (bytes < 12288 || ranks < 8) return binomial;
      return bytes < 524288 && power ? geijn : "van_de_geijn";
    case Collective::reduce:
      return mpich_sum(call, binomial, bytes);
    case Collective::allreduce:
      return mpich_sum(call, doubling, bytes);
    case Collective::gather:
    case Collective::scatter:
      return vector ? linear : binomial;
    case Collective::allgather:
      if (bytes * ranks < 524288 && power) return doubling;
      return bytes * ranks < 81920 ? bruck : ring;
    case Collective::alltoall:
      if (vector) return spread;
      if (bytes <= 256 && ranks >= 8) return bruck;
      return bytes <= 32768 ? spread : pairwise;
    case Collective::reduce_scatter:
      return bytes < 524288 ? halving : pairwise;
    case Collective::scan:
    case Collective::exclusive_scan:
      return doubling;
    case Collective::neighbour_exchange:
      return linear;
  }
  return linear;
}

const char* openmpi(const Call& call, bool vector, std::uint64_t bytes) {
  switch (call.what) {
    case Collective::barrier:
      return openmpi_barrier(call.size);
    case Collective::broadcast:
      return openmpi_broadcast(call.size, bytes);
    case Collective::reduce:
      return openmpi_sum(call, openmpi_reduce(call.size, bytes), bytes);
    case Collective::allreduce:
      return openmpi_sum(call, openmpi_allreduce(call.size, bytes), bytes);
    case Collective::gather:
      return vector ? linear : openmpi_gather(call.size, bytes);
    case Collective::scatter:
      return vector ? linear : openmpi_scatter(call.size, bytes);
    case Collective::allgather:
      return vector ? openmpi_allgather_lengths(call.size, bytes)
                    : openmpi_allgather(call.size, bytes);
    case Collective::alltoall:
      return vector ? openmpi_alltoall_lengths(call.size) : openmpi_alltoall(call.size, bytes);
    case Collective::reduce_scatter:
      return openmpi_reduce_scatter(call.size, bytes);
    case Collective::scan:
    case Collective::exclusive_scan:
      return linear;
    case Collective::neighbour_exchange:
      return linear;
  }
  return linear;
}

// Bytes that all ranks of the call agree on.
std::uint64_t common_bytes(const Call& call) {
  if (call.lengths == nullptr) return call.bytes;
  std::uint64_t sum = 0;
  for (const std::int64_t length : *call.lengths) sum += static_cast<std::uint64_t>(length);
  return call.what == Collective::reduce_scatter ? sum
                                                 : sum / static_cast<std::uint64_t>(call.size);
}

}  // namespace

const Algorithm& decide(const std::string& library, const Call& call, bool vector) {
  const std::uint64_t bytes = call.what == Collective::neighbour_exchange ? 0 : common_bytes(call);
  return *find_algorithm(
      call.what, library == "mpich" ? mpich(call, vector, bytes) : openmpi(call, vector, bytes));
}

}  // namespace hakaru::replay
