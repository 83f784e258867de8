#include "probes/operating_system/loops.hpp"

namespace hakaru::probes::operating_system {

// Chunks of 128 words, as LMbench unrolls its loops.
#define HAKARU_UNROLLED _Pragma("GCC unroll 128")

namespace {

constexpr std::size_t chunk = 128;

// The words of a chunk are added among themselves, as LMbench's expression does, so that chunks
// need not wait for each other's sum.
template <typename Word>
Word sum_of(const Word* words, std::size_t count) {
  Word sum = 0;
  std::size_t i = 0;
  for (; i + chunk <= count; i += chunk) {
    Word part = 0;
    HAKARU_UNROLLED
    for (std::size_t j = 0; j < chunk; ++j) part += words[i + j];
    sum += part;
  }
  for (; i < count; ++i) sum += words[i];
  return sum;
}

}  // namespace

std::uint64_t sum_words(const std::uint64_t* words, std::size_t count) {
  return sum_of(words, count);
}

std::uint32_t read_words(const std::uint32_t* words, std::size_t count) {
  return sum_of(words, count);
}

std::uint32_t read_partly(const std::uint32_t* words, std::size_t count) {
  std::uint32_t sum = 0;
  HAKARU_UNROLLED
  for (std::size_t i = 0; i < count; i += partial_step) sum += words[i];
  return sum;
}

void write_words(std::uint32_t* words, std::size_t count, std::uint32_t value) {
  HAKARU_UNROLLED
  for (std::size_t i = 0; i < count; ++i) words[i] = value;
}

void write_partly(std::uint32_t* words, std::size_t count, std::uint32_t value) {
  HAKARU_UNROLLED
  for (std::size_t i = 0; i < count; i += partial_step) words[i] = value;
}

std::uint32_t read_write_partly(std::uint32_t* words, std::size_t count, std::uint32_t value) {
  std::uint32_t sum = 0;
  HAKARU_UNROLLED
  for (std::size_t i = 0; i < count; i += partial_step) {
    sum += words[i];
    words[i] = value;
  }
  return sum;
}

void copy_words(std::uint32_t* to, const std::uint32_t* from, std::size_t count) {
  HAKARU_UNROLLED
  for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
}

void copy_partly(std::uint32_t* to, const std::uint32_t* from, std::size_t count) {
  HAKARU_UNROLLED
  for (std::size_t i = 0; i < count; i += partial_step) to[i] = from[i];
}

}  // namespace hakaru::probes::operating_system
