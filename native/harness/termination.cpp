#include "native/harness/termination.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace hakaru::harness {
namespace {

constexpr std::array signals{SIGTERM, SIGINT, SIGHUP, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

struct Prepared {
  std::string path, temporary, content;
  std::size_t placeholder = std::string::npos;
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
  if (prepared.placeholder != std::string::npos) {
    const char* name = name_of_signal(signal);
    char* target = prepared.content.data() + prepared.placeholder;
    std::memset(target, ' ', std::strlen(signal_placeholder));
    std::memcpy(target, name, std::strlen(name));
  }
  const int file = ::open(prepared.temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0) {
    const ssize_t written = ::write(file, prepared.content.data(), prepared.content.size());
    ::fsync(file);
    ::close(file);
    if (written == static_cast<ssize_t>(prepared.content.size()))
      ::rename(prepared.temporary.c_str(), prepared.path.c_str());
    else
      ::unlink(prepared.temporary.c_str());
  }
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

}  // namespace

void write_on_signal(const std::string& path, const std::string& content) {
  if (path.empty()) return;
  prepared = {path, fmt::format("{}.{}.part", path, ::getpid()), content,
              content.find(signal_placeholder)};
  struct sigaction action {};
  action.sa_handler = handle;
  action.sa_flags = SA_RESETHAND;
  for (int signal : signals) ::sigaction(signal, &action, nullptr);
}

void forget_write_on_signal() {
  for (int signal : signals) ::signal(signal, SIG_DFL);
}

}  // namespace hakaru::harness
