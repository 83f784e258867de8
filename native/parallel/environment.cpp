#include "native/parallel/environment.hpp"

#include <cstdlib>
#include <exception>
#include <vector>

#include "native/base/require.hpp"
#include "native/parallel/error.hpp"

namespace hakaru::parallel {

Environment::Environment(int& argument_count, char**& arguments, int thread_level)
    : exceptions_at_start_(std::uncaught_exceptions()) {
  int provided = 0;
  HAKARU_MPI(MPI_Init_thread(&argument_count, &arguments, thread_level, &provided));
  HAKARU_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  HAKARU_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  base::require_environment(provided >= thread_level,
                            "this MPI library cannot be used with threads",
                            "MPI_Init_thread gave a lower level than asked for",
                            "run with --threads 1 or use another MPI library");
}

Environment::~Environment() {
  if (std::uncaught_exceptions() == exceptions_at_start_) MPI_Finalize();
}

std::string library_version() {
  std::vector<char> text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
  int length = 0;
  HAKARU_MPI(MPI_Get_library_version(text.data(), &length));
  const std::string full(text.data());
  return full.substr(0, full.find_first_of("\r\n"));
}

void abort(int exit_code) {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

}  // namespace hakaru::parallel
