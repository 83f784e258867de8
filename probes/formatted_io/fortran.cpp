#include <fmt/format.h>

#include <cstdlib>

#include "probes/formatted_io/place.hpp"
#include "probes/formatted_io/ways.hpp"

#ifdef HAKARU_FORTRAN
extern "C" {
void hakaru_fortran_write(const char* path, int length, int form, int kind, std::int64_t count,
                          const void* data, void* watch, int* status);
void hakaru_fortran_read(const char* path, int length, int form, int kind, std::int64_t count,
                         void* data, void* watch, int* status);
void hakaru_formatted_io_mark(void* watch) {
  static_cast<hakaru::probes::formatted_io::Watch*>(watch)->mark();
}
}
#endif

namespace hakaru::probes::formatted_io {

#ifdef HAKARU_FORTRAN

std::string fortran_compiler() { return HAKARU_FORTRAN; }

Watch fortran_write(Form form, Type type, std::int64_t count, const void* data,
                    const std::string& path) {
  Watch watch;
  int status = 0;
  hakaru_fortran_write(path.c_str(), static_cast<int>(path.size()), static_cast<int>(form),
                       static_cast<int>(type), count, data, &watch, &status);
  if (status) throw Unavailable(fmt::format("Fortran cannot write (iostat {})", status));
  return watch;
}

Watch fortran_read(Form form, Type type, std::int64_t count, void* data, const std::string& path) {
  Watch watch;
  int status = 0;
  hakaru_fortran_read(path.c_str(), static_cast<int>(path.size()), static_cast<int>(form),
                      static_cast<int>(type), count, data, &watch, &status);
  if (status) throw Unavailable(fmt::format("Fortran cannot read (iostat {})", status));
  return watch;
}

#else

std::string fortran_compiler() { return ""; }

Watch fortran_write(Form, Type, std::int64_t, const void*, const std::string&) {
  throw Unavailable("there was no Fortran compiler when hakaru was built");
}

Watch fortran_read(Form, Type, std::int64_t, void*, const std::string&) {
  throw Unavailable("there was no Fortran compiler when hakaru was built");
}

#endif

std::int64_t fortran_buffer() {
  const char* asked = std::getenv("GFORTRAN_FORMATTED_BUFFER_SIZE");
  const long long bytes = asked ? std::atoll(asked) : 0;
  return bytes > 0 ? bytes : 0;
}

}  // namespace hakaru::probes::formatted_io
