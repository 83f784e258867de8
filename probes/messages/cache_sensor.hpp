// How cold this core's caches are, as the tracer senses it in programs (native/trace/caches.h).
#pragma once

#include "native/base/aligned.hpp"

namespace hakaru::probes::messages {

class CacheSensor {
 public:
  // Throws std::bad_alloc.
  CacheSensor();

  // How much longer the reading takes than if nothing had been between it and the last, in s.
  double cold_s();

 private:
  base::AlignedArray<unsigned char> memory_;
  double warm_s_;
};

}  // namespace hakaru::probes::messages
