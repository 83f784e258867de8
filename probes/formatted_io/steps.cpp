#include "probes/formatted_io/steps.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "native/base/clock.hpp"
#include "native/base/require.hpp"
#include "probes/formatted_io/place.hpp"
#include "probes/formatted_io/ways.hpp"

namespace hakaru::probes::formatted_io {
namespace {

constexpr std::int64_t call_bytes = 8192;  // a formatted unit's buffer in gfortran's library
constexpr int row_bytes = 32;              // of a number's text in memory, with a zero byte

template <typename Work>
double seconds_of(const Work& work) {
  const double start = base::now_s();
  work();
  return base::now_s() - start;
}

// Each number's text in memory, `row_bytes` apart.
class Texts {
 public:
  explicit Texts(std::int64_t numbers) : bytes_(static_cast<std::size_t>(numbers * row_bytes), 1) {}
  char* operator[](std::int64_t i) { return bytes_.data() + i * row_bytes; }

 private:
  std::vector<char> bytes_;
};

// Digits, point and sign, whatever stands in front and whether E or e: what all libraries share.
bool same_text(const char* one, const Decimal& decimal) {
  char field[text_width + 1] = {};
  put(field, decimal, Notation::small);
  const char* expected = field;
  while (*expected == ' ') ++expected;
  if (*one == '+') ++one;
  while (*one && (*one == 'E' ? 'e' : *one) == *expected) ++one, ++expected;
  return *one == 0 && *expected == 0;
}

std::int64_t wrong_texts(Texts& texts, const Items& items) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < items.numbers(); ++i)
    count += !same_text(texts[i], decimal_double(items.seed(), i));
  return count;
}

std::int64_t wrong_numbers(const std::vector<double>& found, const Items& items) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < items.numbers(); ++i)
    count += found[static_cast<std::size_t>(i)] != items.number(i);
  return count;
}

}  // namespace

const char* name_of(Direction direction) {
  return direction == Direction::write ? "write" : "read";
}

std::vector<Step> fortran_steps(const Items& items, const std::string& folder,
                                std::int64_t& wrong) {
  HAKARU_EXPECTS(items.type() == Type::real8);
  std::vector<Step> steps;
  const std::string path = folder + "/steps";
  const std::int64_t count = items.count(), text = text_bytes(Type::real8, count);
  const auto add = [&](const char* name, Form form, std::int64_t bytes, const void* data,
                       void* into) {
    steps.push_back({name, Direction::write, bytes,
                     fortran_write(form, Type::real8, count, data, path).library_s()});
    if (static_cast<std::int64_t>(std::filesystem::file_size(path)) != bytes)
      throw Unavailable("a file of the steps is not whole; the file system may be full");
    steps.push_back({name, Direction::read, bytes,
                     fortran_read(form, Type::real8, count, into, path).library_s()});
    std::filesystem::remove(path);
  };
  for (const auto& [name, form] : {std::pair{"text", Form::text}, {"lines", Form::lines}}) {
    Items found(Type::real8, count);
    add(name, form, text, items.data(), found.data());
    wrong += differing(items, found);
  }
  std::vector<char> letters(static_cast<std::size_t>(count)), back(letters.size());
  for (std::size_t i = 0; i < letters.size(); ++i) letters[i] = static_cast<char>('a' + i % 26);
  add("characters", Form::characters, count + (count + 3) / 4, letters.data(), back.data());
  wrong += letters != back;
  Items bytes(Type::integer4, text / bytes_of(Type::integer4), Values::decimal, 1);
  Items back_again(Type::integer4, bytes.count());
  const double written = write(Way::system, bytes, path, call_bytes).library_s();
  const double taken = read(Way::system, back_again, path, call_bytes).library_s();
  wrong += differing(bytes, back_again);
  std::filesystem::remove(path);
  steps.push_back({"calls", Direction::write, bytes.bytes(), written});
  steps.push_back({"calls", Direction::read, bytes.bytes(), taken});
  return steps;
}

std::vector<Conversion> conversions(const Items& items, std::int64_t& wrong) {
  HAKARU_EXPECTS(items.type() == Type::real8);
  std::vector<Conversion> found;
  const auto* x = static_cast<const double*>(items.data());
  const std::int64_t numbers = items.numbers();
  Texts texts(numbers);
  const auto write_by = [&](const char* by, const auto& convert) {
    const double seconds = seconds_of([&] {
      for (std::int64_t i = 0; i < numbers; ++i) convert(texts[i], x[i]);
    });
    wrong += wrong_texts(texts, items);
    found.push_back({by, Direction::write, seconds});
  };
  write_by("fmt", [](char* text, double value) { *fmt::format_to(text, "{:.14E}", value) = 0; });
  write_by("to_chars", [](char* text, double value) {
    *std::to_chars(text, text + row_bytes, value, std::chars_format::scientific, digits - 1).ptr =
        0;
  });
  write_by("snprintf", [](char* text, double value) {
    std::snprintf(text, row_bytes, "%.*E", digits - 1, value);
  });
  std::vector<double> back(static_cast<std::size_t>(numbers));
  const auto read_by = [&](const char* by, const auto& convert) {
    const double seconds = seconds_of([&] {
      for (std::int64_t i = 0; i < numbers; ++i)
        back[static_cast<std::size_t>(i)] = convert(texts[i]);
    });
    wrong += wrong_numbers(back, items);
    found.push_back({by, Direction::read, seconds});
  };
  read_by("strtod", [](const char* text) { return std::strtod(text, nullptr); });
  read_by("from_chars", [](const char* text) {
    double value = 0.0;
    std::from_chars(text, text + std::strlen(text), value);
    return value;
  });
  return found;
}

}  // namespace hakaru::probes::formatted_io
