// One rank's raw file (native/trace/raw.h), mapped and checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "native/trace/raw.h"

namespace hakaru::trace {

// A record inside the mapped file; `words` counts 8-byte words of all of it.
struct RawRecord {
  const std::uint64_t* data = nullptr;
  std::uint32_t words = 0;

  bool meta() const { return HAKARU_RAW_CALL(head()) == HAKARU_RAW_META; }
  std::uint32_t call() const { return HAKARU_RAW_CALL(head()); }
  std::uint32_t kind() const { return as<hakaru_raw_meta_head>().kind; }
  template <typename Type>
  const Type& as() const {
    return *reinterpret_cast<const Type*>(data);
  }

 private:
  std::uint32_t head() const { return as<hakaru_raw_meta_head>().head; }
};

class RawFile {
 public:
  // Throws base::UserError (usage) when the file is none of ours, of another version, or damaged.
  explicit RawFile(const std::string& path);
  ~RawFile();
  RawFile(RawFile&& other) noexcept;
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;

  const hakaru_raw_header& header() const {
    return *reinterpret_cast<const hakaru_raw_header*>(data_);
  }
  std::span<const hakaru_raw_call> calls() const;
  std::span<const hakaru_raw_counter> counters() const;
  const std::string& path() const { return path_; }
  std::uint64_t bytes() const { return bytes_; }

  // Calls `work(record)` for each record, in order. A record that runs over the end is damage, and
  // thrown.
  template <typename Work>
  void each(Work&& work) const {
    std::uint64_t offset = header().records_offset;
    RawRecord record;
    while (next(offset, record)) work(record);
  }

  [[noreturn]] void damaged(const std::string& why) const;

 private:
  bool next(std::uint64_t& offset, RawRecord& record) const;
  void check() const;

  std::string path_;
  const unsigned char* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

// The text of a `char[n]` that need not be ended by 0.
template <std::size_t size>
std::string text_of(const char (&field)[size]) {
  std::size_t length = 0;
  while (length < size && field[length] != '\0') ++length;
  return {field, length};
}

}  // namespace hakaru::trace
