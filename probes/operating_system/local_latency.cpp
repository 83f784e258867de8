// The time of a byte to another process and back: LMbench's lat_pipe, lat_unix, lat_udp, lat_tcp
// and lat_connect, over the loopback interface.
#include <sys/socket.h>

#include "probes/operating_system/sockets.hpp"

namespace hakaru::probes::operating_system {
namespace {

using Values = std::vector<double>;

// Whole messages of four bytes; a datagram is one.
constexpr std::size_t message_bytes = 4;

void answer(int in, int out) {
  for (std::uint32_t number = 0;;) {
    read_all(in, &number, message_bytes);
    ++number;
    write_all(out, &number, message_bytes);
  }
}

// Each answer is the question plus one.
Values ping_pong(int out, int in, const Conditions& conditions, Truth& truth) {
  std::uint32_t number = 0;
  std::int64_t done = 0;
  Values found = seconds_of_one(conditions.sampling, [&](std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      write_all(out, &number, message_bytes);
      read_all(in, &number, message_bytes);
    }
    done += count;
  });
  truth.equal("answers of the other process", number,
              static_cast<double>(static_cast<std::uint32_t>(done)));
  return found;
}

Values pipe_latency(const Conditions& conditions, Truth& truth) {
  const Placed here(conditions.placement, 0);
  const Channel there = pipe_channel(), back = pipe_channel();
  const Child child(conditions, 1, [&] { answer(there.read.number(), back.write.number()); });
  return ping_pong(there.write.number(), back.read.number(), conditions, truth);
}

Values unix_latency(const Conditions& conditions, Truth& truth) {
  const Placed here(conditions.placement, 0);
  const auto pair = unix_pair();
  const int ours = pair.first.number(), theirs = pair.second.number();
  const Child child(conditions, 1, [&] { answer(theirs, theirs); });
  return ping_pong(ours, ours, conditions, truth);
}

Values udp_latency(const Conditions& conditions, Truth& truth) {
  const Placed here(conditions.placement, 0);
  const Listener listener(SOCK_DGRAM);
  const Child child(conditions, 1, [&] {
    sockaddr_in from{};
    auto* address = reinterpret_cast<sockaddr*>(&from);
    for (std::uint32_t number = 0;;) {
      socklen_t bytes = sizeof from;
      if (::recvfrom(listener.number(), &number, message_bytes, 0, address, &bytes) !=
          static_cast<ssize_t>(message_bytes))
        continue;
      ++number;
      ::sendto(listener.number(), &number, message_bytes, 0, address, bytes);
    }
  });
  const Descriptor socket = connected(listener);
  return ping_pong(socket.number(), socket.number(), conditions, truth);
}

Values tcp_latency(const Conditions& conditions, Truth& truth) {
  const Placed here(conditions.placement, 0);
  const Listener listener(SOCK_STREAM);
  const Child child(conditions, 1, [&] {
    const Descriptor socket = accepted(listener);
    answer(socket.number(), socket.number());
  });
  const Descriptor socket = connected(listener);
  return ping_pong(socket.number(), socket.number(), conditions, truth);
}

Values tcp_connection(const Conditions& conditions, Truth& truth) {
  const Placed here(conditions.placement, 0);
  const Listener listener(SOCK_STREAM);
  const Child child(conditions, 1, [&] {
    for (;;) accepted(listener);
  });
  std::int64_t made = 0, done = 0;
  Values found = seconds_of_one(conditions.sampling, [&](std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) made += connected(listener).number() >= 0;
    done += count;
  });
  truth.equal("connections", static_cast<double>(made), static_cast<double>(done));
  return found;
}

}  // namespace

void add_local_latency(Items& items) {
  const std::string group = "local-latency";
  items.push_back({group, "Pipe", 0, pipe_latency});
  items.push_back({group, "AF UNIX", 0, unix_latency});
  items.push_back({group, "UDP", 0, udp_latency});
  items.push_back({group, "TCP", 0, tcp_latency});
  add_remote_calls(items);
  items.push_back({group, "TCP conn", 0, tcp_connection});
}

}  // namespace hakaru::probes::operating_system
