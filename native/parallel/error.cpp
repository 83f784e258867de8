#include "native/parallel/error.hpp"

namespace hakaru::parallel {
namespace {

std::string describe(const std::string& call, int code) {
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return call.substr(0, call.find('(')) + " failed (" + text + ")";
}

}  // namespace

MpiError::MpiError(const std::string& call, int code)
    : std::runtime_error(describe(call, code)), code_(code) {}

}  // namespace hakaru::parallel
