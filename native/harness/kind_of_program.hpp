// Without other headers: every leaf compiles its own answer.
#pragma once

#include <string>

namespace hakaru::harness {

// Kind of this program, from where it was built: "app" or "probe".
std::string kind_of_program();

}  // namespace hakaru::harness
