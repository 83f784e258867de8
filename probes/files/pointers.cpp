#include "probes/files/pointers.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <vector>

#include "native/base/clock.hpp"
#include "probes/files/ways.hpp"

namespace hakaru::probes::files {
namespace {

using parallel::Communicator;

struct Writing {
  MPI_File file;
  const Pattern& pattern;
  int rank;
  const Bytes& data;

  const unsigned char* block(int number) const {
    return data.data() + static_cast<std::size_t>(number) * pattern.block_bytes;
  }
  int bytes() const { return static_cast<int>(pattern.block_bytes); }
  MPI_Offset offset(int number) const {
    return static_cast<MPI_Offset>(pattern.offset(rank, number));
  }
};

// Computes for about so long; what it comes to is of no use.
void work_for(double seconds) {
  volatile double value = 1.0;
  for (const double start = base::now_s(); base::now_s() - start < seconds;)
    for (int i = 0; i < 1000; ++i) value = value * 1.0000001;
}

std::string first_trouble(const std::string& one, const std::string& other) {
  return one.empty() ? other : one;
}

// One call for each block.
std::string block_by_block(const Writing& writing, Pointer pointer) {
  std::string failed;
  for (int block = 0; block < writing.pattern.blocks && failed.empty(); ++block) {
    MPI_Status status;
    const void* data = writing.block(block);
    const int bytes = writing.bytes();
    int code = MPI_SUCCESS;
    switch (pointer) {
      case Pointer::individual:
        failed = trouble(MPI_File_seek(writing.file, writing.offset(block), MPI_SEEK_SET));
        code = MPI_File_write(writing.file, data, bytes, MPI_BYTE, &status);
        break;
      case Pointer::shared:
        code = MPI_File_write_shared(writing.file, data, bytes, MPI_BYTE, &status);
        break;
      case Pointer::ordered:
        code = MPI_File_write_ordered(writing.file, data, bytes, MPI_BYTE, &status);
        break;
      default:
        code =
            MPI_File_write_at(writing.file, writing.offset(block), data, bytes, MPI_BYTE, &status);
    }
    failed = first_trouble(failed, trouble(code, status, static_cast<std::size_t>(bytes)));
  }
  return failed;
}

std::string without_waiting(const Writing& writing, double work_s) {
  std::vector<MPI_Request> requests(static_cast<std::size_t>(writing.pattern.blocks));
  std::string failed;
  for (int block = 0; block < writing.pattern.blocks; ++block)
    failed = first_trouble(
        failed, trouble(MPI_File_iwrite_at(writing.file, writing.offset(block),
                                           writing.block(block), writing.bytes(), MPI_BYTE,
                                           &requests[static_cast<std::size_t>(block)])));
  if (!failed.empty()) return failed;
  work_for(work_s);
  return trouble(MPI_Waitall(writing.pattern.blocks, requests.data(), MPI_STATUSES_IGNORE));
}

// Blocks as doubles, which external32 stores with the most significant byte first.
std::string as_external(const Writing& writing) {
  char representation[] = "external32";
  std::string failed = trouble(
      MPI_File_set_view(writing.file, 0, MPI_DOUBLE, MPI_DOUBLE, representation, MPI_INFO_NULL));
  const int numbers = writing.bytes() / static_cast<int>(sizeof(double));
  for (int block = 0; block < writing.pattern.blocks && failed.empty(); ++block) {
    MPI_Status status;
    failed = trouble(MPI_File_write_at(
        writing.file, writing.offset(block) / static_cast<MPI_Offset>(sizeof(double)),
        writing.block(block), numbers, MPI_DOUBLE, &status));
  }
  return failed;
}

Bytes reversed_words(Bytes bytes) {
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8)
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                 bytes.begin() + static_cast<std::ptrdiff_t>(at) + 8);
  return bytes;
}

// Every block of every rank once, in any order: blocks begin with bytes of their own.
std::size_t wrong_in_any_order(const Pattern& pattern, const std::string& path, unsigned seed) {
  const Bytes found = read_back(path, 0, pattern.file_bytes() + 1);
  std::vector<Bytes> there, wanted;
  for (std::size_t at = 0; at < found.size(); at += pattern.block_bytes) {
    const auto begin = found.begin() + static_cast<std::ptrdiff_t>(at);
    there.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(
                                          std::min(pattern.block_bytes, found.size() - at)));
    if (at < pattern.file_bytes()) wanted.push_back(contents_at(at, pattern.block_bytes, seed));
  }
  if (found.size() != pattern.file_bytes()) return pattern.file_bytes();
  std::sort(there.begin(), there.end());
  std::sort(wanted.begin(), wanted.end());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) wrong += differing(there[i], wanted[i]);
  return wrong;
}

std::size_t wrong_of(const Pattern& pattern, Pointer pointer, const std::string& path,
                     unsigned seed) {
  if (pointer == Pointer::shared) return wrong_in_any_order(pattern, path, seed);
  const Bytes found = read_back(path, 0, pattern.file_bytes() + 1);
  const Bytes wanted = contents_at(0, pattern.file_bytes(), seed);
  return differing(found, pointer == Pointer::external32 ? reversed_words(wanted) : wanted);
}

}  // namespace

const char* name_of(Pointer pointer) {
  switch (pointer) {
    case Pointer::explicit_offset:
      return "explicit offset";
    case Pointer::individual:
      return "individual";
    case Pointer::shared:
      return "shared";
    case Pointer::ordered:
      return "ordered";
    case Pointer::nonblocking:
      return "non-blocking";
    default:
      return "external32";
  }
}

PointerTimes write_by(const Communicator& ranks, Pointer pointer, const Pattern& pattern,
                      const std::string& path, unsigned seed) {
  const Bytes data = contents_of(pattern, ranks.rank(), seed);
  PointerTimes found;
  if (pointer == Pointer::nonblocking)  // as much work as the same calls take that wait
    found.work_s =
        write_by(ranks, Pointer::explicit_offset, pattern, path + "-first", seed).write_s;
  {
    const MpiFile file(ranks, path, MPI_MODE_CREATE | MPI_MODE_WRONLY);
    const Writing writing{file.handle(), pattern, ranks.rank(), data};
    ranks.barrier();
    const double start = base::now_s();
    const std::string failed = pointer == Pointer::nonblocking
                                   ? without_waiting(writing, found.work_s)
                               : pointer == Pointer::external32 ? as_external(writing)
                                                                : block_by_block(writing, pointer);
    found.write_s = ranks.maximum(base::now_s() - start);
    agree(ranks, failed);
  }
  std::string failed;
  std::int64_t wrong = 0;
  if (ranks.rank() == 0) try {
      wrong = static_cast<std::int64_t>(wrong_of(pattern, pointer, path, seed));
    } catch (const Unavailable& why) {
      failed = why.what();
    }
  agree(ranks, failed);
  found.wrong = static_cast<std::size_t>(ranks.maximum(wrong));
  remove(ranks, Way::independent, path);
  return found;
}

}  // namespace hakaru::probes::files
