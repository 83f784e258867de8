#include "probes/operating_system/loops.hpp"

namespace hakaru::probes::operating_system {

// Chunks of 128 words, as LMbench unrolls its loops.
#define HAKARU_UNROLLED _Pragma("GCC unroll 128")

std::uint64_t sum_words(const std::uint64_t* words, std::size_t count) {
  std::uint64_t sum = 0;
  HAKARU_UNROLLED
  for (std::size_t i = 0; i < count; ++i) sum += words[i];
  return sum;
}

std::uint32_t read_words(const std::uint32_t* words, std::size_t count) {
  std::uint32_t sum = 0;
  HAKARU_UNROLLED
  for (std::size_t i = 0; i < count; ++i) sum += words[i];
  return sum;
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
