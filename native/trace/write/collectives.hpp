// Bytes of collectives as Score-P counts them, the inverse of what native/trace/reader makes of
// them.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>

#include "native/trace/write/definitions.hpp"

namespace hakaru::trace {

struct CountedCollective {
  OTF2_CollectiveOp operation = OTF2_COLLECTIVE_OP_BARRIER;
  std::uint32_t root = OTF2_UNDEFINED_UINT32;
  std::uint64_t sent = 0, received = 0;
};

CountedCollective count_collective(const schedule::Operation& operation, const Place& in);

}  // namespace hakaru::trace
