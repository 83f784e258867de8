#include "probes/files/description.hpp"

#include <filesystem>

namespace hakaru::probes::files {

base::Description description() {
  base::Description d("files", "writing and reading files: ways, patterns, hints, pointers");
  d.text("folder", "", "where files are made; empty: the folder of temporary files")
      .integer("bytes", std::int64_t{16} << 20, 1 << 16, std::int64_t{1} << 30, "B",
               "that each rank writes, a multiple of 65536")
      .integer("samples", 5, 1, 1000, "1", "samples of each measurement")
      .integer("files", 100, 1, 1'000'000, "1", "files of each rank, for the times of one file")
      .real("most_seconds", 200.0, 0.0, 86400.0, "s",
            "what is not begun by then is told as missing")
      .preset(
          "small",
          {{"bytes", std::int64_t{2} << 20}, {"samples", 3}, {"files", 20}, {"most_seconds", 30.0}},
          "2 MiB a rank: some seconds", 1)
      .phase("ways", base::PhaseKind::io,
             "a file each, one file by MPI-IO, through a master, an array of HDF5 or PnetCDF")
      .phase("pointers", base::PhaseKind::io, "offsets and pointers of MPI-IO")
      .phase("hints", base::PhaseKind::io, "MPI-IO with hints")
      .phase("metadata", base::PhaseKind::io, "making, asking for and deleting files")
      .metric("synced_rate", "B/s", base::Better::higher,
              "contiguous data to one file by MPI-IO, flushed to the device, best sample")
      .table("writes",
             {{"way", "text"},
              {"blocks", "1"},
              {"ranks", "1"},
              {"bytes", "B"},
              {"sample", "1"},
              {"cached", "s"},
              {"synced", "s"}},
             "time of the calls that write, of the slowest rank; the same with the flush to the "
             "device; bytes of all ranks")
      .table("reads",
             {{"way", "text"},
              {"blocks", "1"},
              {"ranks", "1"},
              {"bytes", "B"},
              {"sample", "1"},
              {"from", "text"},
              {"resident", "1"},
              {"seconds", "s"}},
             "from the page cache, or from the device after the cache was asked to forget; "
             "resident: share of the pages that it still held before")
      .table("hints",
             {{"hint", "text"},
              {"way", "text"},
              {"blocks", "1"},
              {"bytes", "B"},
              {"sample", "1"},
              {"cached", "s"},
              {"synced", "s"}},
             "as writes, with a hint")
      .table("pointers",
             {{"pointer", "text"},
              {"blocks", "1"},
              {"bytes", "B"},
              {"sample", "1"},
              {"seconds", "s"},
              {"work", "s"}},
             "time of the calls that write, of the slowest rank; work: computed meanwhile, which "
             "the time includes")
      .table("metadata", {{"operation", "text"}, {"ranks", "1"}, {"sample", "1"}, {"seconds", "s"}},
             "time of one file of the slowest rank, all ranks at once in one folder")
      .table("places", {{"folder", "text"}, {"file_system", "text"}, {"reach", "text"}},
             "where files were; reach: local, shared, or memory where no disk is behind it")
      .table("missing", {{"what", "text"}, {"why", "text"}}, "what this place does not allow")
      .limits(0, 1)
      .verifies({"folder"}, "the contents of every file of every way, byte by byte")
      .size_meaning("bytes of all ranks");
  return d;
}

std::string folder_of(const base::Parameters& parameters) {
  std::error_code none;
  const std::string named = parameters.text("folder");
  return named.empty() ? std::filesystem::temp_directory_path(none).string() : named;
}

}  // namespace hakaru::probes::files
