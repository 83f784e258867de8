// Memory read, written, filled and copied, and the latency of a load: LMbench's bw_mem, lat_mem_rd
// and par_mem.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <random>

#include "native/base/system.hpp"
#include "probes/memory_latency/chain.hpp"
#include "probes/operating_system/loops.hpp"
#include "probes/operating_system/system_handles.hpp"

namespace hakaru::probes::operating_system {
namespace {

using Values = std::vector<double>;
using Words = std::uint32_t*;

constexpr std::uint32_t filled = 3, written = 5;

// Two arrays in pages of the kernel's choice, the first full of `filled`, the second of zeros.
class Arrays {
 public:
  explicit Arrays(std::int64_t bytes)
      : one_(static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
             -1),
        other_(static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
               -1),
        count_(static_cast<std::size_t>(bytes) / 4) {
    std::fill_n(one(), count_, filled);
    std::fill_n(other(), count_, 0);
  }
  Words one() const { return reinterpret_cast<Words>(one_.data()); }
  Words other() const { return reinterpret_cast<Words>(other_.data()); }
  std::size_t count() const { return count_; }

 private:
  Mapping one_, other_;
  std::size_t count_;
};

// One way of going through the arrays; `right` says whether they then are what they must be.
struct Way {
  const char* name;
  std::uint32_t (*pass)(Arrays&);
  bool (*right)(const Arrays&, std::uint32_t result);
};

bool every(Words words, std::size_t count, std::size_t step, std::uint32_t value) {
  for (std::size_t i = 0; i < count; i += step)
    if (words[i] != value) return false;
  return true;
}

bool sum_is(const Arrays& a, std::uint32_t sum, std::size_t step, std::uint32_t value) {
  return sum == static_cast<std::uint32_t>((a.count() + step - 1) / step) * value;
}

constexpr std::array<Way, 9> ways{{
    {"Bcopy (libc)",
     [](Arrays& a) {
       std::memcpy(a.other(), a.one(), a.count() * 4);
       return 0U;
     },
     [](const Arrays& a, std::uint32_t) { return every(a.other(), a.count(), 1, filled); }},
    {"Bcopy (hand)",
     [](Arrays& a) {
       copy_words(a.other(), a.one(), a.count());
       return 0U;
     },
     [](const Arrays& a, std::uint32_t) { return every(a.other(), a.count(), 1, filled); }},
    {"Mem read", [](Arrays& a) { return read_words(a.one(), a.count()); },
     [](const Arrays& a, std::uint32_t sum) { return sum_is(a, sum, 1, filled); }},
    {"Mem write",
     [](Arrays& a) {
       write_words(a.one(), a.count(), written);
       return 0U;
     },
     [](const Arrays& a, std::uint32_t) { return every(a.one(), a.count(), 1, written); }},
    {"Bcopy (partial)",
     [](Arrays& a) {
       copy_partly(a.other(), a.one(), a.count());
       return 0U;
     },
     [](const Arrays& a, std::uint32_t) {
       return every(a.other(), a.count(), partial_step, filled) && a.other()[1] == 0;
     }},
    {"Mem partial read", [](Arrays& a) { return read_partly(a.one(), a.count()); },
     [](const Arrays& a, std::uint32_t sum) { return sum_is(a, sum, partial_step, filled); }},
    {"Mem partial write",
     [](Arrays& a) {
       write_partly(a.one(), a.count(), written);
       return 0U;
     },
     [](const Arrays& a, std::uint32_t) {
       return every(a.one(), a.count(), partial_step, written) && a.one()[1] == filled;
     }},
    {"Mem partial r/w", [](Arrays& a) { return read_write_partly(a.one(), a.count(), filled); },
     [](const Arrays& a, std::uint32_t sum) { return sum_is(a, sum, partial_step, filled); }},
    {"Mem fill",
     [](Arrays& a) {
       std::memset(a.one(), 0, a.count() * 4);
       return 0U;
     },
     [](const Arrays& a, std::uint32_t) { return every(a.one(), a.count(), 1, 0); }},
}};

Values through_memory(const Conditions& conditions, Truth& truth, const Way& way) {
  Arrays arrays(conditions.memory_bytes);
  std::uint32_t result = 0;
  Values found = seconds_of_one(conditions.sampling, [&](std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      result = way.pass(arrays);
      keep(result);
    }
  });
  truth.equal(way.name, way.right(arrays, result), 1.0);
  return found;
}

using memory_latency::ChainShape;
using memory_latency::Pattern;

constexpr std::size_t summary_stride_bytes = 128, line_bytes = 64;

struct Chain {
  Chain(std::size_t bytes, std::size_t stride_bytes, Pattern pattern)
      : memory(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1),
        slots(bytes / stride_bytes) {
    std::mt19937_64 random(1);
    start = memory_latency::link(memory.data(), {slots, stride_bytes, 0, pattern}, random);
  }
  Mapping memory;
  std::size_t slots;
  void** start;
};

constexpr std::int64_t loads_of_an_operation = 1024;

Values load_latency(const Conditions& conditions, Truth& truth, std::int64_t bytes,
                    std::size_t stride_bytes, Pattern pattern) {
  const Chain chain(static_cast<std::size_t>(bytes), stride_bytes, pattern);
  void** place = chain.start;
  Values found = seconds_of_one(conditions.sampling, [&](std::int64_t count) {
    place = memory_latency::chase(place, static_cast<std::size_t>(count * loads_of_an_operation));
    keep(place);
  });
  truth.equal("loads until a chain is back at its start",
              static_cast<double>(memory_latency::cycle_length(place, chain.slots)),
              static_cast<double>(chain.slots));
  for (double& seconds : found) seconds /= loads_of_an_operation;
  return found;
}

// So many chains at once: the processor may have that many misses under way.
template <std::size_t chains>
Values parallel_loads(const Conditions& conditions, Truth& truth) {
  const Chain chain(static_cast<std::size_t>(conditions.memory_bytes), line_bytes, Pattern::random);
  std::array<void**, chains> place;
  for (std::size_t i = 0; i < chains; ++i) {
    place[i] = i == 0 ? chain.start : place[i - 1];
    if (i > 0) place[i] = memory_latency::chase(place[i], chain.slots / chains);
  }
  auto expected = place;
  std::int64_t done = 0;
  Values found = seconds_of_one(conditions.sampling, [&](std::int64_t count) {
    auto now = place;
    for (std::int64_t i = 0; i < count * loads_of_an_operation; ++i)
#pragma GCC unroll 32
      for (std::size_t j = 0; j < chains; ++j) now[j] = static_cast<void**>(*now[j]);
    keep(now);
    place = now;
    done += count;
  });
  const std::size_t around = static_cast<std::size_t>(done * loads_of_an_operation) % chain.slots;
  for (void**& one : expected) one = memory_latency::chase(one, around);
  truth.equal("chains that are where their loads lead", place == expected, 1.0);
  for (double& seconds : found) seconds /= loads_of_an_operation * chains;
  return found;
}

std::int64_t between(std::int64_t below, std::int64_t level) {
  const double middle = std::sqrt(static_cast<double>(below) * static_cast<double>(level));
  return static_cast<std::int64_t>(middle) / 4096 * 4096;
}

}  // namespace

void add_memory(Items& items, const Conditions& conditions) {
  for (const Way& way : ways)
    items.push_back({"local-bandwidth", way.name, conditions.memory_bytes,
                     [&way](const Conditions& under, Truth& truth) {
                       return through_memory(under, truth, way);
                     }});
  const auto latency = [&](const std::string& name, std::int64_t bytes, std::size_t stride,
                           Pattern pattern) {
    items.push_back({"memory-latency", name, 0, [=](const Conditions& under, Truth& truth) {
                       return load_latency(under, truth, bytes, stride, pattern);
                     }});
  };
  std::int64_t below = 0;
  for (const base::CacheLevel& cache : base::caches()) {
    const std::int64_t bytes = below == 0 ? cache.bytes / 2 : between(below, cache.bytes);
    if (bytes < conditions.memory_bytes)
      latency(fmt::format("L{} $", cache.level), bytes, summary_stride_bytes, Pattern::sequential);
    below = cache.bytes;
  }
  latency("Main mem", conditions.memory_bytes, summary_stride_bytes, Pattern::sequential);
  latency("Rand mem", conditions.memory_bytes, line_bytes, Pattern::random);
  const std::string parallel = "memory-parallelism";
  items.push_back({parallel, "1 load", 0, parallel_loads<1>});
  items.push_back({parallel, "2 loads", 0, parallel_loads<2>});
  items.push_back({parallel, "4 loads", 0, parallel_loads<4>});
  items.push_back({parallel, "8 loads", 0, parallel_loads<8>});
  items.push_back({parallel, "16 loads", 0, parallel_loads<16>});
}

}  // namespace hakaru::probes::operating_system
