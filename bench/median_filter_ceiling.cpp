// What bounds a median filter: minima and maxima a second on values in registers, and the time of a
// point when an image is read and another one is written without any work. Arguments: points of the
// image, samples. Prints a line a sample: minima and maxima a second, seconds of a point.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int vector_bytes = 64, chains = 12, turns = 400'000;
typedef VALUE Vector __attribute__((vector_size(vector_bytes)));

double now_s() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

// Pairs whose minimum and maximum change places, so that nothing is known beforehand.
double operations_per_s() {
  Vector low[chains], high[chains];
  for (int i = 0; i < chains; ++i)
    for (int lane = 0; lane < vector_bytes / int(sizeof(VALUE)); ++lane) {
      low[i][lane] = static_cast<VALUE>(7 * i + lane);
      high[i][lane] = static_cast<VALUE>(100 - 3 * i - lane);
    }
  const double begin = now_s();
  for (int turn = 0; turn < turns; ++turn) {
#pragma GCC unroll 16
    for (int i = 0; i < chains; ++i) {
      const Vector least = low[i] < high[i] ? low[i] : high[i];
      const Vector most = low[i] < high[i] ? high[i] : low[i];
      low[i] = most;
      high[i] = least;
      asm volatile("" : "+v"(low[i]), "+v"(high[i]));
    }
  }
  const double elapsed = now_s() - begin;
  return 2.0 * chains * turns * (vector_bytes / sizeof(VALUE)) / elapsed;
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
