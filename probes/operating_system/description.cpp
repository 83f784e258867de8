#include "probes/operating_system/description.hpp"

#include <filesystem>
#include <system_error>

namespace hakaru::probes::operating_system {

base::Description description() {
  base::Description d("operating_system",
                      "what the operating system costs: the items of LMbench's summary");
  d.text("items", "", "groups or items of the summary, separated by commas; empty: all")
      .integer("samples", 11, 1, 1000, "1", "samples of each item")
      .real("least_seconds", 5e-3, 1e-5, 10.0, "s", "a sample lasts at least so long")
      .choice("placement", "free", {"free", "one_core", "two_cores"},
              "where two processes run: where the kernel puts them, or bound")
      .text("folder", "", "for files; empty: the folder of temporary files")
      .integer("file_bytes", std::int64_t{64} << 20, 1 << 20, std::int64_t{1} << 40, "B",
               "of the file that is mapped and read again, a multiple of 8")
      .integer("memory_bytes", std::int64_t{64} << 20, 1 << 16, std::int64_t{1} << 40, "B",
               "of the memory that is read, written and copied, a multiple of 4096")
      .integer("stream_bytes", std::int64_t{10} << 20, 1 << 10, std::int64_t{1} << 40, "B",
               "through pipes and sockets, for one operation")
      .preset("small",
              {{"samples", 5},
               {"least_seconds", 1e-3},
               {"file_bytes", std::int64_t{8} << 20},
               {"memory_bytes", std::int64_t{16} << 20},
               {"stream_bytes", std::int64_t{1} << 20}},
              "short samples, small files: some seconds", 1)
      .phase("items", base::PhaseKind::compute, "the items of the summary, one after the other")
      .metric("measured", "1", base::Better::higher, "items that could be measured")
      .table(
          "items",
          {{"group", "text"}, {"item", "text"}, {"sample", "1"}, {"bytes", "B"}, {"seconds", "s"}},
          "time of one operation, in the summary's order, and the bytes that it moves (0: its "
          "time is the figure)")
      .table("missing", {{"group", "text"}, {"item", "text"}, {"why", "text"}},
             "items that this machine does not allow")
      .table("places", {{"what", "text"}, {"value", "text"}},
             "where files were, on which file system; the line of the first cache in bytes")
      .limits(1, 1)
      .verifies({"folder"}, "what every item does, in short samples")
      .size_meaning("samples of each item");
  return d;
}

Conditions conditions_of(const base::Parameters& parameters) {
  Conditions found;
  found.sampling = {static_cast<int>(parameters.integer("samples")),
                    parameters.real("least_seconds")};
  const std::string placement = parameters.text("placement");
  found.placement = placement == "one_core"    ? Placement::one_core
                    : placement == "two_cores" ? Placement::two_cores
                                               : Placement::free;
  std::error_code none;
  found.folder = parameters.text("folder").empty()
                     ? std::filesystem::temp_directory_path(none).string()
                     : parameters.text("folder");
  found.spawner = (std::filesystem::read_symlink("/proc/self/exe", none).parent_path() /
                   "operating_system_spawner")
                      .string();
  found.file_bytes = parameters.integer("file_bytes") / 8 * 8;
  found.memory_bytes = parameters.integer("memory_bytes") / 4096 * 4096;
  found.stream_bytes = parameters.integer("stream_bytes");
  return found;
}

}  // namespace hakaru::probes::operating_system
