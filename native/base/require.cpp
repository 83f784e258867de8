#include "native/base/require.hpp"

namespace hakaru::base {

std::string explain(const std::string& problem, const std::string& why,
                    const std::string& what_to_do) {
  std::string text = problem;
  if (!why.empty()) text += " (" + why + ")";
  if (!what_to_do.empty()) text += "; " + what_to_do;
  return text;
}

void expectation_failed(const char* expression, const char* file, int line) {
  throw std::logic_error(std::string("internal error: expected ") + expression + " at " + file +
                         ":" + std::to_string(line) + "; please report this");
}

}  // namespace hakaru::base
