#include "probes/operating_system/sockets.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <string>

namespace hakaru::probes::operating_system {
namespace {

constexpr int patience_s = 10;

void prepare(const Descriptor& socket, int buffer_bytes) {
  const timeval patience{patience_s, 0};
  const int yes = 1;
  ::setsockopt(socket.number(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (buffer_bytes == 0) return;
  ::setsockopt(socket.number(), SOL_SOCKET, SO_RCVBUF, &buffer_bytes, sizeof buffer_bytes);
  ::setsockopt(socket.number(), SOL_SOCKET, SO_SNDBUF, &buffer_bytes, sizeof buffer_bytes);
}

Descriptor new_socket(int type, int buffer_bytes) {
  Descriptor socket(::socket(AF_INET, type, 0));
  if (socket.number() < 0) unavailable("no socket can be made");
  prepare(socket, buffer_bytes);
  return socket;
}

}  // namespace

Listener::Listener(int type, int buffer_bytes)
    : socket_(new_socket(type, buffer_bytes)), type_(type) {
  address_.sin_family = AF_INET;
  address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* address = reinterpret_cast<sockaddr*>(&address_);
  socklen_t bytes = sizeof address_;
  if (::bind(number(), address, bytes) != 0 || ::getsockname(number(), address, &bytes) != 0 ||
      (type == SOCK_STREAM && ::listen(number(), 128) != 0))
    unavailable("the loopback address 127.0.0.1 cannot be used");
}

Descriptor connected(const Listener& listener, int buffer_bytes) {
  Descriptor socket = new_socket(listener.type(), buffer_bytes);
  if (::connect(socket.number(), reinterpret_cast<const sockaddr*>(&listener.address()),
                sizeof(sockaddr_in)) != 0)
    unavailable("nothing can be reached over the loopback interface");
  return socket;
}

Descriptor accepted(const Listener& listener, int buffer_bytes) {
  Descriptor socket(::accept(listener.number(), nullptr, nullptr));
  if (socket.number() < 0) unavailable("no connection is accepted over the loopback interface");
  prepare(socket, buffer_bytes);
  return socket;
}

}  // namespace hakaru::probes::operating_system
