// Values through a pipe, from a child process to its parent: trivially copyable ones, strings, and
// vectors of those.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace hakaru::trace {

inline constexpr int pipe_bytes = 1 << 20;

class Sender {
 public:
  explicit Sender(int descriptor) : descriptor_(descriptor) {}

  template <typename Value>
  void put(const Value& value) requires std::is_trivially_copyable_v<Value> {
    raw(&value, sizeof value);
  }
  void put(const std::string& text);
  template <typename Value>
  void put(const std::vector<Value>& values) {
    put(static_cast<std::uint64_t>(values.size()));
    if constexpr (std::is_trivially_copyable_v<Value>) {
      raw(values.data(), values.size() * sizeof(Value));
    } else {
      for (const Value& value : values) put(value);
    }
  }
  void flush();

 private:
  void raw(const void* data, std::size_t bytes);
  void write_all(const void* data, std::size_t bytes);

  int descriptor_;
  std::vector<char> buffer_;
};

// Throws Ended when the other side closed the pipe before the value was whole. Closes its own end,
// which ends a writer.
class Receiver {
 public:
  struct Ended {};

  explicit Receiver(int descriptor) : descriptor_(descriptor) {}
  ~Receiver();
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  template <typename Value>
  Value get() requires std::is_trivially_copyable_v<Value> {
    Value value;
    raw(&value, sizeof value);
    return value;
  }
  std::string text();
  template <typename Value>
  std::vector<Value> values() {
    const auto count = static_cast<std::size_t>(get<std::uint64_t>());
    std::vector<Value> all;
    all.reserve(count);
    if constexpr (std::is_same_v<Value, std::string>) {
      while (all.size() < count) all.push_back(text());
    } else {
      // Memory is touched once: a vector of that size would be filled twice.
      std::vector<Value> some(std::min(count, some_bytes / sizeof(Value)));
      while (all.size() < count) {
        const std::size_t next = std::min(some.size(), count - all.size());
        raw(some.data(), next * sizeof(Value));
        all.insert(all.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(next));
      }
    }
    return all;
  }

 private:
  static constexpr std::size_t some_bytes = 1 << 15;

  void raw(void* data, std::size_t bytes);

  int descriptor_;
};

}  // namespace hakaru::trace
