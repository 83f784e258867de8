// Sockets of the loopback interface.
#pragma once

#include <netinet/in.h>

#include "probes/operating_system/system_handles.hpp"

namespace hakaru::probes::operating_system {

// A socket of 127.0.0.1 with a port of the kernel's choice, which listens when it is a stream.
// Throws Unavailable where there is no loopback.
class Listener {
 public:
  explicit Listener(int type, int buffer_bytes = 0);
  int number() const { return socket_.number(); }
  const sockaddr_in& address() const { return address_; }
  int type() const { return type_; }

 private:
  Descriptor socket_;
  sockaddr_in address_{};
  int type_;
};

// `buffer_bytes`: of the kernel's buffers, 0: its own choice. Waits at most ten seconds for data.
Descriptor connected(const Listener& listener, int buffer_bytes = 0);
Descriptor accepted(const Listener& listener, int buffer_bytes = 0);

}  // namespace hakaru::probes::operating_system
