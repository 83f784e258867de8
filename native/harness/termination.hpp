// A failed record even when a signal ends the program: the text is ready beforehand, the handler
// only writes and renames it.
#pragma once

#include <string>

namespace hakaru::harness {

// From now on, SIGTERM, SIGINT, SIGHUP, SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT write `content`
// to `path`, with the signal's name in place of the first "@SIGNAL@" (padded), and then end the
// program by that signal. Does nothing for an empty path.
void write_on_signal(const std::string& path, const std::string& content);

// Back to the default handlers.
void forget_write_on_signal();

// Takes the place of the reason in `content`; as long as the longest signal name with padding.
inline constexpr const char* signal_placeholder = "@SIGNAL@            ";

}  // namespace hakaru::harness
