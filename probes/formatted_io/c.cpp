// C: a statement a line, as programs have them.
#include <fmt/format.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <memory>
#include <type_traits>

#include "probes/formatted_io/place.hpp"
#include "probes/formatted_io/ways.hpp"

namespace hakaru::probes::formatted_io {
namespace {

class File {
 public:
  File(const std::string& path, const char* mode, std::int64_t buffer)
      : own_(static_cast<std::size_t>(buffer)), file_(std::fopen(path.c_str(), mode)) {
    if (!file_) throw Unavailable(fmt::format("{}: {}", path, std::strerror(errno)));
    if (buffer > 0) std::setvbuf(file_, own_.data(), _IOFBF, own_.size());
  }
  ~File() { std::fclose(file_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  std::FILE* get() const { return file_; }

 private:
  std::vector<char> own_;
  std::FILE* file_;
};

void print(std::FILE* file, const std::int32_t* x, std::int64_t numbers) {
  std::int64_t i = 0;
  for (; i + 10 <= numbers; i += 10)
    std::fprintf(file, "%10d%10d%10d%10d%10d%10d%10d%10d%10d%10d\n", x[i], x[i + 1], x[i + 2],
                 x[i + 3], x[i + 4], x[i + 5], x[i + 6], x[i + 7], x[i + 8], x[i + 9]);
  if (i == numbers) return;
  for (; i < numbers; ++i) std::fprintf(file, "%10d", x[i]);
  std::fputc('\n', file);
}

template <typename Real>
void print(std::FILE* file, const Real* x, std::int64_t numbers) {
  std::int64_t i = 0;
  for (; i + 4 <= numbers; i += 4)
    std::fprintf(file, "%24.14E%24.14E%24.14E%24.14E\n", x[i], x[i + 1], x[i + 2], x[i + 3]);
  if (i == numbers) return;
  for (; i < numbers; ++i) std::fprintf(file, "%24.14E", x[i]);
  std::fputc('\n', file);
}

// True when all were there.
template <typename Number>
bool scan(std::FILE* file, Number* x, std::int64_t numbers) {
  const char *one = "%lf", *four = "%lf%lf%lf%lf";
  if constexpr (std::is_same_v<Number, float>) one = "%f", four = "%f%f%f%f";
  if constexpr (std::is_same_v<Number, std::int32_t>) one = "%d", four = "%d%d%d%d";
  std::int64_t i = 0;
  for (; i + 4 <= numbers; i += 4)
    if (std::fscanf(file, four, x + i, x + i + 1, x + i + 2, x + i + 3) != 4) return false;
  for (; i < numbers; ++i)
    if (std::fscanf(file, one, x + i) != 1) return false;
  return true;
}

}  // namespace

void c_write(bool formatted, const Items& items, const std::string& path, std::int64_t buffer,
             Watch& watch) {
  const File file(path, "w", buffer);
  watch.mark();
  if (formatted)
    items.visit([&](const auto* x) { print(file.get(), x, items.numbers()); });
  else
    std::fwrite(items.data(), static_cast<std::size_t>(bytes_of(items.type())),
                static_cast<std::size_t>(items.count()), file.get());
  watch.mark();
  const bool flushed = std::fflush(file.get()) == 0;
  watch.mark();
  if (!flushed || std::ferror(file.get()))
    throw Unavailable(fmt::format("C cannot write: {}", std::strerror(errno)));
}

void c_read(bool formatted, Items& items, const std::string& path, std::int64_t buffer,
            Watch& watch) {
  const File file(path, "r", buffer);
  bool whole = false;
  watch.mark();
  if (formatted)
    items.visit([&](auto* x) { whole = scan(file.get(), x, items.numbers()); });
  else
    whole = std::fread(items.data(), static_cast<std::size_t>(bytes_of(items.type())),
                       static_cast<std::size_t>(items.count()),
                       file.get()) == static_cast<std::size_t>(items.count());
  watch.mark();
  watch.mark();
  if (!whole) throw Unavailable("C cannot read what was written");
}

}  // namespace hakaru::probes::formatted_io
