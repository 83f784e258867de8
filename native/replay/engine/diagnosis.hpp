// What to say when nothing can progress, or something is left over.
#pragma once

#include <fmt/core.h>
#include <fmt/format.h>

#include "native/base/require.hpp"
#include "native/replay/engine/windows.hpp"

namespace hakaru::replay {

template <class Timing>
class Diagnosis {
 public:
  Diagnosis(const Given<Timing>& given, const Ranks<Timing>& ranks,
            const Transport<Timing>& transport, const Groups& groups,
            const Windows<Timing>& windows)
      : schedule_(given.schedule),
        ranks_(ranks),
        transport_(transport),
        groups_(groups),
        windows_(windows) {}

  // Throws UserError(usage): some ranks have not come to their ends.
  [[noreturn]] void explain_blocked() const;
  // Throws UserError(usage) when messages, receives or requests are left.
  void require_nothing_left() const;

 private:
  using Operation = schedule::Operation;
  static constexpr std::size_t most_named = 10;
  static constexpr auto never_sent = "a receive was posted that nobody sent to";
  static constexpr auto never_received = "a message was sent and not received";

  // What the actor waits for, and for which rank, or -1.
  std::string blocked_on(const Actor& actor, std::int32_t& waits_for) const;
  std::string inside_collective(const Actor& actor, std::int32_t& waits_for) const;
  std::string in_wait(const Actor& actor, std::int32_t& waits_for) const;
  // "1 -> 2 -> 1", or nothing.
  std::string cycle(const std::vector<std::int32_t>& waits_for) const;
  std::string half_called() const;
  std::string left_over(const Actor& rank, const Entry& entry) const;
  std::string left_over(const char* what, std::int32_t from, std::int32_t to, std::int32_t tag,
                        std::uint32_t communicator) const;
  std::string call(const Actor& actor, const Operation& operation) const {
    return call_text(schedule_, operation, actor.rank);
  }
  std::int32_t peer(const Actor& actor, const Operation& operation) const {
    return schedule::peer_of(operation, actor.rank, schedule_.ranks);
  }
  bool finished(std::int64_t rank) const {
    return ranks_.of(static_cast<std::int32_t>(rank)).waiting == Waiting::finished;
  }

  const schedule::Schedule& schedule_;
  const Ranks<Timing>& ranks_;
  const Transport<Timing>& transport_;
  const Groups& groups_;
  const Windows<Timing>& windows_;
};

template <class Timing>
std::string Diagnosis<Timing>::inside_collective(const Actor& self, std::int32_t& waits_for) const {
  const std::string text = call(self, *self.operation);
  Exchange exchange;
  if (self.steps == nullptr || !self.steps(call_of(self), self.step, exchange)) return text;
  const bool sending = self.waiting == Waiting::sends || exchange.receive_from < 0;
  waits_for = self.group.world(sending ? exchange.send_to : exchange.receive_from);
  return fmt::format("{} (waits for rank {} inside it)", text, waits_for);
}

template <class Timing>
std::string Diagnosis<Timing>::in_wait(const Actor& self, std::int32_t& waits_for) const {
  const std::string text = call(self, *self.operation);
  const Requests& requests = ranks_.requests();
  const std::uint32_t awaited =
      requests.index(static_cast<std::size_t>(self.rank), self.operation->request);
  const Request& request = requests[awaited];
  if (request.state == Request::State::free) return text + ", which no thread has started";
  if (request.kind == Request::Kind::thread) {
    for (const Actor& helper : ranks_.helpers())
      if (helper.thread != none && helper.request == awaited && helper.operation != nullptr)
        return fmt::format("{} for a thread: {}", text, blocked_on(helper, waits_for));
    return text + " for a thread";
  }
  waits_for = request.kind == Request::Kind::collective ? -1 : peer(self, *request.operation);
  return fmt::format("{} for {}", text, call(self, *request.operation));
}

template <class Timing>
std::string Diagnosis<Timing>::blocked_on(const Actor& self, std::int32_t& waits_for) const {
  using schedule::Kind;
  waits_for = -1;
  if (inside_steps(self.stage)) return inside_collective(self, waits_for);
  const Operation& operation = *self.operation;
  const std::string text = call(self, operation);
  if (self.stage == Stage::together)
    return fmt::format("{} (not all ranks of the communicator have come)", text);
  switch (operation.kind) {
    case Kind::wait:
      return in_wait(self, waits_for);
    case Kind::start:
    case Kind::wait_exposure:
      waits_for = static_cast<std::int32_t>(windows_.partners(self)[self.step]);
      return fmt::format("{} (waits for rank {})", text, waits_for);
    case Kind::send:
    case Kind::receive:
    case Kind::probe:
      waits_for = peer(self, operation);
      return text;
    default:
      return text;
  }
}

// Follows who waits for whom until a rank comes up again.
template <class Timing>
std::string Diagnosis<Timing>::cycle(const std::vector<std::int32_t>& waits_for) const {
  const auto next = [&](std::int64_t rank) { return waits_for[static_cast<std::size_t>(rank)]; };
  std::vector<std::uint32_t> seen(waits_for.size(), 0);
  for (std::uint32_t start = 0; start < waits_for.size(); ++start) {
    std::int64_t at = start;
    while (at >= 0 && seen[static_cast<std::size_t>(at)] == 0 && !finished(at)) {
      seen[static_cast<std::size_t>(at)] = start + 1;
      at = next(at);
    }
    if (at < 0 || seen[static_cast<std::size_t>(at)] != start + 1) continue;
    const std::int64_t first = at;
    std::size_t length = 0;
    std::string text;
    do {
      if (length++ < most_named) text += fmt::format("{} -> ", at);
      at = next(at);
    } while (at != first);
    return text + (length > most_named ? "... -> " : "") + fmt::format("{}", first);
  }
  return "";
}

template <class Timing>
std::string Diagnosis<Timing>::half_called() const {
  std::string text;
  groups_.for_each_open([&](std::uint32_t family, std::uint32_t group, const Instance& one) {
    if (text.size() < 500 && one.operation != nullptr)
      text += fmt::format("\n  {} of {} ranks of communicator '{}' (group {}) have called {}",
                          one.arrived, groups_.size(family, group),
                          schedule_.communicators[family].name, group,
                          call_text(schedule_, *one.operation, one.first_rank));
  });
  return text;
}

template <class Timing>
void Diagnosis<Timing>::explain_blocked() const {
  std::vector<std::int32_t> waits_for(ranks_.count(), -1);
  std::string named;
  std::size_t blocked = 0;
  for (std::int32_t rank = 0; rank < schedule_.ranks; ++rank) {
    if (finished(rank)) continue;
    const std::string text = blocked_on(ranks_.of(rank), waits_for[static_cast<std::size_t>(rank)]);
    if (blocked++ < most_named) named += fmt::format("\n  rank {}: {}", rank, text);
  }
  if (blocked > most_named) named += fmt::format("\n  and {} more", blocked - most_named);
  if (const std::string round = cycle(waits_for); !round.empty())
    named += fmt::format("\n  they wait for each other: {}", round);
  throw base::UserError(
      base::ExitCode::usage,
      fmt::format(
          "the program cannot progress ({} of {} ranks are blocked); see what each waits for:{}{}",
          blocked, ranks_.count(), named, half_called()));
}

template <class Timing>
std::string Diagnosis<Timing>::left_over(const Actor& rank, const Entry& entry) const {
  const auto traffic = static_cast<Traffic>(entry.channel() & 7U);
  const char* what = entry.kind() == EntryKind::receive ? never_sent
                     : traffic == Traffic::message      ? never_received
                                                        : "ranks disagree on a collective";
  return left_over(what, entry.source, rank.rank, entry.tag, entry.channel() >> 3U);
}

template <class Timing>
std::string Diagnosis<Timing>::left_over(const char* what, std::int32_t from, std::int32_t to,
                                         std::int32_t tag, std::uint32_t communicator) const {
  return fmt::format("{}: from rank {} to rank {}, tag {}, communicator '{}'", what, from, to, tag,
                     schedule_.communicators[communicator].name);
}

template <class Timing>
void Diagnosis<Timing>::require_nothing_left() const {
  std::size_t left = 0;
  std::string named;
  const auto add = [&](const std::string& text) {
    if (left++ < most_named) named += "\n  " + text;
  };
  for (std::int32_t rank = 0; rank < schedule_.ranks; ++rank) {
    const Actor& one = ranks_.of(rank);
    ranks_.requests().for_each_early(one.index, [&](const Early& early) {
      const Operation& sent = schedule_.stream(early.from)[early.operation];
      add(left_over(never_received, early.from, rank, sent.tag, sent.communicator));
    });
    transport_.matching().for_each(one.inbox,
                                   [&](const Entry& entry) { add(left_over(one, entry)); });
    ranks_.requests().for_each(one.index, [&](std::uint32_t number, const Request& request) {
      if (request.paired && request.state == Request::State::started)
        add(left_over(never_sent, peer(one, *request.operation), rank, request.operation->tag,
                      request.operation->communicator));
      if ((request.kind == Request::Kind::collective || request.kind == Request::Kind::thread) &&
          request.state != Request::State::done)
        add(fmt::format("rank {}: {} (request {}) never ends", rank, call(one, *request.operation),
                        number));
    });
  }
  if (left == 0) return;
  if (left > most_named) named += fmt::format("\n  and {} more", left - most_named);
  throw base::UserError(
      base::ExitCode::usage,
      fmt::format("something is left over at the end ({} of it); the schedule is inconsistent:{}",
                  left, named));
}

}  // namespace hakaru::replay
