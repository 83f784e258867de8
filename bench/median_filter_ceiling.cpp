// What bounds a median filter: minima and maxima a second on values in registers, and the time of a
// point when an image is read and another one is written without any work. Arguments: points of the
// image, samples. Prints a line a sample: minima and maxima a second, seconds of a point.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int vector_bytes = 64, pairs = 10, turns = 400'000;
typedef VALUE Vector __attribute__((vector_size(vector_bytes)));

double now_s() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

// Minimum and maximum change places, so that nothing is known beforehand. Variables of their own,
// which the compiler keeps in registers.
#define EACH_PAIR(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9)
#define BEGIN(i) Vector low##i = first + VALUE(7 * i), high##i = first - VALUE(3 * i);
#define TURN(i)                                               \
  {                                                           \
    const Vector least = low##i < high##i ? low##i : high##i; \
    low##i = low##i < high##i ? high##i : low##i;             \
    high##i = least;                                          \
    asm volatile("" : "+v"(low##i), "+v"(high##i));           \
  }

double operations_per_s() {
  Vector first;
  for (int lane = 0; lane < vector_bytes / int(sizeof(VALUE)); ++lane) first[lane] = VALUE(lane);
  EACH_PAIR(BEGIN)
  const double begin = now_s();
  for (int turn = 0; turn < turns; ++turn) {
    EACH_PAIR(TURN)
  }
  const double elapsed = now_s() - begin;
  return 2.0 * pairs * turns * (vector_bytes / sizeof(VALUE)) / elapsed;
}

}  // namespace

int main(int, char** words) {
  const std::size_t points = std::strtoull(words[1], nullptr, 10);
  std::vector<VALUE> image(points, VALUE{1}), copy(points, VALUE{2});
  for (int sample = 0; sample < std::atoi(words[2]); ++sample) {
    const double rate = operations_per_s();
    const double begin = now_s();
    std::memcpy(copy.data(), image.data(), points * sizeof(VALUE));
    asm volatile("" : : "r"(copy.data()) : "memory");
    std::printf("%.6e %.6e\n", rate, (now_s() - begin) / static_cast<double>(points));
  }
}
