// Every program of a kit is a probe.
#include "native/harness/kind_of_program.hpp"

std::string hakaru::harness::kind_of_program() { return "probe"; }
