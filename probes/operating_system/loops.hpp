// Loops over memory as LMbench's bw_mem does them: words of four bytes one after the other, no
// vectors, unless something else is said.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hakaru::probes::operating_system {

constexpr std::size_t partial_step = 4;  // words: every 16 bytes

std::uint64_t sum_words(const std::uint64_t* words, std::size_t count);

std::uint32_t read_words(const std::uint32_t* words, std::size_t count);
std::uint32_t read_partly(const std::uint32_t* words, std::size_t count);
void write_words(std::uint32_t* words, std::size_t count, std::uint32_t value);
void write_partly(std::uint32_t* words, std::size_t count, std::uint32_t value);
// The sum of what every partial_step-th word was, which becomes `value`.
std::uint32_t read_write_partly(std::uint32_t* words, std::size_t count, std::uint32_t value);
void copy_words(std::uint32_t* to, const std::uint32_t* from, std::size_t count);
void copy_partly(std::uint32_t* to, const std::uint32_t* from, std::size_t count);

}  // namespace hakaru::probes::operating_system
