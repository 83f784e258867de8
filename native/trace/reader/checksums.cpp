#include "native/trace/reader/checksums.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <vector>

#include "native/base/atomic_file.hpp"
#include "native/base/require.hpp"

namespace hakaru::trace {
namespace {

namespace fs = std::filesystem;

struct Sum {
  std::uint64_t bytes = 0;
  std::uint64_t value = 0;
};

constexpr std::uint64_t odd = 0x9e3779b97f4a7c15ull;

Sum sum_of(const fs::path& path) {
  const auto close = [](std::FILE* file) { std::fclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "rb"), close);
  base::require(file != nullptr, "a file of the archive cannot be read",
                path.string() + ": " + std::strerror(errno), "copy the archive again");
  // Four lanes, so that multiplications overlap.
  std::uint64_t lanes[4] = {1, 2, 3, 4};
  Sum sum;
  std::vector<std::uint64_t> block(1 << 15);
  for (;;) {
    const std::size_t got =
        std::fread(block.data(), 1, block.size() * sizeof(std::uint64_t), file.get());
    if (got == 0) break;
    sum.bytes += got;
    std::memset(reinterpret_cast<char*>(block.data()) + got, 0, (32 - got % 32) % 32);
    const std::size_t words = (got + 31) / 32 * 4;
    for (std::size_t i = 0; i < words; i += 4) {
      for (std::size_t lane = 0; lane < 4; ++lane)
        lanes[lane] = std::rotl((lanes[lane] ^ block[i + lane]) * odd, 29);
    }
  }
  for (const std::uint64_t lane : lanes) sum.value = std::rotl((sum.value ^ lane) * odd, 31);
  sum.value ^= sum.bytes;
  return sum;
}

std::map<std::string, Sum> sums_below(const std::string& folder) {
  std::map<std::string, Sum> sums;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = fs::relative(entry.path(), folder).string();
    if (entry.is_regular_file() && name != checksums_name) sums[name] = sum_of(entry.path());
  }
  return sums;
}

}  // namespace

std::uint64_t checksum_of(const std::string& path) { return sum_of(path).value; }

void write_checksums(const std::string& folder) {
  std::string text;
  for (const auto& [name, sum] : sums_below(folder))
    text += fmt::format("{:016x} {} {}\n", sum.value, sum.bytes, name);
  base::write_file_atomically((fs::path(folder) / checksums_name).string(), text);
}

void verify_checksums(const std::string& folder, bool promised) {
  const char* const remedy = "copy the archive again, or trace the program again";
  const fs::path list = fs::path(folder) / checksums_name;
  if (!fs::exists(list)) {
    base::require(!promised, "the archive is damaged", "its file of checksums is missing", remedy);
    return;
  }
  std::map<std::string, Sum> actual = sums_below(folder);
  std::istringstream lines(base::read_file(list.string()));
  std::string line;
  std::size_t listed = 0;
  while (std::getline(lines, line)) {
    Sum wanted;
    std::istringstream words(line);
    std::string name;
    words >> std::hex >> wanted.value >> std::dec >> wanted.bytes >> std::ws;
    std::getline(words, name);
    const auto found = actual.find(name);
    base::require(found != actual.end(), "the archive is damaged",
                  "its file " + name + " is missing", remedy);
    base::require(found->second.bytes == wanted.bytes, "the archive is damaged",
                  fmt::format("its file {} has {} bytes, written were {}", name,
                              found->second.bytes, wanted.bytes),
                  remedy);
    base::require(found->second.value == wanted.value, "the archive is damaged",
                  "its file " + name + " has changed since it was written", remedy);
    ++listed;
  }
  base::require(listed == actual.size(), "the archive is damaged",
                fmt::format("it has {} files, {} are listed", actual.size(), listed), remedy);
}

}  // namespace hakaru::trace
