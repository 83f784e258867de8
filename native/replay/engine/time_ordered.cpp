// The engine for networks with shared links: messages get their links in order of time.
#include <cmath>

#include "native/replay/engine/engine.hpp"
#include "native/replay/engine/engines.hpp"
#include "native/replay/engine/event_queue.hpp"
#include "native/replay/engine/fair_shares.hpp"
#include "native/replay/engine/link_sharing.hpp"

namespace hakaru::replay {

namespace {

template <bool is_plain>
class Ordered {
 public:
  static constexpr bool ordered = true;
  static constexpr bool plain = is_plain;
  static constexpr const char* name = "time ordered";
  Ordered(Engine<Ordered>& engine, const Network& network, const Costs& costs,
          const Options& options)
      : engine_(engine),
        network_(network),
        costs_(costs),
        sharing_(options.sharing),
        paths_(network),
        queue_(network),
        shares_(network) {}

  void launch(std::uint32_t flight, double time_s) { events_.push(time_s, flight); }
  void at(double time_s, Happening what, std::uint32_t index) {
    events_.push(time_s, static_cast<std::uint32_t>(what) << happening_shift | index);
  }
  double now_s() const { return now_s_; }
  // When the last byte of a put or of what was got has left, if the first may leave at time_s.
  double drained_s(const Flight& flight, double time_s) {
    const double byte_s = costs_.put_get->put_msg_time;
    const auto bytes = static_cast<double>(flight.bytes);
    if (sharing_ == Sharing::none) return time_s + byte_s * bytes;
    route(flight, true);
    const double begin_s = queue_.pass(route_, flight.bytes, time_s);
    return begin_s + bytes * queue_.slowest(route_, byte_s);
  }

  // Looks at what comes next in time; false when there is nothing.
  bool next_event() {
    const bool fair = sharing_ == Sharing::max_min;
    const bool at_present = !events_.empty() && events_.top().time_s <= shares_.now_s();
    const double end_s = fair && !at_present ? shares_.next_end_s() : INFINITY;
    if (events_.empty() && std::isinf(end_s)) return false;
    if (!events_.empty() && events_.top().time_s < end_s) {
      const EventQueue::Event event = events_.pop();
      now_s_ = event.time_s;
      if (const std::uint32_t what = event.flight >> happening_shift; what != 0)
        engine_.happen(static_cast<Happening>(what), event.flight & index_mask, event.time_s);
      else
        fair ? start_flow(event) : pass(event);
      return true;
    }
    for (const std::uint32_t flight : shares_.advance(end_s)) end_flow(flight, end_s);
    return true;
  }

 private:
  double own_gap(const Flight& flight, const Path& way) const {
    return flight.bytes > 1 ? way.level->of(flight.bytes).gap_per_byte_s : 0.0;
  }
  static double steps(const Flight& flight) {
    return flight.bytes > 1 ? static_cast<double>(flight.bytes - 1) : 0.0;
  }

  // The flight's path; its links are in route_ when they are shared.
  Path route(const Flight& flight, bool shared) {
    route_.clear();
    if (flight.from == flight.to || !shared) return paths_.between(flight.from, flight.to);
    return network_.route(flight.from, flight.to, route_);
  }

  void pass(const EventQueue::Event& event) {
    const Flight& flight = engine_.flight(event.flight);
    const Path way = route(flight, sharing_ != Sharing::none);
    const double begin_s = queue_.pass(route_, flight.bytes, event.time_s);
    const double moving_s = steps(flight) * queue_.slowest(route_, own_gap(flight, way));
    const SizeClass& costs = way.level->of(flight.bytes);
    const double drained_s = begin_s + std::max(moving_s + costs.offset_s, 0.0);
    if (flight.direct) return engine_.arrived(event.flight, event.time_s, event.time_s);
    const bool message = flight.what == Flight::What::message;
    engine_.arrived(event.flight, drained_s,
                    message ? arrival(event.time_s, drained_s, way, costs, flight.from == flight.to,
                                      flight.bytes)
                            : drained_s + way.latency_s);
  }

  void start_flow(const EventQueue::Event& event) {
    shares_.go_on(event.time_s);
    const Flight& flight = engine_.flight(event.flight);
    const double gap = own_gap(flight, route(flight, true));
    if (flight.bytes <= 1 || (gap == 0 && route_.empty()))
      return end_flow(event.flight, event.time_s);
    shares_.start(event.flight, route_, steps(flight), gap > 0 ? 1.0 / gap : INFINITY);
  }

  void end_flow(std::uint32_t index, double time_s) {
    const Flight& flight = engine_.flight(index);
    const Path way = paths_.between(flight.from, flight.to);
    if (flight.what != Flight::What::message || flight.direct)
      return engine_.arrived(index, time_s, flight.direct ? time_s : time_s + way.latency_s);
    engine_.arrived(index, time_s,
                    arrival(time_s, time_s, way, way.level->of(flight.bytes),
                            flight.from == flight.to, flight.bytes));
  }

  Engine<Ordered>& engine_;
  const Network& network_;
  const Costs& costs_;
  const Sharing sharing_;
  const Paths paths_;
  EventQueue events_;
  LinkQueue queue_;
  FairShares shares_;
  std::vector<std::uint32_t> route_;
  static constexpr std::uint32_t index_mask = (1U << happening_shift) - 1;
  double now_s_ = 0;
};

}  // namespace

Result time_ordered(const schedule::Schedule& schedule, const Network& network, const Costs& costs,
                    const Options& options, Recorder* recorder) {
  const bool plain = recorder == nullptr && !costs.put_get && !is_disturbed(network, options) &&
                     !options.noise.calls;
  if (plain) return Engine<Ordered<true>>(schedule, network, costs, options, recorder).run();
  return Engine<Ordered<false>>(schedule, network, costs, options, recorder).run();
}

}  // namespace hakaru::replay
