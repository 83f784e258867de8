// Checksums of an archive's files. OTF2 has none: a flipped bit in a length would be a wrong
// number. hakaru's own archives carry a file `checksums` beside the anchor, and say so in the
// anchor's property HAKARU::CHECKSUMS.
#pragma once

#include <cstdint>
#include <string>

namespace hakaru::trace {

inline constexpr const char* checksums_name = "checksums";

// 64 bits of multiply-and-rotate mixing: against accidents, not against people.
std::uint64_t checksum_of(const std::string& path);

// Writes `checksums` for all other files below the folder. Throws base::UserError (environment).
void write_checksums(const std::string& folder);

// Throws base::UserError (usage) when a file is missing, has another length or content, or was
// added. Nothing is checked when the anchor does not promise checksums and there are none.
void verify_checksums(const std::string& folder, bool promised);

}  // namespace hakaru::trace
