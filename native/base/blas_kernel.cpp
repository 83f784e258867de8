#include "native/base/blas_kernel.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace hakaru::base {
namespace {

constexpr const char* variable = "BLIS_ARCH_TYPE";
constexpr int last_known_family = 0x19;  // of AMD: BLIS 0.9 and 1.0 end with Zen 3
constexpr int most_kernels = 64;

bool knows(const Processor& processor) {
  return processor.vendor != "AuthenticAMD" || processor.family <= last_known_family;
}

}  // namespace

Processor this_processor() {
  Processor processor;
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(0, &a, &b, &c, &d)) return processor;
  char vendor[13] = {};
  std::memcpy(vendor, &b, 4), std::memcpy(vendor + 4, &d, 4), std::memcpy(vendor + 8, &c, 4);
  processor.vendor = vendor;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return processor;
  const unsigned base = (a >> 8) & 15u, extended = (a >> 20) & 255u;
  processor.family = static_cast<int>(base == 15u ? base + extended : base);
  processor.avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
  return processor;
}

std::optional<int> better_kernel(const Processor& processor, const KernelName& name_of) {
  if (knows(processor) || !processor.avx2) return {};
  const std::string wanted = "zen3";
  std::optional<int> found;
  for (int number = 0; number < most_kernels; ++number) {
    const std::string name = name_of(number);
    if (name == wanted) found = number;
    if (name == "zen4" || name == "zen5") return {};  // a BLIS that knows newer ones
    if (name == "generic" || name.empty()) break;
  }
  return found;
}

void choose_blas_kernel() {
  if (std::getenv(variable) != nullptr) return;
  auto* name = reinterpret_cast<const char* (*)(int)>(::dlsym(RTLD_DEFAULT, "bli_arch_string"));
  if (name == nullptr) return;
  const auto number =
      better_kernel(this_processor(), [name](int one) { return std::string(name(one)); });
  if (number) ::setenv(variable, std::to_string(*number).c_str(), 0);
}

}  // namespace hakaru::base
