// Every way of communicating on every grid of the ranks, against plain elimination.
#pragma once

#include "native/base/checks.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::linpack {

void verify_all(harness::Run& run, base::Checks& checks);

}  // namespace hakaru::apps::linpack
