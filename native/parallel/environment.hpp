// Start and end of MPI.
#pragma once

#include <mpi.h>

#include <string>

namespace hakaru::parallel {

// MPI_Init_thread on construction, MPI_Finalize on destruction; errors of MPI_COMM_WORLD and of
// files and windows made later are returned, so that they become exceptions. While an exception
// unwinds, MPI is not finalised (other ranks may never come).
class Environment {
 public:
  // Throws UserError(environment) when the MPI library gives less than the wanted thread level.
  Environment(int& argument_count, char**& arguments, int thread_level);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  int exceptions_at_start_;
};

// First line of MPI_Get_library_version.
std::string library_version();

[[noreturn]] void abort(int exit_code);

}  // namespace hakaru::parallel
