// std::to_chars and fmt into a buffer that is handed to write(2), and back; bytes as they are.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <type_traits>

#include "probes/formatted_io/place.hpp"
#include "probes/formatted_io/ways.hpp"

namespace hakaru::probes::formatted_io {
namespace {

constexpr std::int64_t usual_buffer = 65536, most_field = 64;

class File {
 public:
  File(const std::string& path, int flags)
      : number_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {
    if (number_ < 0) throw Unavailable(fmt::format("{}: {}", path, std::strerror(errno)));
  }
  ~File() { ::close(number_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void write(const char* bytes, std::size_t count) const {
    while (count > 0) {
      const ssize_t done = ::write(number_, bytes, count);
      if (done < 0 && errno != EINTR)
        throw Unavailable(fmt::format("it cannot be written: {}", std::strerror(errno)));
      if (done > 0) bytes += done, count -= static_cast<std::size_t>(done);
    }
  }
  // Bytes that were there, at most `count`.
  std::size_t read(char* bytes, std::size_t count) const {
    std::size_t found = 0;
    while (found < count) {
      const ssize_t done = ::read(number_, bytes + found, count - found);
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) throw Unavailable(fmt::format("it cannot be read: {}", std::strerror(errno)));
      if (done == 0) break;
      found += static_cast<std::size_t>(done);
    }
    return found;
  }

 private:
  int number_;
};

// What is written goes to the file whenever the buffer is full.
class Buffer {
 public:
  Buffer(const File& file, std::int64_t bytes)
      : file_(file), most_(static_cast<std::size_t>(bytes)), own_(most_ + most_field) {}
  char* next() { return own_.data() + used_; }
  void advance(std::size_t bytes) {
    used_ += bytes;
    if (used_ >= most_) flush();
  }
  void flush() {
    file_.write(own_.data(), used_);
    used_ = 0;
  }

 private:
  const File& file_;
  std::size_t most_, used_ = 0;
  std::vector<char> own_;
};

template <typename Number>
char* convert(char* first, char* last, Number value) {
  if constexpr (std::is_integral_v<Number>)
    return std::to_chars(first, last, value).ptr;
  else
    return std::to_chars(first, last, value, std::chars_format::scientific, digits - 1).ptr;
}

template <typename Number>
void put_field(Way way, char* field, Number value) {
  constexpr int width = std::is_integral_v<Number> ? 10 : text_width;
  if (way == Way::fmt) {
    if constexpr (std::is_integral_v<Number>)
      fmt::format_to(field, "{:10}", value);
    else
      fmt::format_to(field, "{:24.14E}", value);
    return;
  }
  char text[most_field];
  const auto length = static_cast<int>(convert(text, text + sizeof text, value) - text);
  std::fill(field, field + width - length, ' ');
  std::copy(text, text + length, field + width - length);
}

template <typename Number>
void write_text(Way way, Buffer& buffer, const Number* x, std::int64_t numbers) {
  constexpr int width = std::is_integral_v<Number> ? 10 : text_width;
  constexpr int columns = std::is_integral_v<Number> ? 10 : 4;
  for (std::int64_t i = 0; i < numbers; ++i) {
    char* field = buffer.next();
    put_field(way, field, x[i]);
    const bool last = (i + 1) % columns == 0 || i + 1 == numbers;
    if (last) field[width] = '\n';
    buffer.advance(static_cast<std::size_t>(width + (last ? 1 : 0)));
  }
}

// Numbers that were found. What a buffer ends within goes to the front of the next.
template <typename Number>
std::int64_t read_text(const File& file, std::int64_t bytes, Number* x, std::int64_t numbers) {
  std::vector<char> own(static_cast<std::size_t>(bytes + most_field));
  std::size_t kept = 0;
  std::int64_t i = 0;
  for (bool more = true; more && i < numbers;) {
    const std::size_t found = file.read(own.data() + kept, own.size() - kept);
    more = found > 0;
    const char *here = own.data(), *end = own.data() + kept + found;
    // Only whole fields: behind one that is not the last of the file there is room for another.
    while (i < numbers && (end - here > most_field || (!more && here < end))) {
      while (here < end && (*here == ' ' || *here == '\n')) ++here;
      const auto done = std::from_chars(here, end, x[i]);
      if (done.ec != std::errc{}) return i;
      here = done.ptr;
      ++i;
    }
    kept = static_cast<std::size_t>(end - here);
    std::memmove(own.data(), here, kept);
  }
  return i;
}

}  // namespace

void characters_write(Way way, const Items& items, const std::string& path, std::int64_t buffer,
                      Watch& watch) {
  const std::int64_t size = buffer > 0 ? buffer : usual_buffer;
  const File file(path, O_CREAT | O_TRUNC | O_WRONLY);
  Buffer text(file, size);
  watch.mark();
  if (about(way).formatted)
    items.visit([&](const auto* x) { write_text(way, text, x, items.numbers()); });
  else
    for (std::int64_t place = 0; place < items.bytes(); place += size)
      file.write(static_cast<const char*>(items.data()) + place,
                 static_cast<std::size_t>(std::min(size, items.bytes() - place)));
  watch.mark();
  text.flush();
  watch.mark();
}

void characters_read(Way way, Items& items, const std::string& path, std::int64_t buffer,
                     Watch& watch) {
  const std::int64_t size = buffer > 0 ? buffer : usual_buffer;
  const File file(path, O_RDONLY);
  std::int64_t missing = 0;
  watch.mark();
  if (about(way).formatted)
    items.visit(
        [&](auto* x) { missing = items.numbers() - read_text(file, size, x, items.numbers()); });
  else
    for (std::int64_t place = 0; place < items.bytes() && missing == 0; place += size) {
      const auto wanted = static_cast<std::size_t>(std::min(size, items.bytes() - place));
      missing += file.read(static_cast<char*>(items.data()) + place, wanted) != wanted;
    }
  watch.mark();
  watch.mark();
  if (missing) throw Unavailable("what was written cannot be read");
}

}  // namespace hakaru::probes::formatted_io
