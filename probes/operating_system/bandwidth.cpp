// Bytes a second between processes and out of the page cache: LMbench's bw_pipe, bw_unix, bw_tcp,
// bw_file_rd and bw_mmap_rd.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "probes/operating_system/loops.hpp"
#include "probes/operating_system/sockets.hpp"

namespace hakaru::probes::operating_system {
namespace {

using Values = std::vector<double>;

constexpr std::size_t chunk_bytes = 64 << 10;      // LMbench's XFERSIZE
constexpr std::size_t tcp_chunk_bytes = 10 << 20;  // its largest message
constexpr int tcp_buffer_bytes = 1 << 20;          // its SOCKBUF

std::vector<unsigned char> pattern(std::size_t bytes) {
  std::vector<unsigned char> made(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    made[i] = static_cast<unsigned char>(i * 31 + (i >> 8) * 7 + 1);
  return made;
}

// What the other process does for ever: the same chunk again and again.
void send_for_ever(int out, std::size_t bytes) {
  const std::vector<unsigned char> chunk = pattern(bytes);
  for (;;) write_all(out, chunk.data(), bytes);
}

// The last bytes that came are the sender's at that place of its stream.
Values receive(int in, std::size_t chunk, const Conditions& conditions, Truth& truth) {
  const std::vector<unsigned char> sent = pattern(chunk);
  std::vector<unsigned char> here(chunk);
  std::size_t total = 0, last = 0;
  Values found = seconds_of_one(conditions.sampling, [&](std::int64_t count) {
    std::int64_t left = count * conditions.stream_bytes;
    while (left > 0) {
      const ssize_t now = ::read(in, here.data(), chunk);
      if (now <= 0) throw Unavailable("the other process has stopped sending");
      left -= now;
      total += static_cast<std::size_t>(now);
      last = static_cast<std::size_t>(now);
    }
  });
  std::size_t right = 0;
  for (std::size_t i = 0; i < last; ++i) right += here[i] == sent[(total - last + i) % chunk];
  truth.equal("bytes from another process", static_cast<double>(right), static_cast<double>(last));
  return found;
}

Values through_pipe(const Conditions& conditions, Truth& truth) {
  const Placed here(conditions.placement, 0);
  const Channel pipe = pipe_channel();
  const Child child(conditions, 1, [&] { send_for_ever(pipe.write.number(), chunk_bytes); });
  return receive(pipe.read.number(), chunk_bytes, conditions, truth);
}

Values through_unix(const Conditions& conditions, Truth& truth) {
  const Placed here(conditions.placement, 0);
  const auto pair = unix_pair();
  const Child child(conditions, 1, [&] { send_for_ever(pair.second.number(), chunk_bytes); });
  return receive(pair.first.number(), chunk_bytes, conditions, truth);
}

Values through_tcp(const Conditions& conditions, Truth& truth) {
  const Placed here(conditions.placement, 0);
  const Listener listener(SOCK_STREAM, tcp_buffer_bytes);
  const Child child(conditions, 1, [&] {
    const Descriptor socket = accepted(listener, tcp_buffer_bytes);
    send_for_ever(socket.number(), tcp_chunk_bytes);
  });
  const Descriptor socket = connected(listener, tcp_buffer_bytes);
  return receive(socket.number(), tcp_chunk_bytes, conditions, truth);
}

struct CachedFile {
  explicit CachedFile(const Conditions& conditions)
      : folder(conditions.folder), bytes(conditions.file_bytes), path(folder.path("file")) {
    write_file(path, bytes);
  }
  Folder folder;
  std::int64_t bytes;
  std::string path;
};

// Chunks into one buffer, each summed.
std::uint64_t read_and_sum(int file, std::vector<std::uint64_t>& buffer) {
  std::uint64_t sum = 0;
  for (;;) {
    const ssize_t now = ::read(file, buffer.data(), buffer.size() * sizeof buffer[0]);
    if (now < 0) unavailable("a file cannot be read");
    if (now == 0) return sum;
    sum += sum_words(buffer.data(), static_cast<std::size_t>(now) / sizeof buffer[0]);
  }
}

Values summed(const Conditions& conditions, Truth& truth,
              const std::function<std::uint64_t()>& once) {
  std::uint64_t sum = 0;
  std::int64_t done = 0;
  Values found = seconds_of_one(conditions.sampling, [&](std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) sum += once();
    done += count;
  });
  const std::uint64_t must = sum_of_words(conditions.file_bytes) * static_cast<std::uint64_t>(done);
  truth.equal("sum of a file that was read again", sum == must, 1.0);
  return found;
}

Values file_reread(const Conditions& conditions, Truth& truth, bool opens) {
  const CachedFile cached(conditions);
  std::vector<std::uint64_t> buffer(chunk_bytes / 8);
  Descriptor file = opened(cached.path, O_RDONLY);
  return summed(conditions, truth, [&] {
    if (opens)
      file = opened(cached.path, O_RDONLY);
    else
      ::lseek(file.number(), 0, SEEK_SET);
    return read_and_sum(file.number(), buffer);
  });
}

Values mapped_reread(const Conditions& conditions, Truth& truth, bool opens) {
  const CachedFile cached(conditions);
  const auto sum = [&](const Mapping& map) {
    return sum_words(reinterpret_cast<const std::uint64_t*>(map.data()), map.bytes() / 8);
  };
  const auto bytes = static_cast<std::size_t>(conditions.file_bytes);
  const Descriptor file = opened(cached.path, O_RDONLY);
  const Mapping kept(bytes, PROT_READ, MAP_SHARED, file.number());
  return summed(conditions, truth, [&] {
    if (!opens) return sum(kept);
    const Descriptor again = opened(cached.path, O_RDONLY);
    return sum(Mapping(bytes, PROT_READ, MAP_SHARED, again.number()));
  });
}

}  // namespace

void add_bandwidth(Items& items, const Conditions& conditions) {
  const std::string group = "local-bandwidth";
  const auto of = [](auto measure, bool opens) {
    return [measure, opens](const Conditions& under, Truth& truth) {
      return measure(under, truth, opens);
    };
  };
  items.push_back({group, "Pipe", conditions.stream_bytes, through_pipe});
  items.push_back({group, "AF UNIX", conditions.stream_bytes, through_unix});
  items.push_back({group, "TCP", conditions.stream_bytes, through_tcp});
  items.push_back({group, "File reread", conditions.file_bytes, of(file_reread, false)});
  items.push_back({group, "File open2close", conditions.file_bytes, of(file_reread, true)});
  items.push_back({group, "Mmap reread", conditions.file_bytes, of(mapped_reread, false)});
  items.push_back({group, "Mmap open2close", conditions.file_bytes, of(mapped_reread, true)});
}

}  // namespace hakaru::probes::operating_system
