#include "probes/formatted_io/ways.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <filesystem>

#include "native/base/clock.hpp"
#include "native/base/require.hpp"
#include "probes/formatted_io/place.hpp"

namespace hakaru::probes::formatted_io {
namespace {

constexpr std::array<About, all_ways.size()> abouts{{
    {"Fortran", "write, read", true, Notation::fortran, true, 0, false},
    {"Fortran", "write, read", false, Notation::fortran, true, 4, false},
    {"C", "printf, scanf", true, Notation::c, true, 0, true},
    {"C", "fwrite, fread", false, Notation::c, true, 0, true},
    {"C++", "streams", true, Notation::c, true, 0, true},
    {"C++", "streams", false, Notation::c, true, 0, true},
    {"C++", "to_chars, from_chars", true, Notation::small, true, 0, true},
    {"C++", "fmt", true, Notation::c, false, 0, true},
    {"C++", "system calls", false, Notation::c, true, 0, true},
}};

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

void require_size(const std::string& path, std::int64_t expected) {
  std::error_code error;
  const auto found = static_cast<std::int64_t>(std::filesystem::file_size(path, error));
  if (error || found != expected)
    throw Unavailable(fmt::format("the file has {} of {} bytes; the file system may be full",
                                  error ? 0 : found, expected));
}

Form form_of(Way way) { return about(way).formatted ? Form::text : Form::unformatted; }

}  // namespace

const About& about(Way way) { return abouts[static_cast<std::size_t>(way)]; }

bool is_fortran(Way way) { return way == Way::fortran || way == Way::fortran_unformatted; }

void Watch::mark() {
  struct rusage used {};
  ::getrusage(RUSAGE_SELF, &used);
  marks_.push_back({base::now_s(), seconds(used.ru_utime), seconds(used.ru_stime)});
}

std::int64_t file_bytes(Way way, const Items& items) {
  return about(way).formatted ? text_bytes(items.type(), items.count())
                              : items.bytes() + 2 * about(way).marks;
}

Watch write(Way way, const Items& items, const std::string& path, std::int64_t buffer) {
  Watch watch;
  const bool formatted = about(way).formatted;
  if (is_fortran(way))
    watch = fortran_write(form_of(way), items.type(), items.count(), items.data(), path);
  else if (way == Way::c || way == Way::c_unformatted)
    c_write(formatted, items, path, buffer, watch);
  else if (way == Way::streams || way == Way::streams_unformatted)
    streams_write(formatted, items, path, buffer, watch);
  else
    characters_write(way, items, path, buffer, watch);
  require_size(path, file_bytes(way, items));
  return watch;
}

Watch read(Way way, Items& items, const std::string& path, std::int64_t buffer) {
  HAKARU_EXPECTS(about(way).reads);
  Watch watch;
  const bool formatted = about(way).formatted;
  if (is_fortran(way))
    return fortran_read(form_of(way), items.type(), items.count(), items.data(), path);
  if (way == Way::c || way == Way::c_unformatted)
    c_read(formatted, items, path, buffer, watch);
  else if (way == Way::streams || way == Way::streams_unformatted)
    streams_read(formatted, items, path, buffer, watch);
  else
    characters_read(way, items, path, buffer, watch);
  return watch;
}

std::int64_t wrong(Way way, const Items& items, const std::string& path) {
  return about(way).formatted ? wrong_text(path, items, about(way).notation)
                              : wrong_binary(path, items, about(way).marks);
}

}  // namespace hakaru::probes::formatted_io
