#include "probes/formatted_io/text.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <vector>

#include "native/base/require.hpp"
#include "probes/formatted_io/place.hpp"

namespace hakaru::probes::formatted_io {
namespace {

constexpr std::int64_t lines_at_once = 4096;

void put_integer(char* field, std::int32_t value) {
  std::fill(field, field + width_of(Type::integer4), ' ');
  char* last = field + width_of(Type::integer4);
  std::uint32_t rest = value < 0 ? -static_cast<std::uint32_t>(value) : value;
  do *--last = static_cast<char>('0' + rest % 10);
  while ((rest /= 10) > 0);
  if (value < 0) *--last = '-';
}

// Numbers from `first` to `last`, with the ends of their lines; the last line of all may be short.
void append(std::string& text, const Items& items, std::int64_t first, std::int64_t last,
            Notation notation) {
  const int width = width_of(items.type()), columns = columns_of(items.type());
  for (std::int64_t i = first; i < last; ++i) {
    const std::size_t place = text.size();
    text.resize(place + static_cast<std::size_t>(width));
    if (is_integer(items.type()))
      put_integer(text.data() + place, integer_at(items.seed(), i));
    else
      put(text.data() + place,
          is_single(items.type()) ? decimal_single(items.seed(), i)
                                  : decimal_double(items.seed(), i),
          notation);
    if ((i + 1) % columns == 0 || i + 1 == items.numbers()) text += '\n';
  }
}

std::int64_t differing_bytes(const char* one, const char* other, std::size_t bytes) {
  if (std::memcmp(one, other, bytes) == 0) return 0;
  std::int64_t count = 0;
  for (std::size_t i = 0; i < bytes; ++i) count += one[i] != other[i];
  return count;
}

// A file that is compared part by part.
class Compared {
 public:
  explicit Compared(const std::string& path) : file_(path, std::ios::binary) {
    if (!file_) throw Unavailable(path + " cannot be read");
  }
  void part(const char* expected, std::size_t bytes) {
    found_.resize(bytes);
    file_.read(found_.data(), static_cast<std::streamsize>(bytes));
    const auto here = static_cast<std::size_t>(file_.gcount());
    wrong_ +=
        differing_bytes(expected, found_.data(), here) + static_cast<std::int64_t>(bytes - here);
  }
  std::int64_t wrong() {
    file_.clear();
    const auto here = file_.tellg();
    file_.seekg(0, std::ios::end);
    return wrong_ + static_cast<std::int64_t>(file_.tellg() - here);
  }

 private:
  std::ifstream file_;
  std::vector<char> found_;
  std::int64_t wrong_ = 0;
};

}  // namespace

void put(char* field, const Decimal& decimal, Notation notation) {
  const bool fortran = notation == Notation::fortran;
  const int exponent = decimal.exponent - (fortran ? 0 : 1);
  HAKARU_EXPECTS(exponent > -100 && exponent < 100);
  std::fill(field, field + text_width, ' ');
  char* last = field + text_width;
  const int power = exponent < 0 ? -exponent : exponent;
  *--last = static_cast<char>('0' + power % 10);
  *--last = static_cast<char>('0' + power / 10);
  *--last = exponent < 0 ? '-' : '+';
  *--last = fortran ? 'D' : notation == Notation::c ? 'E' : 'e';
  std::uint64_t rest = decimal.digits;
  for (int i = digits; i > 0; --i, rest /= 10) {
    if (i == 1 && !fortran) *--last = '.';
    *--last = static_cast<char>('0' + rest % 10);
  }
  if (fortran) *--last = '.', *--last = '0';
  if (decimal.negative) *--last = '-';
}

std::int64_t wrong_text(const std::string& path, const Items& items, Notation notation) {
  Compared file(path);
  const std::int64_t step = lines_at_once * columns_of(items.type());
  std::string text;
  for (std::int64_t first = 0; first < items.numbers(); first += step) {
    text.clear();
    append(text, items, first, std::min(first + step, items.numbers()), notation);
    file.part(text.data(), text.size());
  }
  return file.wrong();
}

std::int64_t wrong_binary(const std::string& path, const Items& items, int marks) {
  Compared file(path);
  const auto length = static_cast<std::int32_t>(items.bytes());
  HAKARU_EXPECTS(marks == 0 || marks == sizeof length);
  std::string mark(static_cast<std::size_t>(marks), 0);
  std::memcpy(mark.data(), &length, mark.size());
  file.part(mark.data(), mark.size());
  file.part(static_cast<const char*>(items.data()), static_cast<std::size_t>(items.bytes()));
  file.part(mark.data(), mark.size());
  return file.wrong();
}

}  // namespace hakaru::probes::formatted_io
