// MPI errors as exceptions.
#pragma once

#include <mpi.h>

#include <stdexcept>
#include <string>

namespace hakaru::parallel {

class MpiError : public std::runtime_error {
 public:
  MpiError(const std::string& call, int code);
  int code() const { return code_; }

 private:
  int code_;
};

// Throws MpiError when an MPI call did not return MPI_SUCCESS.
inline void check(int code, const char* call) {
  if (code != MPI_SUCCESS) throw MpiError(call, code);
}

}  // namespace hakaru::parallel

// Calls an MPI function and throws MpiError with its name when it fails:
// HAKARU_MPI(MPI_Barrier(communicator));
#define HAKARU_MPI(expression) ::hakaru::parallel::check((expression), #expression)
