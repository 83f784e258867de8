#include "native/harness/cold_caches.hpp"

#include <algorithm>
#include <utility>

#include "native/base/clock.hpp"
#include "native/base/system.hpp"

namespace hakaru::harness {
namespace {

constexpr std::int64_t line_doubles = 8;
constexpr std::int64_t least_bytes = 64LL << 20U;  // where the kernel tells of no cache

}  // namespace

double share_written(const base::PhaseWork& work) {
  const double written = work.bytes_write_allocate - work.bytes;
  return work.bytes > 0.0 ? std::clamp(written / work.bytes, 0.0, 1.0) : 0.0;
}

std::int64_t ColdCaches::bytes(int threads) {
  const auto levels = base::caches();
  if (levels.empty()) return least_bytes;
  const base::CacheLevel& last = levels.back();
  const int sharing = std::max(last.shared_by, 1);
  const std::int64_t caches = (threads + sharing - 1) / sharing;
  return std::max(2 * caches * last.bytes, least_bytes);
}

ColdCaches::ColdCaches(const std::vector<base::PhaseWork>& work, int threads,
                       base::PhaseObserver* next)
    : threads_(threads), next_(next) {
  for (const base::PhaseWork& one : work) written_[one.phase] = share_written(one);
  lines_.resize(static_cast<std::size_t>(bytes(threads)) / sizeof(double), 1.0);
}

void ColdCaches::begin(const char* name) {
  if (depth_++ == 0) {
    const double start_s = base::now_s();
    const auto found = written_.find(name);
    go_round(found == written_.end() ? 0.0 : found->second);
    spent_s_ += base::now_s() - start_s;
  }
  if (next_ != nullptr) next_->begin(name);
}

void ColdCaches::end(const char* name) {
  --depth_;
  if (next_ != nullptr) next_->end(name);
}

double ColdCaches::take_spent_s() { return std::exchange(spent_s_, 0.0); }

void ColdCaches::go_round(double written) {
  const auto count = static_cast<std::int64_t>(lines_.size()) / line_doubles;
  double sum = 0.0;
#pragma omp parallel for num_threads(threads_) schedule(static) reduction(+ : sum)
  for (std::int64_t line = 0; line < count; ++line) {
    double& one = lines_[static_cast<std::size_t>(line * line_doubles)];
    // Evenly: a line is written where line * written passes a whole number.
    const bool writes = static_cast<std::int64_t>(static_cast<double>(line + 1) * written) >
                        static_cast<std::int64_t>(static_cast<double>(line) * written);
    sum += one;
    if (writes) one = 1.0 + static_cast<double>(depth_);
  }
  kept_ += sum;
}

}  // namespace hakaru::harness
