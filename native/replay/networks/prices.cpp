// Measured prices between and beyond the points at which they were measured.
#include <algorithm>
#include <cmath>
#include <utility>

#include "native/replay/networks/network.hpp"

namespace hakaru::replay {
namespace {

// `value(i)` of `count` points whose `at(i)` ascend: linear over the logarithm, constant beyond
// them.
template <typename At, typename Value>
double interpolated(std::size_t count, double wanted, At&& at, Value&& value) {
  std::size_t upper = 0;
  while (upper < count && at(upper) < wanted) ++upper;
  if (upper == 0 || upper == count) return value(upper == 0 ? 0 : count - 1);
  const double share = std::log(wanted / at(upper - 1)) / std::log(at(upper) / at(upper - 1));
  return value(upper - 1) + share * (value(upper) - value(upper - 1));
}

}  // namespace

Grid::Grid(std::vector<Point> points) {
  std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
    return std::pair(a.first, a.second) < std::pair(b.first, b.second);
  });
  for (const Point& one : points) {
    if (rows_.empty() || rows_.back().front().first != one.first) rows_.emplace_back();
    rows_.back().push_back(one);
  }
}

double Grid::at(double first, double second) const {
  if (rows_.empty()) return 0.0;
  const auto of_row = [&](std::size_t i) {
    const std::vector<Point>& points = rows_[i];
    return interpolated(
        points.size(), second, [&](std::size_t j) { return points[j].second; },
        [&](std::size_t j) { return points[j].value; });
  };
  return interpolated(
      rows_.size(), first, [&](std::size_t i) { return rows_[i].front().first; }, of_row);
}

double Refilling::gone_over(double computing_s) const {
  Sweep low{0, 0}, high{0, 0};
  for (const Sweep& one : sweeps_) {
    low = high;
    high = one;
    if (one.seconds >= computing_s) break;
  }
  return low.memory_bytes + (computing_s - low.seconds) * (high.memory_bytes - low.memory_bytes) /
                                (high.seconds - low.seconds);
}

std::size_t Refilling::sweep(double memory_bytes) const {
  const auto found = std::find_if(sweeps_.begin(), sweeps_.end() - 1, [&](const Sweep& one) {
    return one.memory_bytes >= memory_bytes;
  });
  return static_cast<std::size_t>(found - sweeps_.begin());
}

double Refilling::longer_s(double since_s, double memory_bytes) const {
  const double least_bytes = sweeps_.front().memory_bytes;
  return longer_.at(std::max(since_s, longer_.least()), std::max(memory_bytes, least_bytes)) *
         std::min(since_s / longer_.least(), 1.0) * std::min(memory_bytes / least_bytes, 1.0);
}

double AfterWork::at(const Worked& worked, std::uint64_t bytes, double memory_bytes) const {
  if (empty()) return 0.0;
  if (worked.cold_s < 0 || cold_.empty()) return by_memory(worked.seconds, bytes, memory_bytes);
  const Measured& within = measured_.front();
  const double shortest_s = std::min(worked.seconds, within.longer.least());
  const double warm_s = by_memory(shortest_s, bytes, within.memory_bytes);
  if (worked.cold_s == 0) return warm_s;
  return std::max(warm_s, cold_.at(worked.cold_s, static_cast<double>(bytes)));
}

double AfterWork::by_memory(double work_s, std::uint64_t bytes, double memory_bytes) const {
  return interpolated(
      measured_.size(), memory_bytes, [&](std::size_t i) { return measured_[i].memory_bytes; },
      [&](std::size_t i) {
        const Grid& longer = measured_[i].longer;
        const double least_s = longer.least();
        return std::min(work_s / least_s, 1.0) *
               longer.at(std::max(work_s, least_s), static_cast<double>(bytes));
      });
}

AccessPrice OneSided::of(const std::vector<AccessPrice>& prices, std::uint64_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (prices.size() == 1 || size <= prices.front().bytes) return prices.front();
  auto upper = std::find_if(prices.begin(), prices.end(),
                            [size](const AccessPrice& one) { return one.bytes >= size; });
  if (upper == prices.end()) --upper;
  const AccessPrice &a = *(upper - 1), &b = *upper;
  const double share = (size - a.bytes) / (b.bytes - a.bytes);
  const auto between = [share](double low, double high) {
    return std::max(low + share * (high - low), 0.0);
  };
  AccessPrice price{size,
                    between(a.call_s, b.call_s),
                    between(a.gap_s, b.gap_s),
                    between(a.done_s, b.done_s),
                    {},
                    between(a.flag_s, b.flag_s),
                    between(a.apart_s, b.apart_s),
                    between(a.seen_s, b.seen_s)};
  if (a.new_s && b.new_s) price.new_s = between(*a.new_s, *b.new_s);
  return price;
}

bool Level::disturbed() const {
  const auto tells_new = [](const std::optional<OneSided>& one) {
    return one && one->put.front().new_s;
  };
  return !after_work.empty() || !first_uses.empty() || !sending.empty() || !receiving.empty() ||
         !refilling.empty() || attended_above_bytes < eager_limit_bytes || tells_new(allocated) ||
         tells_new(created) ||
         std::any_of(classes.begin(), classes.end(), [](const SizeClass& one) {
           return one.crossing_s > 0 || one.answering_s != 0 || one.persistent_s != 0 ||
                  one.posting_apart_s > 0 || one.progress < 1;
         });
}

}  // namespace hakaru::replay
