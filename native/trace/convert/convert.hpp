// Raw traces of all ranks -> one OTF2 archive.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace hakaru::trace {

struct Conversion {
  std::int32_t ranks = 0;
  std::uint64_t events = 0, raw_bytes = 0, archive_bytes = 0;
  std::vector<std::string> warnings;
};

// Reads the rank-*.hkr files of `raw_folder` and makes the folder `archive_folder` with traces.otf2
// in it; an older archive there is replaced once the new one is whole. One rank after the other, so
// that memory holds one rank's open requests and the definitions. `progress(done, ranks)` after
// every rank. Throws base::UserError: usage for raw traces that cannot be used, environment when
// the archive cannot be written.
Conversion convert(const std::string& raw_folder, const std::string& archive_folder,
                   const std::function<void(std::int32_t, std::int32_t)>& progress);

// Where a process keeps the archive until it is whole.
std::string unfinished_folder(const std::string& archive_folder, std::int64_t process);

}  // namespace hakaru::trace
