#include "native/harness/termination.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>

namespace hakaru::harness {
namespace {

constexpr std::array signals{SIGTERM, SIGINT, SIGHUP, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

struct Prepared {
  std::string path, temporary;
  std::array<std::string, signals.size()> contents;
};
Prepared prepared;  // read by the handler, so it must be complete before the handlers are set

const char* name_of_signal(int signal) {
  switch (signal) {
    case SIGTERM:
      return "SIGTERM";
    case SIGINT:
      return "SIGINT";
    case SIGHUP:
      return "SIGHUP";
    case SIGSEGV:
      return "SIGSEGV";
    case SIGBUS:
      return "SIGBUS";
    case SIGFPE:
      return "SIGFPE";
    case SIGILL:
      return "SIGILL";
    default:
      return "SIGABRT";
  }
}

// Only async-signal-safe calls from here on.
void handle(int signal) {
  std::size_t which = 0;
  while (which + 1 < signals.size() && signals[which] != signal) ++which;
  const std::string& content = prepared.contents[which];
  const int file = ::open(prepared.temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0) {
    const ssize_t written = ::write(file, content.data(), content.size());
    ::fsync(file);
    ::close(file);
    if (written == static_cast<ssize_t>(content.size()))
      ::rename(prepared.temporary.c_str(), prepared.path.c_str());
    else
      ::unlink(prepared.temporary.c_str());
  }
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

}  // namespace

void write_on_signal(const std::string& path, const TextOfSignal& text) {
  if (path.empty()) return;
  prepared.path = path;
  prepared.temporary = fmt::format("{}.{}.part", path, ::getpid());
  for (std::size_t i = 0; i < signals.size(); ++i)
    prepared.contents[i] = text(name_of_signal(signals[i]), 128 + signals[i]);
  struct sigaction action {};
  action.sa_handler = handle;
  action.sa_flags = SA_RESETHAND;
  for (int signal : signals) ::sigaction(signal, &action, nullptr);
}

void forget_write_on_signal() {
  for (int signal : signals) ::signal(signal, SIG_DFL);
}

}  // namespace hakaru::harness
