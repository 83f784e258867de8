#include "native/trace/profile/symbols.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "native/trace/profile/names.hpp"

namespace hakaru::trace::profile {
namespace {

std::string build_id_of(Elf* elf) {
  const void* bytes = nullptr;
  const auto length = dwelf_elf_gnu_build_id(elf, &bytes);
  std::string id;
  for (ssize_t i = 0; i < length; i++)
    id += fmt::format("{:02x}", static_cast<const unsigned char*>(bytes)[i]);
  return id;
}

std::string text_of(Dwarf_Die* die, unsigned kind) {
  Dwarf_Attribute attribute;
  const char* text =
      dwarf_attr_integrate(die, kind, &attribute) ? dwarf_formstring(&attribute) : nullptr;
  return text ? text : "";
}

// Of the abstract definition where the die is an instance of one. Fortran compilers add underscores
// to names outside of modules, and call every main program MAIN__.
std::string name_of(Dwarf_Die* die) {
  const std::string name = text_of(die, DW_AT_name);
  std::string linked = text_of(die, DW_AT_linkage_name);
  if (linked.empty()) linked = text_of(die, DW_AT_MIPS_linkage_name);
  if (linked.empty() || linked == "MAIN__" || linked == name + "_" || linked == name + "__")
    return name;
  return readable(linked);
}

// Where an inlined routine was called: file and line.
void read_call(Dwarf_Die* die, Dwarf_Files* files, Frame& frame) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  frame.source.clear();
  frame.line = 0;
  if (files && dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attribute), &value) == 0)
    if (const char* source = dwarf_filesrc(files, value, nullptr, nullptr)) frame.source = source;
  if (dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attribute), &value) == 0)
    frame.line = static_cast<int>(value);
}

}  // namespace

struct Symbols::Session {
  Dwfl_Callbacks callbacks{};
  char* debug_path = nullptr;
  Dwfl* dwfl = nullptr;
  Dwfl_Module* module = nullptr;

  ~Session() {
    if (dwfl) dwfl_end(dwfl);
  }

  Found open(const Module& wanted) {
    const int file = ::open(wanted.path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return Found::missing;
    struct stat about {};
    fstat(file, &about);
    callbacks.find_debuginfo = dwfl_standard_find_debuginfo;
    callbacks.debuginfo_path = &debug_path;
    dwfl = dwfl_begin(&callbacks);
    dwfl_report_begin(dwfl);
    module = dwfl_report_elf(dwfl, wanted.path.c_str(), wanted.path.c_str(), file, 0, true);
    dwfl_report_end(dwfl, nullptr, nullptr);
    GElf_Addr bias = 0;
    Elf* elf = module ? dwfl_module_getelf(module, &bias) : nullptr;
    if (!elf) return Found::unreadable;
    const std::string id = build_id_of(elf);
    const auto time = static_cast<std::uint64_t>(about.st_mtim.tv_sec) * 1000000000u +
                      static_cast<std::uint64_t>(about.st_mtim.tv_nsec);
    const bool same =
        !wanted.build_id.empty() || !id.empty()
            ? id == wanted.build_id
            : static_cast<std::uint64_t>(about.st_size) == wanted.bytes && time == wanted.time_ns;
    return same ? Found::named : Found::changed;
  }

  Frame plain(std::uint64_t address) const {
    Frame frame;
    GElf_Off offset = 0;
    GElf_Sym symbol;
    const char* name =
        dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
    if (name && (symbol.st_size == 0 || offset < symbol.st_size)) frame.routine = readable(name);
    if (Dwfl_Line* line = dwfl_module_getsrc(module, address))
      if (const char* source = dwfl_lineinfo(line, nullptr, &frame.line, nullptr, nullptr, nullptr))
        frame.source = source;
    return frame;
  }

  // The routines whose code the address belongs to, by DWARF: the inlined ones and what holds them.
  std::vector<Frame> expanded(std::uint64_t address, Frame innermost) const {
    Dwarf_Addr bias = 0;
    Dwarf_Die* unit = dwfl_module_addrdie(module, address, &bias);
    Dwarf_Die* scopes = nullptr;
    std::vector<Frame> frames;
    if (!unit || dwarf_getscopes(unit, address - bias, &scopes) <= 0) return {innermost};
    Dwarf_Die inner = scopes[0];
    std::free(scopes);
    scopes = nullptr;
    const int count = dwarf_getscopes_die(&inner, &scopes);
    Dwarf_Files* files = nullptr;
    std::size_t entries = 0;
    if (dwarf_getsrcfiles(unit, &files, &entries) != 0) files = nullptr;
    Frame frame = innermost;
    for (int i = 0; i < count; i++) {
      const int tag = dwarf_tag(&scopes[i]);
      if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
      const std::string name = name_of(&scopes[i]);
      if (tag == DW_TAG_subprogram && innermost.routine.find("._omp_fn") != std::string::npos)
        frame.routine = innermost.routine;  // the region, not the routine it was taken from
      else if (!name.empty())
        frame.routine = name;
      frame.inlined = tag == DW_TAG_inlined_subroutine;
      frames.push_back(frame);
      if (!frame.inlined) break;
      read_call(&scopes[i], files, frame);
    }
    std::free(scopes);
    if (frames.empty()) frames.push_back(innermost);
    return frames;
  }
};

Symbols::Symbols(const Module& module)
    : session_(std::make_unique<Session>()), found_(session_->open(module)) {}
Symbols::Symbols(Symbols&&) noexcept = default;
Symbols::~Symbols() = default;

std::vector<Frame> Symbols::at(std::uint64_t address) const {
  if (found_ != Found::named) return {Frame{}};
  return session_->expanded(address, session_->plain(address));
}

}  // namespace hakaru::trace::profile
