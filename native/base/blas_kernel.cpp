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

bool of_amd(const Processor& processor) { return processor.vendor == "AuthenticAMD"; }

bool knows(const Processor& processor) {
  if (of_amd(processor)) return processor.family <= last_known_family;
  if (processor.vendor != "GenuineIntel" || !processor.avx512) return true;
  for (const char* series : {"Platinum", "Gold", "Silver", "Bronze", " W-", " D-", "Core"})
    if (processor.name.find(series) != std::string::npos) return true;
  return false;
}

std::string wanted_kernel(const Processor& processor) {
  if (knows(processor)) return "";
  return processor.avx512 ? "skx" : processor.avx2 ? "zen3" : "";
}

// The processor's name: leaves 0x80000002 to 0x80000004 (Intel 64 and IA-32 Architectures Software
// Developer's Manual, volume 2, CPUID).
std::string name_of_processor() {
  std::string name;
#if defined(__x86_64__)
  for (unsigned leaf = 0x80000002u; leaf <= 0x80000004u; ++leaf) {
    unsigned registers[4] = {};
    if (!__get_cpuid(leaf, &registers[0], &registers[1], &registers[2], &registers[3])) break;
    name.append(reinterpret_cast<const char*>(registers), sizeof registers);
  }
#endif
  return name.c_str();  // without what fills it up
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
  processor.avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
                     __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                     __builtin_cpu_supports("avx512vl");
  processor.name = name_of_processor();
#endif
  return processor;
}

std::optional<int> better_kernel(const Processor& processor, const KernelName& name_of) {
  const std::string wanted = wanted_kernel(processor);
  if (wanted.empty()) return {};
  std::optional<int> found;
  for (int number = 0; number < most_kernels; ++number) {
    const std::string name = name_of(number);
    if (name == wanted) found = number;
    if (of_amd(processor) && (name == "zen4" || name == "zen5")) return {};  // knows newer ones
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
