// An OTF2 archive that is being made: what converted traces and written replays have in common.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <string>
#include <vector>

namespace hakaru::trace {

inline constexpr const char* archive_remedy = "see that the disk has room and can be written";

// Throws base::UserError (environment) unless `code` is success; `doing`: what was tried.
void require_written(OTF2_ErrorCode code, const char* doing);

// Every method throws base::UserError (environment) when the archive cannot be written.
class NewArchive {
 public:
  // In `folder`, with its event files open.
  NewArchive(const std::string& folder, const char* creator);
  ~NewArchive();
  NewArchive(const NewArchive&) = delete;
  NewArchive& operator=(const NewArchive&) = delete;

  OTF2_Archive* handle() const { return archive_; }
  OTF2_EvtWriter* open(std::uint64_t location);
  // Returns the number of the writer's events.
  std::uint64_t close(OTF2_EvtWriter* writer);
  // Ends the events; returns where the definitions of these locations and of all else go.
  OTF2_GlobalDefWriter* end_events(const std::vector<std::uint64_t>& locations);
  void finish();

 private:
  OTF2_Archive* archive_;
};

}  // namespace hakaru::trace
