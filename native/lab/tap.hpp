// Ethernet devices of hosts, seen from the switch.
#pragma once

#include <string>

#include "native/lab/fabric.hpp"

namespace hakaru::lab {

// A TAP device inside a network namespace: what the host sends can be read here, what is written
// here the host receives. The device disappears with this object.
class Tap {
 public:
  // Makes device `device` in the namespace whose file is `namespace_file`. Throws
  // UserError(environment) when that is not possible.
  Tap(const std::string& namespace_file, const std::string& device);
  ~Tap();
  Tap(Tap&& other) noexcept;
  Tap(const Tap&) = delete;
  Tap& operator=(const Tap&) = delete;
  Tap& operator=(Tap&&) = delete;

  int descriptor() const { return descriptor_; }
  // Next frame of the host into `buffer`, as much as there is room; its bytes, 0 when there is none
  // now.
  std::size_t read(Frame& buffer) const;
  // False when the host did not take it (its device is down, no memory).
  bool write(const Frame& frame) const;

 private:
  int descriptor_ = -1;
};

}  // namespace hakaru::lab
