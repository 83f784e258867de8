// What is written: items of the published types, whose decimal digits are known by construction.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace hakaru::probes::formatted_io {

enum class Type { integer4, real4, real8, complex8, complex16 };
inline constexpr std::array all_types{Type::integer4, Type::real4, Type::real8, Type::complex8,
                                      Type::complex16};
const char* name_of(Type type);  // as the publication calls it: "real*8"
constexpr int parts_of(Type type) {
  return type == Type::complex8 || type == Type::complex16 ? 2 : 1;
}
constexpr bool is_integer(Type type) { return type == Type::integer4; }
constexpr bool is_single(Type type) { return type == Type::real4 || type == Type::complex8; }
constexpr std::int64_t bytes_of(Type type) {
  return parts_of(type) * (is_integer(type) || is_single(type) ? 4 : 8);
}

// The published format: ten integers of ten characters a line, four reals of 24, and a line end.
constexpr int width_of(Type type) { return is_integer(type) ? 10 : 24; }
constexpr int columns_of(Type type) { return is_integer(type) ? 10 : 4; }
inline constexpr int digits = 15;  // of a real in its field
std::int64_t text_bytes(Type type, std::int64_t items);

// A number of 15 digits: (-1)^negative 0.DDDDDDDDDDDDDDD 10^exponent, the first digit not zero.
struct Decimal {
  bool negative;
  std::uint64_t digits;
  int exponent;
};
// Number i of a series, which a double, or a float, gives back from these digits bit for bit: a
// double since it keeps 15 digits (C++ numeric_limits::digits10), a float k / 2^j since it is this
// decimal exactly.
Decimal decimal_double(std::uint64_t seed, std::int64_t i);
Decimal decimal_single(std::uint64_t seed, std::int64_t i);
// At most 8 digits and a sign, so that fields of ten characters have a blank between them.
std::int32_t integer_at(std::uint64_t seed, std::int64_t i);

enum class Values {
  decimal,  // of 15 digits: the format gives them back bit for bit
  full      // reals with full significands: the format keeps 15 digits of a double, a float whole
};

class Items {
 public:
  Items(Type type, std::int64_t count, Values values, std::uint64_t seed);
  // The same number of items, all zero: to read into.
  Items(Type type, std::int64_t count);

  Type type() const { return type_; }
  std::int64_t count() const { return count_; }
  std::int64_t numbers() const { return count_ * parts_of(type_); }
  std::uint64_t seed() const { return seed_; }
  std::int64_t bytes() const { return count_ * bytes_of(type_); }
  void* data();
  const void* data() const;
  // Calls `work` with a pointer to the first number: of int32_t, float or double.
  template <typename Work>
  void visit(const Work& work) {
    if (is_integer(type_))
      work(integers_.data());
    else if (is_single(type_))
      work(singles_.data());
    else
      work(doubles_.data());
  }
  template <typename Work>
  void visit(const Work& work) const {
    if (is_integer(type_))
      work(integers_.data());
    else if (is_single(type_))
      work(singles_.data());
    else
      work(doubles_.data());
  }
  double number(std::int64_t i) const;

 private:
  Type type_;
  std::int64_t count_;
  std::uint64_t seed_ = 0;
  std::vector<std::int32_t> integers_;
  std::vector<float> singles_;
  std::vector<double> doubles_;
};

// Numbers of the two that have not the same bits.
std::int64_t differing(const Items& one, const Items& other);
// Largest |found - value| / 10^e over the reals, where value = 0.d... 10^e: 15 digits round by at
// most 0.5e-15. Infinite for what is no number.
double largest_rounding(const Items& values, const Items& found);

}  // namespace hakaru::probes::formatted_io
