// hakaru_handover: prints how long a write of the first core that it may use takes to be seen by
// the last, now, in s (native/base/handover.hpp); 0 where it may use one core only.
#include "native/base/handover.hpp"

#include <fmt/format.h>

#include "native/base/cores.hpp"

int main() {
  using namespace hakaru;
  const std::vector<int> cores = base::distinct_cores();
  double found_s = 0.0;
  if (cores.size() > 1) {
    const base::PinnedTeam team({cores.front(), cores.back()});
    found_s = base::handover_of_threads_s(team.size());
  }
  fmt::print("{:.3e}\n", found_s);
}
