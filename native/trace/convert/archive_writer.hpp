// The archive that is being written: what the ranks' events share, and its definitions at the end.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "native/trace/convert/world.hpp"
#include "native/trace/own_names.hpp"
#include "native/trace/reader/library_errors.hpp"
#include "native/trace/reader/new_archive.hpp"

namespace hakaru::trace {

struct LocationEntry {
  std::uint64_t reference = 0, events = 0;
  std::int32_t rank = 0, thread = 0;
  std::string ended;                 // "finalized", or how it ended early
  std::string open_call;             // at the end
  std::uint64_t freed_requests = 0;  // before they were complete
  std::vector<std::pair<std::string, std::uint64_t>> uncovered;
  // What the tracer did after each call of a name, ns.
  std::vector<std::pair<std::string, std::uint64_t>> costs;
  std::uint64_t inside_ns = 0;                         // of it inside a call
  std::uint64_t memory_bytes = 0;                      // that the process used; 0: not known
  std::uint64_t long_bytes = 0, large_page_bytes = 0;  // raw.h
};

class ArchiveWriter {
 public:
  // Throws base::UserError (environment) when the folder cannot be written.
  ArchiveWriter(const std::string& folder, const World& world);

  OTF2_StringRef string(const std::string& text);
  OTF2_RegionRef phase(const std::string& name);
  OTF2_GroupRef group(const std::vector<std::uint64_t>& world_ranks);
  OTF2_EvtWriter* open(std::int32_t rank, std::int32_t thread);
  void close(OTF2_EvtWriter* writer, LocationEntry entry);
  void saw(std::uint64_t time) { last_time_ = time > last_time_ ? time : last_time_; }

  // When the last one called the spawn that made this communicator.
  std::uint64_t& spawn_called_ns(OTF2_CommRef made) { return spawn_called_ns_[made]; }

  // Writes the definitions, closes everything.
  void finish();
  std::uint64_t events() const;

 private:
  void define_locations(OTF2_GlobalDefWriter* definitions);
  void define_regions(OTF2_GlobalDefWriter* definitions);
  void define_communicators(OTF2_GlobalDefWriter* definitions);
  void define_files(OTF2_GlobalDefWriter* definitions);

  const LibraryErrors errors_;
  const World& world_;
  NewArchive archive_;
  std::vector<LocationEntry> locations_;
  std::map<std::string, OTF2_StringRef> strings_;
  std::vector<const std::string*> unwritten_strings_;
  std::map<std::string, OTF2_RegionRef> phases_;
  std::map<std::vector<std::uint64_t>, OTF2_GroupRef> groups_;
  std::uint64_t next_extra_location_;
  std::uint64_t last_time_ = 0;
  std::map<OTF2_CommRef, std::uint64_t> spawn_called_ns_;
};

}  // namespace hakaru::trace
