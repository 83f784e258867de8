#include "apps/turbulence/verify.hpp"

#include <fmt/format.h>

#include "apps/turbulence/initial.hpp"
#include "native/base/require.hpp"

namespace hakaru::apps::turbulence {
namespace verification {

int Context::size(int at_least) const {
  for (int n = at_least + at_least % 2; n <= 8 * at_least; n += 2)
    if (Grid::refuse(n, world.size()).empty()) return n;
  throw base::UserError(base::ExitCode::usage,
                        base::explain(fmt::format("cannot verify on {} ranks", world.size()),
                                      "no small grid can be dealt out to them evenly",
                                      "use another number of ranks"));
}

Settings Context::settings(int at_least, double nu, double dt) const {
  Settings settings = plan.settings;
  settings.n = size(at_least);
  settings.nu = nu;
  settings.dt = dt;
  settings.forced = false;
  return settings;
}

void Context::spoil(const Solver& solver, State& state) const {
  if (!plan.damaged || solver.grid().rank() != 0) return;
  // Wavenumber (1, 1, 0), a large one in every flow but ABC, where it must be zero.
  Complex& mode = state[solver.grid().index(0, 1, 1, 0)];
  mode += 1e-3 * (std::abs(mode) + 1.0);
}

}  // namespace verification

void verify_all(const Verification& plan, const parallel::Communicator& world,
                base::Checks& checks) {
  const verification::Context context{plan, world, checks};
  verification::nonlinear_term(context);
  verification::exact_flows(context);
  verification::time_integration(context);
  verification::same_bits(context);
}

}  // namespace hakaru::apps::turbulence
