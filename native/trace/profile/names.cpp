#include "native/trace/profile/names.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace hakaru::trace::profile {

std::string readable(const std::string& symbol) {
  if (symbol.rfind("_Z", 0) == 0) {
    int status = -1;
    // Clones (.constprop.0, .isra.0, ._omp_fn.0) are demangled with what they are, in brackets.
    const std::unique_ptr<char, decltype(&std::free)> found(
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
    if (status == 0) return found.get();
  }
  const auto module = symbol.find("_MOD_");
  if (symbol.rfind("__", 0) == 0 && module != std::string::npos && module > 2)
    return symbol.substr(2, module - 2) + "::" + symbol.substr(module + 5);
  return symbol;
}

}  // namespace hakaru::trace::profile
