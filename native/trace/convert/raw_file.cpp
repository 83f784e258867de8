#include "native/trace/convert/raw_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "native/base/require.hpp"

namespace hakaru::trace {
namespace {

constexpr std::uint32_t most_calls = HAKARU_RAW_META;

}  // namespace

void RawFile::damaged(const std::string& why) const {
  throw base::UserError(
      base::ExitCode::usage,
      base::explain("a raw trace is damaged", path_ + ": " + why, "trace the program again"));
}

RawFile::RawFile(const std::string& path) : path_(path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  base::require(descriptor >= 0, "a raw trace cannot be read", path + ": " + std::strerror(errno),
                "check the folder");
  struct stat status {};
  fstat(descriptor, &status);
  bytes_ = static_cast<std::uint64_t>(status.st_size);
  void* mapped = bytes_ >= sizeof(hakaru_raw_header)
                     ? mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, descriptor, 0)
                     : MAP_FAILED;
  close(descriptor);
  if (mapped == MAP_FAILED) damaged(fmt::format("{} bytes are no header", bytes_));
  data_ = static_cast<const unsigned char*>(mapped);
  madvise(mapped, bytes_, MADV_SEQUENTIAL);
  try {
    check();
  } catch (...) {
    munmap(mapped, bytes_);
    throw;
  }
}

RawFile::RawFile(RawFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

RawFile::~RawFile() {
  if (data_ != nullptr) munmap(const_cast<unsigned char*>(data_), bytes_);
}

void RawFile::check() const {
  const hakaru_raw_header& h = header();
  if (std::memcmp(h.magic, HAKARU_RAW_MAGIC, sizeof h.magic) != 0)
    damaged("it does not begin as a raw trace does");
  if (h.endian != HAKARU_RAW_ENDIAN) damaged("it was written on a machine with another byte order");
  if (h.version != HAKARU_RAW_VERSION)
    damaged(fmt::format("its version is {}, known is {}", h.version, HAKARU_RAW_VERSION));
  if (h.world_size < 1 || h.rank < 0 || h.rank >= h.world_size)
    damaged(fmt::format("it is rank {} of {}", h.rank, h.world_size));
  if (h.call_count > most_calls) damaged(fmt::format("it has {} calls", h.call_count));
  const auto inside = [&](std::uint64_t offset, std::uint64_t size) {
    return offset % 8 == 0 && offset <= bytes_ && size <= bytes_ - offset;
  };
  if (!inside(h.calls_offset, h.call_count * sizeof(hakaru_raw_call)) ||
      !inside(h.counters_offset, h.call_count * sizeof(hakaru_raw_counter)) ||
      !inside(h.records_offset, 0)) {
    damaged("its tables lie outside of it");
  }
  if (h.status > HAKARU_RAW_EXITED) damaged(fmt::format("its status is {}", h.status));
  if (h.status != HAKARU_RAW_RUNNING &&
      (h.records_end < h.records_offset || h.records_end > bytes_)) {
    damaged(fmt::format("its records should end at {} of {} bytes", h.records_end, bytes_));
  }
}

std::span<const hakaru_raw_call> RawFile::calls() const {
  return {reinterpret_cast<const hakaru_raw_call*>(data_ + header().calls_offset),
          header().call_count};
}

std::span<const hakaru_raw_counter> RawFile::counters() const {
  return {reinterpret_cast<const hakaru_raw_counter*>(data_ + header().counters_offset),
          header().call_count};
}

bool RawFile::next(std::uint64_t& offset, RawRecord& record) const {
  const bool running = header().status == HAKARU_RAW_RUNNING;
  const std::uint64_t end = running ? bytes_ : header().records_end;
  if (offset + sizeof(std::uint64_t) > end) {
    if (!running && offset != end) damaged("its records do not end where they should");
    return false;
  }
  record.data = reinterpret_cast<const std::uint64_t*>(data_ + offset);
  const std::uint32_t head = record.as<hakaru_raw_meta_head>().head;
  record.words = HAKARU_RAW_WORDS(head);
  if (record.words == 0) {
    if (running) return false;
    damaged(fmt::format("a record of no length at byte {}", offset));
  }
  if (std::uint64_t{record.words} * 8 > end - offset)
    damaged(fmt::format("the record at byte {} runs over the end", offset));
  if (!record.meta() && (record.words < 2 || record.call() >= header().call_count)) {
    damaged(fmt::format("the record at byte {} is of no known call", offset));
  }
  offset += std::uint64_t{record.words} * 8;
  return true;
}

}  // namespace hakaru::trace
