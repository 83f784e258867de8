#include "apps/lattice_qcd/hopping.hpp"

#include "native/base/require.hpp"

// Blocks of vectors are arrays here, which vectors of unknown length cannot be in.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS \
  (HWY_AVX3_DL | HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

// gcc reads an operand of two instructions from memory twice, and load ports are scarce.
#define HAKARU_LOADED_ONCE(vector) (void)(vector)
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#undef HAKARU_LOADED_ONCE
#define HAKARU_LOADED_ONCE(vector) asm("" : "+v"(vector.raw))
#endif

// The order matters: foreach_target includes this file again for every target.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "apps/lattice_qcd/hopping.cpp"
#include <hwy/foreach_target.h>
#include <hwy/cache_control.h>
#include <hwy/highway.h>
#include "apps/lattice_qcd/faces-inl.hpp"
#include "apps/lattice_qcd/hopping-inl.hpp"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace hakaru::apps::lattice_qcd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void HopSingle(const Hopping<float>& p, std::int64_t b, std::int64_t e) { Hop(p, b, e); }
void HopDouble(const Hopping<double>& p, std::int64_t b, std::int64_t e) { Hop(p, b, e); }
void PackSingle(const Faces<float>& f, std::int64_t b, std::int64_t e) { Pack(f, b, e); }
void PackDouble(const Faces<double>& f, std::int64_t b, std::int64_t e) { Pack(f, b, e); }
void UnpackSingle(const Faces<float>& f, std::int64_t b, std::int64_t e) { Unpack(f, b, e); }
void UnpackDouble(const Faces<double>& f, std::int64_t b, std::int64_t e) { Unpack(f, b, e); }

int MostLanes(int number_bytes) {
  return static_cast<int>(number_bytes == 4 ? hn::MaxLanes(hn::ScalableTag<float>())
                                            : hn::MaxLanes(hn::ScalableTag<double>()));
}
const char* TargetName() { return hwy::TargetName(HWY_TARGET); }

}  // namespace hakaru::apps::lattice_qcd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hakaru::apps::lattice_qcd {

HWY_EXPORT(HopSingle);
HWY_EXPORT(HopDouble);
HWY_EXPORT(PackSingle);
HWY_EXPORT(PackDouble);
HWY_EXPORT(UnpackSingle);
HWY_EXPORT(UnpackDouble);
HWY_EXPORT(MostLanes);
HWY_EXPORT(TargetName);

void hop(const Hopping<float>& h, std::int64_t begin, std::int64_t end) {
  HWY_DYNAMIC_DISPATCH(HopSingle)(h, begin, end);
}
void hop(const Hopping<double>& h, std::int64_t begin, std::int64_t end) {
  HWY_DYNAMIC_DISPATCH(HopDouble)(h, begin, end);
}
void pack(const Faces<float>& f, std::int64_t begin, std::int64_t end) {
  HWY_DYNAMIC_DISPATCH(PackSingle)(f, begin, end);
}
void pack(const Faces<double>& f, std::int64_t begin, std::int64_t end) {
  HWY_DYNAMIC_DISPATCH(PackDouble)(f, begin, end);
}
void unpack(const Faces<float>& f, std::int64_t begin, std::int64_t end) {
  HWY_DYNAMIC_DISPATCH(UnpackSingle)(f, begin, end);
}
void unpack(const Faces<double>& f, std::int64_t begin, std::int64_t end) {
  HWY_DYNAMIC_DISPATCH(UnpackDouble)(f, begin, end);
}
int most_lanes(int number_bytes) { return HWY_DYNAMIC_DISPATCH(MostLanes)(number_bytes); }
std::string vector_target() { return HWY_DYNAMIC_DISPATCH(TargetName)(); }

}  // namespace hakaru::apps::lattice_qcd
#endif  // HWY_ONCE
