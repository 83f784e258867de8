// The MPI call that an operation of a schedule stands for.
#pragma once

#include <string>

#include "native/schedule/operation.hpp"

namespace hakaru::trace {

// Empty for what is no call: computing, marks, threads.
std::string call_name(const schedule::Operation& operation);

}  // namespace hakaru::trace
