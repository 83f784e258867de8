// Values through a pipe, from a child process to its parent: trivially copyable ones, strings, and
// vectors of those.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace hakaru::trace {

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

// Throws Ended when the other side closed the pipe before the value was whole.
class Receiver {
 public:
  struct Ended {};

  explicit Receiver(int descriptor) : descriptor_(descriptor) {}

  template <typename Value>
  Value get() requires std::is_trivially_copyable_v<Value> {
    Value value;
    raw(&value, sizeof value);
    return value;
  }
  std::string text();
  template <typename Value>
  std::vector<Value> values() {
    std::vector<Value> all(static_cast<std::size_t>(get<std::uint64_t>()));
    if constexpr (std::is_same_v<Value, std::string>) {
      for (std::string& value : all) value = text();
    } else {
      raw(all.data(), all.size() * sizeof(Value));
    }
    return all;
  }

 private:
  void raw(void* data, std::size_t bytes);

  int descriptor_;
};

}  // namespace hakaru::trace
