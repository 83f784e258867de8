#pragma once
// Small programs, one for every kind of MPI call, whose replays `hakaru accuracy --here` holds
// against their own traces.

#include <mpi.h>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace hakaru::calls {

inline constexpr std::size_t longest_bytes = std::size_t{1} << 22;

// Buffers are touched before anything is timed; `bytes` long each.
struct Ranks {
  explicit Ranks(std::size_t bytes);
  int rank = 0;
  int ranks = 0;
  int next = 0;      // on a ring
  int previous = 0;  // on a ring
  std::vector<char> to;
  std::vector<char> from;
};

using Program = void (*)(Ranks&);

std::map<std::string, Program> two_sided();
std::map<std::string, Program> one_sided();
std::map<std::string, Program> collective();

// Sizes in bytes from 0 or 1 to `longest`, in steps of eight times.
std::vector<std::size_t> sizes(std::size_t longest = longest_bytes);

// How often a call that takes `call_s` and carries so many bytes fits into some 20 ms; even, at
// least 4. Making and freeing a window takes a ms: what is compared must be long beside it.
int often(std::size_t bytes, double call_s = 1e-6);

}  // namespace hakaru::calls
