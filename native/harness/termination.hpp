// A failed record even when a signal ends the program: the texts are ready beforehand, the handler
// only writes and renames one.
#pragma once

#include <functional>
#include <string>

namespace hakaru::harness {

// Text to leave behind when a signal ends the program; `exit_code` is what a shell makes of it: 128
// and the signal's number.
using TextOfSignal = std::function<std::string(const char* signal_name, int exit_code)>;

// From now on, SIGTERM, SIGINT, SIGHUP, SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT write their
// text to `path`, and then end the program. Does nothing for an empty path.
void write_on_signal(const std::string& path, const TextOfSignal& text);

// Back to the default handlers.
void forget_write_on_signal();

}  // namespace hakaru::harness
