// A file that is being written beside its place.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <iterator>
#include <string>
#include <utility>

namespace hakaru::trace {

// Throws base::UserError (environment) when it cannot be written.
class Output {
 public:
  explicit Output(std::string path);
  ~Output();  // removes what was not finished
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  template <typename... Values>
  void print(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Values>(values)...);
    if (buffer_.size() > most_buffered) flush();
  }
  std::uint64_t bytes() const { return bytes_ + buffer_.size(); }
  void close();         // all is on the disk, beside its place
  void put_in_place();  // after close()

 private:
  static constexpr std::size_t most_buffered = 1 << 20;
  void flush();
  [[noreturn]] void fail(int error) const;

  std::string path_, temporary_;
  std::FILE* file_ = nullptr;
  fmt::memory_buffer buffer_;
  std::uint64_t bytes_ = 0;
  bool there_ = false;
};

}  // namespace hakaru::trace
