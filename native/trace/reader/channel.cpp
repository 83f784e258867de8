#include "native/trace/reader/channel.hpp"

#include <unistd.h>

#include <cerrno>

namespace hakaru::trace {
namespace {

constexpr std::size_t buffer_bytes = 1 << 16;

}  // namespace

void Sender::put(const std::string& text) {
  put(static_cast<std::uint64_t>(text.size()));
  raw(text.data(), text.size());
}

void Sender::raw(const void* data, std::size_t bytes) {
  if (bytes == 0) return;
  if (buffer_.size() + bytes > buffer_bytes) flush();
  if (bytes > buffer_bytes) {
    write_all(data, bytes);
  } else {
    const char* begin = static_cast<const char*>(data);
    buffer_.insert(buffer_.end(), begin, begin + bytes);
  }
}

void Sender::flush() {
  write_all(buffer_.data(), buffer_.size());
  buffer_.clear();
}

void Sender::write_all(const void* data, std::size_t bytes) {
  const char* position = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = write(descriptor_, position, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(1);
    position += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

Receiver::~Receiver() { close(descriptor_); }

std::string Receiver::text() {
  std::string text(static_cast<std::size_t>(get<std::uint64_t>()), '\0');
  raw(text.data(), text.size());
  return text;
}

void Receiver::raw(void* data, std::size_t bytes) {
  char* position = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t got = read(descriptor_, position, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw Ended{};
    position += got;
    bytes -= static_cast<std::size_t>(got);
  }
}

}  // namespace hakaru::trace
