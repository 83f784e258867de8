// C++ streams.
#include <fstream>
#include <iomanip>

#include "probes/formatted_io/place.hpp"
#include "probes/formatted_io/ways.hpp"

namespace hakaru::probes::formatted_io {
namespace {

// A buffer is handed over before the file is opened, or libstdc++ ignores it.
template <typename Stream>
void open(Stream& stream, const std::string& path, std::vector<char>& own) {
  if (!own.empty()) stream.rdbuf()->pubsetbuf(own.data(), static_cast<std::streamsize>(own.size()));
  stream.open(path, std::ios::binary);
  if (!stream) throw Unavailable(path + " cannot be opened");
}

}  // namespace

void streams_write(bool formatted, const Items& items, const std::string& path, std::int64_t buffer,
                   Watch& watch) {
  std::vector<char> own(static_cast<std::size_t>(buffer));
  std::ofstream file;
  open(file, path, own);
  const int width = width_of(items.type()), columns = columns_of(items.type());
  const std::int64_t numbers = items.numbers();
  file << std::scientific << std::uppercase << std::setprecision(digits - 1);
  watch.mark();
  if (formatted)
    items.visit([&](const auto* x) {
      for (std::int64_t i = 0; i < numbers; ++i) {
        file << std::setw(width) << x[i];
        if ((i + 1) % columns == 0 || i + 1 == numbers) file << '\n';
      }
    });
  else
    file.write(static_cast<const char*>(items.data()), items.bytes());
  watch.mark();
  file.flush();
  watch.mark();
  if (!file) throw Unavailable("a C++ stream cannot write; the file system may be full");
}

void streams_read(bool formatted, Items& items, const std::string& path, std::int64_t buffer,
                  Watch& watch) {
  std::vector<char> own(static_cast<std::size_t>(buffer));
  std::ifstream file;
  open(file, path, own);
  watch.mark();
  if (formatted)
    items.visit([&](auto* x) {
      for (std::int64_t i = 0; i < items.numbers(); ++i) file >> x[i];
    });
  else
    file.read(static_cast<char*>(items.data()), items.bytes());
  watch.mark();
  watch.mark();
  if (!file) throw Unavailable("a C++ stream cannot read what was written");
}

}  // namespace hakaru::probes::formatted_io
