// Checks of filtered images against windows that are gathered and sorted.
#pragma once

#include <string>

#include "apps/median_filter/solver.hpp"
#include "native/base/checks.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::median_filter {

// Two checks: no point differs, and the fingerprints are equal. Collective.
void check_comparison(const Comparison& comparison, const std::string& label, base::Checks& checks);

// What the parameters ask for in all types, by all edge rules, and small images whose windows are
// uneven, even, flat, or larger than the image. Collective.
void verify_everything(harness::Run& run, base::Checks& checks);

}  // namespace hakaru::apps::median_filter
