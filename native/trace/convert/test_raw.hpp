// Raw traces for tests: records written as the tracer writes them.
#pragma once

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "native/trace/convert/convert.hpp"
#include "native/trace/raw.h"
#include "native/trace/reader/trace.hpp"

namespace hakaru::trace {

class RawRank {
 public:
  RawRank(std::int32_t rank, std::int32_t ranks) {
    std::memset(&header, 0, sizeof header);
    std::memcpy(header.magic, HAKARU_RAW_MAGIC, 8);
    header.version = HAKARU_RAW_VERSION;
    header.endian = HAKARU_RAW_ENDIAN;
    header.rank = rank;
    header.world_size = ranks;
    header.clock = HAKARU_RAW_CLOCK_TSC;
    header.start = {1000, 500'000};
    header.last = {1'001'000, 1'500'000};  // a tick is a ns
    header.synchronisation[0].valid = 2;
    header.status = HAKARU_RAW_FINALIZED;
    std::strcpy(header.host, "host");
    std::strcpy(header.boot_id, "boot");
    std::strcpy(header.program, "program");
  }

  std::uint32_t call(const std::string& name, std::uint16_t collective = HAKARU_RAW_NOT_COLLECTIVE,
                     std::uint32_t coverage = HAKARU_RAW_COVERED) {
    const auto [place, fresh] =
        numbers_.try_emplace(name, static_cast<std::uint32_t>(calls_.size()));
    if (fresh) {
      hakaru_raw_call entry{};
      std::strcpy(entry.name, name.c_str());
      entry.coverage = coverage;
      entry.collective = collective;
      entry.class_id = collective == HAKARU_RAW_NOT_COLLECTIVE ? HAKARU_CLASS_POINT_TO_POINT
                                                               : HAKARU_CLASS_COLLECTIVE;
      calls_.push_back(entry);
      counters_.push_back({});
    }
    return place->second;
  }
  void count(const std::string& name, std::uint64_t calls) {
    const std::uint32_t number = call(name, HAKARU_RAW_NOT_COLLECTIVE, HAKARU_RAW_UNCOVERED);
    counters_[number].calls = calls;
  }

  // Of the tracer after each call of this name.
  void cost(const std::string& name, std::uint64_t ticks) {
    counters_[call(name)].cost_ticks = 4 * ticks;
    counters_[call(name)].cost_samples = 4;
  }

  // Words of items, to be given to record().
  template <typename Type>
  static std::vector<std::uint64_t> words(const Type& value) {
    std::vector<std::uint64_t> all((sizeof value + 7) / 8);
    std::memcpy(all.data(), &value, sizeof value);
    return all;
  }
  static std::uint32_t what(std::uint32_t kind, std::uint32_t object = 0, std::uint32_t flags = 0) {
    return kind | flags << 8 | object << 12;
  }
  static std::vector<std::uint64_t> message(std::uint32_t kind, std::uint32_t request,
                                            std::int32_t peer, std::int32_t tag,
                                            std::uint64_t bytes, std::uint32_t object = 0,
                                            std::uint32_t flags = 0) {
    return words(hakaru_raw_message{{what(kind, object, flags), request}, peer, tag, bytes});
  }
  static std::vector<std::uint64_t> plain(std::uint32_t kind, std::uint32_t request,
                                          std::uint32_t object = 0) {
    return words(hakaru_raw_item{what(kind, object), request});
  }
  static std::vector<std::uint64_t> counts(std::uint32_t kind,
                                           const std::vector<std::int32_t>& values) {
    std::vector<std::uint64_t> all(1 + (values.size() + 1) / 2);
    const hakaru_raw_counts head{what(kind), static_cast<std::uint32_t>(values.size())};
    std::memcpy(all.data(), &head, 8);
    std::memcpy(all.data() + 1, values.data(), 4 * values.size());
    return all;
  }

  void record(const std::string& name, const std::vector<std::vector<std::uint64_t>>& items,
              std::uint64_t compute = 100, std::uint32_t duration = 10,
              std::uint16_t collective = HAKARU_RAW_NOT_COLLECTIVE) {
    time += compute;
    std::uint32_t size = 2;
    for (const auto& item : items) size += static_cast<std::uint32_t>(item.size());
    append(words(hakaru_raw_record{call(name, collective) | size << 12, duration, time}));
    for (const auto& item : items) append(item);
    time += duration;
  }
  // `body` begins after the meta head.
  template <typename Type>
  void meta(std::uint32_t kind, Type value, const std::vector<std::uint64_t>& rest = {}) {
    value.meta = {
        HAKARU_RAW_META | static_cast<std::uint32_t>(sizeof(Type) / 8 + rest.size()) << 12, kind};
    append(words(value));
    append(rest);
  }
  void string(std::uint32_t id, const std::string& text) {
    std::vector<std::uint64_t> rest(text.size() / 8 + 1);
    std::memcpy(rest.data(), text.data(), text.size());
    meta(HAKARU_META_STRING, hakaru_raw_string{{}, id, static_cast<std::uint32_t>(text.size())},
         rest);
  }
  void communicator(std::uint32_t id, std::uint64_t global, std::int32_t own,
                    const std::vector<std::int32_t>& members, bool listed) {
    hakaru_raw_communicator c{};
    c.id = id;
    c.kind = HAKARU_COMMUNICATOR_INTRA;
    c.global_id = global;
    c.parent = 1;
    c.own_rank = own;
    c.size = static_cast<std::int32_t>(members.size());
    c.members = listed ? HAKARU_MEMBERS_LIST : HAKARU_MEMBERS_NONE;
    std::vector<std::uint64_t> rest;
    if (listed) {
      rest.resize((members.size() + 1) / 2);
      std::memcpy(rest.data(), members.data(), 4 * members.size());
    }
    meta(HAKARU_META_COMMUNICATOR, c, rest);
  }

  void write(const std::filesystem::path& folder, std::size_t cut_bytes = 0) {
    const std::size_t calls_bytes = calls_.size() * sizeof calls_[0],
                      counters_bytes = counters_.size() * sizeof counters_[0];
    header.call_count = static_cast<std::uint32_t>(calls_.size());
    header.calls_offset = 4096;
    header.counters_offset = header.calls_offset + calls_bytes;
    header.records_offset = header.counters_offset + counters_bytes;
    header.records_end = header.records_offset + records_.size() * 8;
    std::string file(header.records_end, '\0');
    std::memcpy(file.data(), &header, sizeof header);
    if (calls_bytes > 0) std::memcpy(file.data() + header.calls_offset, calls_.data(), calls_bytes);
    if (calls_bytes > 0)
      std::memcpy(file.data() + header.counters_offset, counters_.data(), counters_bytes);
    if (!records_.empty())
      std::memcpy(file.data() + header.records_offset, records_.data(), records_.size() * 8);
    file.resize(file.size() - cut_bytes);
    char name[32];
    std::snprintf(name, sizeof name, "rank-%07d.hkr", header.rank);
    std::filesystem::create_directories(folder);
    std::ofstream(folder / name, std::ios::binary) << file;
  }

  hakaru_raw_header header;
  std::uint64_t time = 2000;

 private:
  void append(const std::vector<std::uint64_t>& more) {
    records_.insert(records_.end(), more.begin(), more.end());
  }

  std::map<std::string, std::uint32_t> numbers_;
  std::vector<hakaru_raw_call> calls_;
  std::vector<hakaru_raw_counter> counters_;
  std::vector<std::uint64_t> records_;
};

// A folder for one test, removed at its end.
struct TestFolder {
  TestFolder()
      : path(std::filesystem::temp_directory_path() /
             ("hakaru_test_raw_" + std::to_string(getpid()) + "_" + std::to_string(count++))) {
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
  }
  ~TestFolder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
  inline static int count = 0;
};

// The raw trace of the folder as an archive, and that read.
inline Trace through(const TestFolder& folder) {
  convert((folder.path / "raw").string(), (folder.path / "archive").string(),
          [](std::int32_t, std::int32_t) {});
  return read_trace((folder.path / "archive").string(), {.times = true});
}

}  // namespace hakaru::trace
