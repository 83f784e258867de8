#include "probes/memory_bandwidth/kernels.hpp"

#include <hwy/cache_control.h>
#include <hwy/highway.h>

namespace hakaru::probes::memory_bandwidth {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

void copy(const double* __restrict a, double* __restrict c, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) c[i] = a[i];
}

void scale(double* __restrict b, const double* __restrict c, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) b[i] = scalar * c[i];
}

void add(const double* __restrict a, const double* __restrict b, double* __restrict c,
         std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) c[i] = a[i] + b[i];
}

void triad(double* __restrict a, const double* __restrict b, const double* __restrict c,
           std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) a[i] = b[i] + scalar * c[i];
}

// Eight vector sums hide the latency of the additions.
double read(const double* a, std::size_t count) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d), block = 8 * lanes;
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
  std::size_t i = 0;
  for (; i + block <= count; i += block) {
    s0 = hn::Add(s0, hn::LoadU(d, a + i));
    s1 = hn::Add(s1, hn::LoadU(d, a + i + lanes));
    s2 = hn::Add(s2, hn::LoadU(d, a + i + 2 * lanes));
    s3 = hn::Add(s3, hn::LoadU(d, a + i + 3 * lanes));
    s4 = hn::Add(s4, hn::LoadU(d, a + i + 4 * lanes));
    s5 = hn::Add(s5, hn::LoadU(d, a + i + 5 * lanes));
    s6 = hn::Add(s6, hn::LoadU(d, a + i + 6 * lanes));
    s7 = hn::Add(s7, hn::LoadU(d, a + i + 7 * lanes));
  }
  const auto low = hn::Add(hn::Add(s0, s1), hn::Add(s2, s3));
  const auto high = hn::Add(hn::Add(s4, s5), hn::Add(s6, s7));
  double sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(low, high)));
  for (; i < count; ++i) sum += a[i];
  return sum;
}

void triad_nontemporal(const double* __restrict a, double* __restrict b, const double* __restrict c,
                       std::size_t count) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto s = hn::Set(d, scalar);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::Stream(hn::MulAdd(s, hn::LoadU(d, a + i), hn::LoadU(d, c + i)), d, b + i);
  for (; i < count; ++i) b[i] = c[i] + scalar * a[i];
  hwy::FlushStream();
}

}  // namespace

const char* name_of(Kernel kernel) {
  switch (kernel) {
    case Kernel::copy:
      return "copy";
    case Kernel::scale:
      return "scale";
    case Kernel::add:
      return "add";
    case Kernel::triad:
      return "triad";
    case Kernel::read:
      return "read";
    case Kernel::triad_nontemporal:
      return "triad_nontemporal";
  }
  return "";
}

Traffic traffic(Kernel kernel) {
  switch (kernel) {
    case Kernel::copy:
      return {16.0, 24.0, 0.0};
    case Kernel::scale:
      return {16.0, 24.0, 1.0};
    case Kernel::add:
      return {24.0, 32.0, 1.0};
    case Kernel::triad:
      return {24.0, 32.0, 2.0};
    case Kernel::read:
      return {8.0, 8.0, 1.0};
    case Kernel::triad_nontemporal:
      return {24.0, 24.0, 2.0};
  }
  return {};
}

double run_kernel(Kernel kernel, double* a, double* b, double* c, std::size_t count) {
  switch (kernel) {
    case Kernel::copy:
      copy(a, c, count);
      break;
    case Kernel::scale:
      scale(b, c, count);
      break;
    case Kernel::add:
      add(a, b, c, count);
      break;
    case Kernel::triad:
      triad(a, b, c, count);
      break;
    case Kernel::read:
      return read(a, count);
    case Kernel::triad_nontemporal:
      triad_nontemporal(a, b, c, count);
      break;
  }
  return 0.0;
}

}  // namespace hakaru::probes::memory_bandwidth
