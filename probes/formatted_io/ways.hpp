// Writing and reading a file as a program in each language does it, with the time of its parts.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "probes/formatted_io/items.hpp"
#include "probes/formatted_io/text.hpp"

namespace hakaru::probes::formatted_io {

enum class Way {
  fortran,
  fortran_unformatted,
  c,
  c_unformatted,
  streams,
  streams_unformatted,
  to_chars,
  fmt,
  system
};
inline constexpr std::array all_ways{
    Way::fortran, Way::fortran_unformatted, Way::c,        Way::c_unformatted,
    Way::streams, Way::streams_unformatted, Way::to_chars, Way::fmt,
    Way::system};

struct About {
  const char* language;  // "Fortran", "C", "C++"
  const char* library;   // what does it: "write, read", "printf, scanf" ...
  bool formatted;
  Notation notation;  // of formatted reals
  bool reads;         // fmt only writes
  int marks;          // bytes before and after an unformatted record
  bool takes_buffer;  // the size of its buffer can be chosen
};
const About& about(Way way);
bool is_fortran(Way way);

// Wall-clock and processor seconds at marks: before the statements, after them, after the flush.
class Watch {
 public:
  void mark();
  double library_s() const { return wall(1) - wall(0); }
  double flush_s() const { return wall(2) - wall(1); }
  // Of the statements and the flush, by getrusage(2).
  double user_s() const { return marks_.back().user_s - marks_.front().user_s; }
  double system_s() const { return marks_.back().system_s - marks_.front().system_s; }

 private:
  struct Mark {
    double wall_s, user_s, system_s;
  };
  double wall(std::size_t i) const { return marks_.at(i).wall_s; }
  std::vector<Mark> marks_;
};

// Bytes that the file will have.
std::int64_t file_bytes(Way way, const Items& items);

// `buffer`: its size in bytes, 0: as the library has it. All throw Unavailable, with the reason,
// for what cannot be written or read; a library that does not tell is found out by the file's size.
Watch write(Way way, const Items& items, const std::string& path, std::int64_t buffer = 0);
Watch read(Way way, Items& items, const std::string& path, std::int64_t buffer = 0);

// Bytes of the file that are not what should be there; the items must be Values::decimal where the
// way is formatted.
std::int64_t wrong(Way way, const Items& items, const std::string& path);

// The compiler whose Fortran this is; empty: there was none.
std::string fortran_compiler();
// Bytes of a Fortran unit's buffer as the environment asks for, 0: as the library has it.
std::int64_t fortran_buffer();

// What Fortran can do beside the two ways: a statement a line, and characters by (4a1).
enum class Form { text, unformatted, lines, characters };
Watch fortran_write(Form form, Type type, std::int64_t count, const void* data,
                    const std::string& path);
Watch fortran_read(Form form, Type type, std::int64_t count, void* data, const std::string& path);

// One function a language, in a file of its own.
void c_write(bool formatted, const Items& items, const std::string& path, std::int64_t buffer,
             Watch&);
void c_read(bool formatted, Items& items, const std::string& path, std::int64_t buffer, Watch&);
void streams_write(bool formatted, const Items& items, const std::string& path, std::int64_t buffer,
                   Watch&);
void streams_read(bool formatted, Items& items, const std::string& path, std::int64_t buffer,
                  Watch&);
// std::to_chars, fmt, and bytes as they are, all by write(2) from a buffer of their own.
void characters_write(Way way, const Items& items, const std::string& path, std::int64_t buffer,
                      Watch&);
void characters_read(Way way, Items& items, const std::string& path, std::int64_t buffer, Watch&);

}  // namespace hakaru::probes::formatted_io
