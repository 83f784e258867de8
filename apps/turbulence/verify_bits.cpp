// The same bits by every way of computing them.
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "apps/turbulence/canonical.hpp"
#include "apps/turbulence/checkpoint.hpp"
#include "apps/turbulence/initial.hpp"
#include "apps/turbulence/verify.hpp"

namespace hakaru::apps::turbulence::verification {
namespace {

constexpr int steps = 4;

using Modes = std::vector<Complex>;

double different_modes(const Modes& a, const Modes& b) {
  double count = a.size() == b.size() ? 0.0 : 1.0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (std::memcmp(&a[i], &b[i], sizeof(Complex)) != 0) ++count;
  return count;
}

// A few forced steps from a random field.
Modes modes_after(const Context& context, const Settings& settings,
                  const parallel::Communicator& communicator, bool spoiled) {
  Solver solver(settings, communicator);
  State initial(solver.grid());
  set_random(solver.grid(), initial, 5, 4.0, communicator);
  solver.begin(initial);
  for (int step = 0; step < steps; ++step) solver.step(step == 0 ? initial : solver.velocity());
  if (spoiled) context.spoil(solver, solver.velocity());
  return collect(solver.grid(), solver.velocity(), communicator);
}

// A name that all ranks know and no other run uses.
std::string scratch_file(const Context& context) {
  if (!context.plan.checkpoint.empty()) return context.plan.checkpoint + ".verify";
  const auto sharing = context.world.split_shared();
  const bool one_host = context.world.all(sharing.size() == context.world.size());
  const auto folder =
      one_host ? std::filesystem::temp_directory_path() : std::filesystem::current_path();
  std::vector<int> process{static_cast<int>(::getpid())};
  context.world.broadcast(process, 0);
  return (folder / fmt::format("hakaru-turbulence-{}.checkpoint", process[0])).string();
}

Modes modes_after_restart(const Context& context, const Settings& settings) {
  const std::string path = scratch_file(context);
  {
    Solver solver(settings, context.world);
    State initial(solver.grid());
    set_random(solver.grid(), initial, 5, 4.0, context.world);
    solver.begin(initial);
    for (int step = 0; step < steps / 2; ++step)
      solver.step(step == 0 ? initial : solver.velocity());
    write_checkpoint(path, solver.grid(), solver.velocity(), {steps / 2, steps / 2 * settings.dt},
                     settings.nu, context.world);
  }
  Solver solver(settings, context.world);
  State restarted(solver.grid());
  read_checkpoint(path, solver.grid(), restarted, context.world);
  context.world.barrier();
  if (context.world.rank() == 0) std::filesystem::remove(path);
  solver.begin(restarted);
  for (int step = steps / 2; step < steps; ++step)
    solver.step(step == steps / 2 ? restarted : solver.velocity());
  return collect(solver.grid(), solver.velocity(), context.world);
}

}  // namespace

void same_bits(const Context& context) {
  Settings settings = context.settings(24, 0.01, 0.01);
  settings.forced = true;
  const Modes modes = modes_after(context, settings, context.world, true);
  auto compare = [&](const std::string& name, const Modes& others) {
    context.checks.equal(
        "modes that differ in any bit: " + name, different_modes(modes, others), 0.0,
        "each line is transformed by the same plan, and sums are formed in one order");
  };
  Settings other = settings;
  other.method = settings.method == parallel::TransposeMethod::put
                     ? parallel::TransposeMethod::alltoall
                     : parallel::TransposeMethod::put;
  compare("the other transposition", modes_after(context, other, context.world, false));
  other = settings;
  other.threads = settings.threads == 1 ? 2 : 1;
  compare("another number of threads", modes_after(context, other, context.world, false));
  MPI_Comm self = MPI_COMM_NULL;
  HAKARU_MPI(MPI_Comm_dup(MPI_COMM_SELF, &self));
  compare("one rank", modes_after(context, settings, parallel::Communicator::adopt(self), false));
  compare("after a restart", modes_after_restart(context, settings));
}

}  // namespace hakaru::apps::turbulence::verification
