// Context switches: processes in a ring of pipes pass a token on, each after summing its own
// memory; less what a lap costs one process alone. LMbench's lat_ctx.
#include <fmt/format.h>

#include "probes/operating_system/loops.hpp"
#include "probes/operating_system/system_handles.hpp"

namespace hakaru::probes::operating_system {
namespace {

using Memory = std::vector<std::uint64_t>;

Memory memory_of(std::int64_t bytes) {
  Memory memory(static_cast<std::size_t>(bytes / 8));
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = word_at(static_cast<std::int64_t>(i));
  return memory;
}

// The token counts by how many processes it went, and by how many of them the sum was right.
struct Token {
  std::int32_t passed, right;
};

void pass(Token& token, const Memory& memory, std::uint64_t sum) {
  ++token.passed;
  token.right += sum_words(memory.data(), memory.size()) == sum;
}

struct Ring {
  std::vector<Channel> pipes;
  std::vector<Child> children;
};

// Process i reads from pipe i - 1 and writes to pipe i; this process is process 0.
Ring ring_of(const Conditions& conditions, int processes, std::int64_t bytes) {
  Ring ring;
  for (int i = 0; i < processes; ++i) ring.pipes.push_back(pipe_channel());
  for (int i = 1; i < processes; ++i) {
    const auto work = [&ring, i, bytes] {
      const Memory memory = memory_of(bytes);
      const std::uint64_t sum = sum_of_words(bytes);
      for (int other = 0; other < static_cast<int>(ring.pipes.size()); ++other) {
        if (other != i - 1) ring.pipes[other].read.close();
        if (other != i) ring.pipes[other].write.close();
      }
      const int before = ring.pipes[i - 1].read.number(), next = ring.pipes[i].write.number();
      for (Token token{};;) {
        read_all(before, &token, sizeof token);
        pass(token, memory, sum);
        write_all(next, &token, sizeof token);
      }
    };
    ring.children.emplace_back(conditions, i, work);
  }
  return ring;
}

std::vector<double> switches(const Conditions& conditions, Truth& truth, int processes,
                             std::int64_t bytes) {
  const Placed here(conditions.placement, 0);
  const Memory memory = memory_of(bytes);
  const std::uint64_t sum = sum_of_words(bytes);
  std::vector<Channel> alone;
  for (int i = 0; i < processes; ++i) alone.push_back(pipe_channel());
  const Ring ring = ring_of(conditions, processes, bytes);
  Token token{};
  std::int64_t hops = 0, passed = 0, right = 0;
  // One process writes to each pipe in turn, reads it and sums: a hop without a switch.
  const auto lonely = [&](std::int64_t count) {
    for (std::int64_t i = 0; i < count * processes; ++i) {
      const Channel& pipe = alone[static_cast<std::size_t>(i % processes)];
      write_all(pipe.write.number(), &token, sizeof token);
      read_all(pipe.read.number(), &token, sizeof token);
      pass(token, memory, sum);
    }
  };
  const auto laps = [&](std::int64_t count) {
    token = {};
    for (std::int64_t i = 0; i < count; ++i) {
      write_all(ring.pipes.front().write.number(), &token, sizeof token);
      read_all(ring.pipes.back().read.number(), &token, sizeof token);
      pass(token, memory, sum);
    }
    hops += count * processes;
    passed += token.passed;
    right += token.right;
  };
  std::vector<double> found = seconds_without(conditions.sampling, laps, lonely);
  for (double& seconds : found) seconds /= processes;
  truth.equal("context switches: processes passed", static_cast<double>(passed),
              static_cast<double>(hops));
  truth.equal("context switches: sums that are right", static_cast<double>(right),
              static_cast<double>(hops));
  return found;
}

}  // namespace

void add_switching(Items& items) {
  for (int processes : {2, 8, 16, 24, 32, 64, 96})
    for (std::int64_t kibibytes : {0, 4, 16, 32, 64})
      items.push_back({"context-switch", fmt::format("{}p/{}K ctxsw", processes, kibibytes), 0,
                       [=](const Conditions& conditions, Truth& truth) {
                         return switches(conditions, truth, processes, kibibytes * 1024);
                       }});
}

}  // namespace hakaru::probes::operating_system
