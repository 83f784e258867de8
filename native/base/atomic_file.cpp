#include "native/base/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "native/base/require.hpp"

namespace hakaru::base {
namespace {

constexpr const char* advice = "free some space or choose another folder";

std::string folder_of(const std::string& path) {
  const auto parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

// Writes and syncs `content` through `descriptor`, which it closes; returns errno or 0.
int write_all(int descriptor, const std::string& content) {
  const char* data = content.data();
  std::size_t left = content.size();
  int error = 0;
  while (left > 0 && error == 0) {
    const ssize_t written = ::write(descriptor, data, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) error = errno;
    if (written > 0) data += written, left -= static_cast<std::size_t>(written);
  }
  if (error == 0 && ::fsync(descriptor) != 0) error = errno;
  if (::close(descriptor) != 0 && error == 0) error = errno;
  return error;
}

}  // namespace

void write_file_atomically(const std::string& path, const std::string& content) {
  const std::string temporary = fmt::format("{}.{}.part", path, ::getpid());
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  require_environment(descriptor >= 0, fmt::format("cannot write {}", path), std::strerror(errno),
                      "choose a folder that you may write to");
  int error = write_all(descriptor, content);
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) ::unlink(temporary.c_str());
  require_environment(error == 0, fmt::format("cannot write {}", path), std::strerror(error),
                      advice);
  const int folder = ::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    ::fsync(folder);
    ::close(folder);
  }
}

std::string put_in_place(const std::string& temporary, const std::string& path) {
  const int descriptor = ::open(temporary.c_str(), O_RDONLY | O_CLOEXEC);
  int error = descriptor < 0 || ::fsync(descriptor) != 0 ? errno : 0;
  if (descriptor >= 0) ::close(descriptor);
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  return error == 0 ? "" : std::strerror(error);
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  require_environment(file.good(), fmt::format("cannot read {}", path), std::strerror(errno),
                      "check the file's name");
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

void require_writable(const std::string& path) {
  require_environment(!std::filesystem::is_directory(path), fmt::format("cannot write {}", path),
                      "it is a folder", "give the name of a file");
  require_environment(::access(folder_of(path).c_str(), W_OK) == 0,
                      fmt::format("cannot write {}", path), std::strerror(errno),
                      "choose a folder that exists and that you may write to");
}

}  // namespace hakaru::base
