#include <fmt/format.h>

#include <cstdlib>
#include <initializer_list>

#include "native/base/require.hpp"
#include "native/harness/ranks.hpp"

namespace hakaru::harness {
namespace {

int first_number(std::initializer_list<const char*> names, int fallback) {
  for (const char* name : names)
    if (const char* text = std::getenv(name)) return std::atoi(text);
  return fallback;
}

}  // namespace

// SLURM_NTASKS would also be there in a batch script that starts one process without srun.
LauncherView launcher_view() {
  return {first_number({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}, 0),
          first_number({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}, 1)};
}

void require_one_program(const std::string& name, int started, int seen, bool with_mpi) {
  if (seen > 1 || started <= 1) return;
  const std::string problem = fmt::format("{} was started {} times at once", name, started);
  base::require(with_mpi, problem, "it runs on one rank, and copies of it disturb each other",
                "start it without mpirun or srun");
  base::require_environment(
      false, problem, "its MPI library sees one rank: the launcher belongs to another library",
      "start it with the mpirun of the library that it was built with");
}

}  // namespace hakaru::harness
