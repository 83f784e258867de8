#include "probes/formatted_io/description.hpp"

namespace hakaru::probes::formatted_io {
namespace {

void add_file_tables(base::Description& d) {
  std::vector<base::Column> file{{"language", "text"}, {"by", "text"},    {"form", "text"},
                                 {"type", "text"},     {"place", "text"}, {"file_system", "text"},
                                 {"items", "1"},       {"bytes", "B"},    {"buffer", "B"},
                                 {"sample", "1"},      {"seconds", "s"},  {"user", "s"},
                                 {"system", "s"}};
  d.table("reads", file,
          "seconds of the statements that read, out of the page cache; processor time of them");
  file.push_back({"flush", "s"});
  file.push_back({"sync", "s"});
  d.table("writes", file,
          "seconds of the statements that write; flush: to the system, by the language's own word; "
          "processor time of both; sync: to the device; buffer 0: as the library has it");
}

}  // namespace

base::Description description() {
  base::Description d("formatted_io", "formatted and unformatted files by language and library");
  d.integer("items", 750'000, 40, 1'000'000'000, "1", "items of each type")
      .integer("samples", 3, 1, 1000, "1", "samples of each measurement")
      .choice("language", "all", {"all", "c", "c++", "fortran"}, "what is measured")
      .text("folder", "", "where files are made first; empty: the folder of temporary files")
      .boolean("elsewhere", true, "also in memory (tmpfs) and on an ext4 on a loop device")
      .real("most_seconds", 200.0, 0.0, 86400.0, "s",
            "what is not begun by then is told as missing")
      .preset("small", {{"items", 20'000}, {"samples", 3}, {"most_seconds", 15.0}}, "seconds", 1)
      .preset("published", {{"items", 7'500'000}, {"samples", 1}, {"most_seconds", 900.0}},
              "the published number of items: minutes", 1)
      .phase("write", base::PhaseKind::io, "writing files")
      .phase("read", base::PhaseKind::io, "reading them back")
      .phase("steps", base::PhaseKind::compute, "steps of the library")
      .phase("values", base::PhaseKind::compute, "which values come back")
      .metric("text_rate", "B/s", base::Better::higher,
              "real*8 written as text by the fastest way, best sample");
  add_file_tables(d);
  d.table("steps",
          {{"step", "text"},
           {"direction", "text"},
           {"items", "1"},
           {"bytes", "B"},
           {"sample", "1"},
           {"seconds", "s"}},
          "Fortran, real*8: the whole (text), a statement a line (lines), one character an item "
          "(characters), system calls for as many bytes (calls)")
      .table("conversions",
             {{"by", "text"},
              {"direction", "text"},
              {"items", "1"},
              {"sample", "1"},
              {"seconds", "s"}},
             "real*8 to 15 digits and back, in memory")
      .table("returned",
             {{"language", "text"},
              {"by", "text"},
              {"type", "text"},
              {"numbers", "1"},
              {"same", "1"},
              {"rounding", "1"}},
             "reals with full significands: how many come back bit for bit; largest rounding in "
             "units of the number's power of ten")
      .table("compilers", {{"language", "text"}, {"compiler", "text"}}, "what was built with")
      .table("places", {{"place", "text"}, {"file_system", "text"}}, "where files were")
      .table("missing", {{"what", "text"}, {"why", "text"}}, "what this place does not allow")
      .limits(1, 1)
      .verifies({"folder", "language"},
                "every byte that each way writes, and every value that comes back")
      .size_meaning("items");
  return d;
}

}  // namespace hakaru::probes::formatted_io
