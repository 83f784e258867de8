#include "native/lab/fabric.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "native/base/require.hpp"

namespace hakaru::lab {
namespace {

constexpr std::size_t address_bytes = 6;
constexpr std::size_t addresses_remembered = 4096;

std::uint64_t address_at(const Frame& frame, std::size_t offset) {
  std::uint64_t address = 0;
  for (std::size_t i = 0; i < address_bytes; ++i) address = address << 8 | frame[offset + i];
  return address;
}

}  // namespace

double occupation_ns(const LinkSettings& settings, std::size_t frame_bytes) {
  if (settings.bytes_per_second <= 0.0) return 0.0;
  return 1e9 * (static_cast<double>(frame_bytes) + framing_bytes) / settings.bytes_per_second;
}

void ForwardingTable::learn(const Frame& frame, int port) {
  const std::uint64_t source = address_at(frame, address_bytes);
  const auto known = ports_.find(source);
  if (known != ports_.end())
    known->second = port;
  else if (ports_.size() < addresses_remembered)
    ports_.emplace(source, port);
}

std::optional<int> ForwardingTable::destination(const Frame& frame) const {
  if (frame[0] & 1) return std::nullopt;  // IEEE 802: the first bit on the wire marks a group
  const auto known = ports_.find(address_at(frame, 0));
  return known == ports_.end() ? std::nullopt : std::optional<int>(known->second);
}

Fabric::Fabric(int ports, const LinkSettings& settings)
    : settings_(settings), ports_(ports), sources_(ports), downlinks_free_ns_(ports, always_ns) {
  HAKARU_EXPECTS(ports > 0 && settings.latency_ns >= 0);
  std::iota(ports_.begin(), ports_.end(), 0);
}

void Fabric::accept(int port, Frame frame, Nanoseconds now_ns) {
  if (frame.size() < shortest_frame_bytes) {
    ++counts_.malformed_frames;
    return;
  }
  ++counts_.accepted_frames;
  counts_.accepted_bytes += frame.size();
  Source& source = sources_.at(port);
  if (source.queued_bytes + frame.size() > settings_.queue_bytes) {
    ++counts_.dropped_frames;
    return;
  }
  table_.learn(frame, port);
  source.queued_bytes += frame.size();
  source.queue.push_back(
      {static_cast<double>(now_ns), std::make_shared<const Frame>(std::move(frame))});
}

double Fabric::start_ns(const Source& source) {
  if (source.queue.empty()) return std::numeric_limits<double>::infinity();
  return std::max(source.link_free_ns, source.queue.front().arrival_ns);
}

Nanoseconds Fabric::due_ns(const Source& source) {
  return source.under_way.empty() ? never_ns : source.under_way.begin()->first;
}

template <typename Time>
Fabric::Source* Fabric::earliest(const std::vector<int>& sources, Time (*time_of)(const Source&)) {
  Source* first = nullptr;
  for (const int port : sources)
    if (!first || time_of(sources_[port]) < time_of(*first)) first = &sources_[port];
  return first;
}

void Fabric::cross(Source& source) {
  const double start = start_ns(source);
  const SharedFrame frame = std::move(source.queue.front().frame);
  source.queue.pop_front();
  source.queued_bytes -= frame->size();
  source.link_free_ns = start + occupation_ns(settings_, frame->size());
  const int own = static_cast<int>(&source - sources_.data());
  if (const auto destination = table_.destination(*frame)) {
    if (*destination != own) send_down(source, *destination, start, frame);
    return;
  }
  for (const int port : ports_)
    if (port != own) send_down(source, port, start, frame);
}

void Fabric::send_down(Source& source, int port, double start, const SharedFrame& frame) {
  double& free_ns = downlinks_free_ns_[port];
  const double backlog_bytes = std::max(0.0, free_ns - start) * settings_.bytes_per_second / 1e9;
  if (backlog_bytes > static_cast<double>(settings_.queue_bytes)) {
    ++counts_.dropped_frames;
    return;
  }
  free_ns = std::max(start, free_ns) + occupation_ns(settings_, frame->size());
  const auto left_ns = static_cast<Nanoseconds>(std::ceil(free_ns));
  source.under_way.emplace(left_ns + settings_.latency_ns, Due{port, frame});
}

void Fabric::advance(const std::vector<int>& sources, Nanoseconds now_ns, const Deliver& deliver) {
  for (Source* source = earliest(sources, start_ns);
       source && start_ns(*source) <= static_cast<double>(now_ns);
       source = earliest(sources, start_ns))
    cross(*source);
  for (Source* source = earliest(sources, due_ns); source && due_ns(*source) <= now_ns;
       source = earliest(sources, due_ns)) {
    const auto first = source->under_way.begin();
    const auto [time_ns, due] = *first;
    source->under_way.erase(first);
    ++counts_.delivered_frames;
    counts_.delivered_bytes += due.frame->size();
    deliver(due.port, time_ns, due.frame);
  }
}

std::optional<Nanoseconds> Fabric::next_event(const std::vector<int>& sources) const {
  Nanoseconds next_ns = never_ns;
  for (const int port : sources) {
    const Source& source = sources_[port];
    next_ns = std::min(next_ns, due_ns(source));
    if (const double start = start_ns(source); std::isfinite(start))
      next_ns = std::min(next_ns, static_cast<Nanoseconds>(std::ceil(start)));
  }
  if (next_ns == never_ns) return std::nullopt;
  return next_ns;
}

}  // namespace hakaru::lab
