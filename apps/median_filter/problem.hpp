// What is filtered: the image, the window, and what lies beyond the edges of the image.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "native/base/parameters.hpp"

namespace hakaru::apps::median_filter {

// Points along each axis; x is the unit stride, z the slowest axis.
struct Extent {
  std::int64_t x = 0, y = 0, z = 0;
  std::int64_t points() const { return x * y * z; }
  bool operator==(const Extent&) const = default;
};

// The window of a point reaches from `before` points below it to `after` points above it; an even
// one reaches one further below. Its median is the value of rank() in ascending order, counted from
// 0: of an even number of values the upper one.
struct Window : Extent {
  static std::int64_t before(std::int64_t size) { return size / 2; }
  static std::int64_t after(std::int64_t size) { return size - 1 - size / 2; }
  std::int64_t rank() const { return points() / 2; }
};

// How the image goes on beyond its edges, by SciPy's names, for the image a b c d:
//   nearest  a a a | a b c d | d d d        reflect   c b a | a b c d | d c b
//   mirror   d c b | a b c d | c b a        wrap      b c d | a b c d | a b c
//   constant k k k | a b c d | k k k
enum class Edge { nearest, reflect, mirror, wrap, constant };

constexpr const char* edge_names[] = {"nearest", "reflect", "mirror", "wrap", "constant"};
Edge edge_named(const std::string& name);

// The point 0 <= result < points whose value stands at `at`, which may be any integer; outside for
// a constant.
constexpr std::int64_t outside = -1;
std::int64_t source_of(Edge edge, std::int64_t at, std::int64_t points);

struct Beyond {
  Edge edge = Edge::reflect;
  double value = 0.0;  // of Edge::constant
};

// integer: 32 bits; real_single, real_double: floating point of 32 and 64 bits.
enum class Values { integer, real_single, real_double };
constexpr const char* values_names[] = {"integer", "single", "double"};
Values values_named(const std::string& name);
std::int64_t value_bytes(Values values);

// Brightness at a point, 0 to 1: a ramp, noise of a quarter, and one point in 32 that is black or
// white. Every operation is exact, so that others can make the same image.
double brightness(const Extent& image, std::int64_t x, std::int64_t y, std::int64_t z);

// What an image of this type stores for a brightness: integers count 2^-20.
constexpr double integer_scale = 1048576.0;
template <typename Value>
Value stored(double brightness) {
  if constexpr (std::is_integral_v<Value>)
    return static_cast<Value>(brightness * integer_scale);
  else
    return static_cast<Value>(brightness);
}

// The weight of a point in the fingerprint of an image, sum of weight times value: 0 to 1.
double weight(const Extent& image, std::int64_t x, std::int64_t y, std::int64_t z);

struct Problem {
  Extent image;
  Window window;
  Beyond beyond;
  std::int64_t passes = 1;  // each filters what the one before it gave

  std::string name() const;
};

Problem problem_of(const base::Parameters& parameters);
// Why nothing can be filtered with these parameters, or "".
std::string refuse_problem(const base::Parameters& parameters);

}  // namespace hakaru::apps::median_filter
