// The table of collective algorithms for other programs.
#pragma once

#include <nlohmann/json.hpp>

namespace hakaru::replay {

// A list of {"collective", "mpi_name", "name", "about", "openmpi": [{"number", "name"}], "mpich":
// text or null}; "mpi_name": of the collective in settings of MPI libraries.
nlohmann::json algorithms_json();

}  // namespace hakaru::replay
