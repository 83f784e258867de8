#include "apps/multiblock_flow/kernel.hpp"

#include <utility>

// Vectors are kept in arrays here, which vectors of unknown length cannot be.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS \
  (HWY_AVX3_DL | HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

// The order matters: foreach_target includes this file again for every target.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "apps/multiblock_flow/kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "apps/multiblock_flow/flux-inl.hpp"
#include "apps/multiblock_flow/kernel-inl.hpp"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace hakaru::apps::multiblock_flow::HWY_NAMESPACE {

double AdvanceFirst(const Stage& s, const Tile& t, Workspace& w) {
  return AdvanceTile<FirstOrder>(s, t, w);
}
double AdvanceMuscl(const Stage& s, const Tile& t, Workspace& w) {
  return AdvanceTile<Reconstruction<false>>(s, t, w);
}
double AdvanceLimited(const Stage& s, const Tile& t, Workspace& w) {
  return AdvanceTile<Reconstruction<true>>(s, t, w);
}
double WavesOf(const Stage& s, const Tile& t) { return TileWaves(s, t); }
const char* TargetName() { return hwy::TargetName(HWY_TARGET); }

}  // namespace hakaru::apps::multiblock_flow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hakaru::apps::multiblock_flow {

HWY_EXPORT(AdvanceFirst);
HWY_EXPORT(AdvanceMuscl);
HWY_EXPORT(AdvanceLimited);
HWY_EXPORT(WavesOf);
HWY_EXPORT(TargetName);

double advance(const Stage& stage, Scheme scheme, const Tile& tile, Workspace& workspace) {
  switch (scheme) {
    case Scheme::first:
      return HWY_DYNAMIC_DISPATCH(AdvanceFirst)(stage, tile, workspace);
    case Scheme::muscl:
      return HWY_DYNAMIC_DISPATCH(AdvanceMuscl)(stage, tile, workspace);
    default:
      return HWY_DYNAMIC_DISPATCH(AdvanceLimited)(stage, tile, workspace);
  }
}
double waves_of(const Stage& stage, const Tile& tile) {
  return HWY_DYNAMIC_DISPATCH(WavesOf)(stage, tile);
}
std::string vector_target() { return HWY_DYNAMIC_DISPATCH(TargetName)(); }

}  // namespace hakaru::apps::multiblock_flow
#endif  // HWY_ONCE
