// Memory that no cache holds, as what a program filled long ago.
#pragma once

#include <cstddef>

namespace hakaru::base {

// Writes `bytes` from `memory` on back and drops them from all caches of the machine; done when it
// returns. Does nothing where a program may not ask for that (neither x86-64 nor AArch64).
void leave_caches(const void* memory, std::size_t bytes);

}  // namespace hakaru::base
