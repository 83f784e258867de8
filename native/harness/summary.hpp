// What a program prints for people at the end.
#pragma once

#include "native/base/description.hpp"

namespace hakaru::harness {

void print_summary(const base::json& record);

}  // namespace hakaru::harness
