// A routine that is expanded in another, and recursion: `burn` is inlined in grid::smooth, which
// `descend` reaches at the end of 40 calls of itself.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

static volatile std::uint64_t sink;

static inline __attribute__((always_inline)) void burn(long iterations) {
  std::uint64_t x = 88172645463325252u;
  for (long i = 0; i < iterations; i++) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  sink = sink ^ x;
}

namespace grid {
template <class Number>
__attribute__((noinline)) void smooth(Number iterations) {
  burn(iterations);
}
}  // namespace grid

__attribute__((noinline)) int descend(int depth, long iterations) {
  if (depth == 0) {
    grid::smooth(iterations);
    return 0;
  }
  const int below = descend(depth - 1, iterations);
  sink = sink + 1;  // so that it is no tail call
  return below + 1;
}

int main(int, char** words) {
  for (long i = 0; i < std::atol(words[1]); i++) descend(40, 10000);
  std::printf("%d\n", static_cast<int>(sink & 1));
  return 0;
}
