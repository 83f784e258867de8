#include "native/lab/fabric.hpp"

#include <algorithm>
#include <cmath>
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
    : settings_(settings), uplinks_(ports), downlinks_(ports) {
  HAKARU_EXPECTS(ports > 0 && settings.latency_ns >= 0);
}

void Fabric::accept(int source, Frame frame, Nanoseconds now_ns) {
  if (frame.size() < shortest_frame_bytes) {
    ++counts_.malformed_frames;
    return;
  }
  ++counts_.accepted_frames;
  counts_.accepted_bytes += frame.size();
  Uplink& uplink = uplinks_.at(source);
  if (uplink.queued_bytes + frame.size() > settings_.queue_bytes) {
    ++counts_.dropped_frames;
    return;
  }
  table_.learn(frame, source);
  uplink.queued_bytes += frame.size();
  uplink.queue.push_back(
      {static_cast<double>(now_ns), std::make_shared<const Frame>(std::move(frame))});
}

double Fabric::start_ns(const Uplink& uplink) const {
  return std::max(uplink.free_ns, uplink.queue.front().arrival_ns);
}

Fabric::Uplink* Fabric::next_uplink() {
  Uplink* first = nullptr;
  for (Uplink& uplink : uplinks_) {
    if (uplink.queue.empty()) continue;
    if (!first || start_ns(uplink) < start_ns(*first)) first = &uplink;
  }
  return first;
}

void Fabric::cross(Uplink& uplink) {
  const double start = start_ns(uplink);
  const SharedFrame frame = std::move(uplink.queue.front().frame);
  uplink.queue.pop_front();
  uplink.queued_bytes -= frame->size();
  uplink.free_ns = start + occupation_ns(settings_, frame->size());
  const int source = static_cast<int>(&uplink - uplinks_.data());
  if (const auto destination = table_.destination(*frame)) {
    if (*destination != source) send_down(*destination, start, frame);
    return;
  }
  for (int port = 0; port < static_cast<int>(downlinks_.size()); ++port)
    if (port != source) send_down(port, start, frame);
}

void Fabric::send_down(int port, double start, const SharedFrame& frame) {
  Downlink& downlink = downlinks_[port];
  const double backlog_bytes =
      std::max(0.0, downlink.free_ns - start) * settings_.bytes_per_second / 1e9;
  if (backlog_bytes > static_cast<double>(settings_.queue_bytes)) {
    ++counts_.dropped_frames;
    return;
  }
  downlink.free_ns = std::max(start, downlink.free_ns) + occupation_ns(settings_, frame->size());
  const auto left_ns = static_cast<Nanoseconds>(std::ceil(downlink.free_ns));
  downlink.under_way.push_back({left_ns + settings_.latency_ns, frame});
}

void Fabric::advance(Nanoseconds now_ns, const Deliver& deliver) {
  for (Uplink* uplink = next_uplink(); uplink && start_ns(*uplink) <= static_cast<double>(now_ns);
       uplink = next_uplink())
    cross(*uplink);
  for (std::size_t port = 0; port < downlinks_.size(); ++port) {
    auto& under_way = downlinks_[port].under_way;
    while (!under_way.empty() && under_way.front().time_ns <= now_ns) {
      const Due due = std::move(under_way.front());
      under_way.pop_front();
      ++counts_.delivered_frames;
      counts_.delivered_bytes += due.frame->size();
      deliver(static_cast<int>(port), due.time_ns, *due.frame);
    }
  }
}

std::optional<Nanoseconds> Fabric::next_event() const {
  std::optional<Nanoseconds> next;
  const auto consider = [&next](Nanoseconds time_ns) {
    if (!next || time_ns < *next) next = time_ns;
  };
  for (const Uplink& uplink : uplinks_)
    if (!uplink.queue.empty()) consider(static_cast<Nanoseconds>(std::ceil(start_ns(uplink))));
  for (const Downlink& downlink : downlinks_)
    if (!downlink.under_way.empty()) consider(downlink.under_way.front().time_ns);
  return next;
}

}  // namespace hakaru::lab
