// Files that are whole or absent.
#pragma once

#include <string>

namespace hakaru::base {

// Writes to a temporary name in the same folder, syncs, and renames. Throws UserError(environment)
// when the folder cannot be written or the disk is full; nothing is left behind then.
void write_file_atomically(const std::string& path, const std::string& content);

// Brings a file that was written under another name to the disk and gives it its own; returns why
// not, or "".
std::string put_in_place(const std::string& temporary, const std::string& path);

// Whole content of a file. Throws UserError(environment) when it cannot be read.
std::string read_file(const std::string& path);

// Throws UserError(environment) unless a file could be created at `path` now.
void require_writable(const std::string& path);

}  // namespace hakaru::base
