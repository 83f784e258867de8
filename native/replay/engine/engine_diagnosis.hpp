// What to say when nothing can progress, or something is left over.
#pragma once

#include <fmt/core.h>
#include <fmt/format.h>

#include "native/base/require.hpp"
#include "native/replay/engine/engine.hpp"

namespace hakaru::replay {

template <class Timing>
void Engine<Timing>::misused(const Actor& self, const char* doing, const char* why) const {
  throw base::UserError(base::ExitCode::usage,
                        base::explain(fmt::format("rank {} {} ({})", self.rank, doing,
                                                  call_text(schedule_, *self.operation, self.rank)),
                                      why, "the schedule is inconsistent"));
}

template <class Timing>
std::string Engine<Timing>::blocked_on(const Actor& self, std::int32_t& waits_for) const {
  using schedule::Kind;
  const Operation& operation = *self.operation;
  const std::string call = call_text(schedule_, operation, self.rank);
  waits_for = -1;
  if (inside_steps(self.stage)) {
    Exchange exchange;
    if (self.steps != nullptr && self.steps(call_of(self), self.step, exchange)) {
      const bool sending = self.waiting == Waiting::sends || exchange.receive_from < 0;
      waits_for = self.group.world(sending ? exchange.send_to : exchange.receive_from);
      return fmt::format("{} (waits for rank {} inside it)", call, waits_for);
    }
    return call;
  }
  if (self.stage == Stage::together)
    return fmt::format("{} (not all ranks of the communicator have come)", call);
  if (operation.kind == Kind::wait) {
    const std::uint32_t awaited =
        requests_.index(static_cast<std::size_t>(self.rank), operation.request);
    const Request& request = requests_[awaited];
    if (request.state == Request::State::free) return call + ", which no thread has started";
    if (request.kind == Request::Kind::thread) {
      for (const Actor& helper : helpers_)
        if (helper.thread != none && helper.request == awaited && helper.operation != nullptr)
          return fmt::format("{} for a thread: {}", call, blocked_on(helper, waits_for));
      return call + " for a thread";
    }
    waits_for = request.kind == Request::Kind::collective ? -1 : peer(self, *request.operation);
    return fmt::format("{} for {}", call, call_text(schedule_, *request.operation, self.rank));
  }
  if (operation.kind == Kind::start || operation.kind == Kind::wait_exposure) {
    const auto epoch = epochs_.find({self.rank, operation.communicator});
    const std::vector<std::int64_t>* partners =
        operation.kind == Kind::start ? epoch->second.started : epoch->second.posted;
    waits_for = static_cast<std::int32_t>((*partners)[self.step]);
    return fmt::format("{} (waits for rank {})", call, waits_for);
  }
  if (operation.kind == Kind::send || operation.kind == Kind::receive ||
      operation.kind == Kind::probe)
    waits_for = peer(self);
  return call;
}

template <class Timing>
void Engine<Timing>::require_finished() {
  if (finished_ == ranks_) return;
  constexpr std::size_t most_named = 10;
  std::vector<std::int32_t> waits_for(ranks_, -1);
  std::string named;
  std::size_t blocked = 0;
  for (const Actor& one : actors_) {
    if (one.waiting == Waiting::finished) continue;
    const std::string text = blocked_on(one, waits_for[static_cast<std::size_t>(one.rank)]);
    if (blocked++ < most_named) named += fmt::format("\n  rank {}: {}", one.rank, text);
  }
  if (blocked > most_named) named += fmt::format("\n  and {} more", blocked - most_named);
  // Follow who waits for whom until a rank comes up again.
  std::vector<std::uint32_t> seen(ranks_, 0);
  std::string cycle;
  for (std::uint32_t start = 0; start < ranks_ && cycle.empty(); ++start) {
    std::int64_t at = start;
    while (at >= 0 && seen[static_cast<std::size_t>(at)] == 0 &&
           actors_[static_cast<std::size_t>(at)].waiting != Waiting::finished) {
      seen[static_cast<std::size_t>(at)] = start + 1;
      at = waits_for[static_cast<std::size_t>(at)];
    }
    if (at < 0 || seen[static_cast<std::size_t>(at)] != start + 1) continue;
    const std::int64_t first = at;
    std::size_t length = 0;
    do {
      if (length++ < most_named) cycle += fmt::format("{} -> ", at);
      at = waits_for[static_cast<std::size_t>(at)];
    } while (at != first);
    if (length > most_named) cycle += "... -> ";
    cycle += fmt::format("{}", first);
  }
  if (!cycle.empty()) named += fmt::format("\n  they wait for each other: {}", cycle);
  std::string partly;
  groups_.for_each_open([&](std::uint32_t family, std::uint32_t group, const Instance& one) {
    if (partly.size() < 500 && one.operation != nullptr)
      partly += fmt::format("\n  {} of {} ranks of communicator '{}' (group {}) have called {}",
                            one.arrived, groups_.size(family, group),
                            schedule_.communicators[family].name, group,
                            call_text(schedule_, *one.operation, one.first_rank));
  });
  throw base::UserError(
      base::ExitCode::usage,
      fmt::format(
          "the program cannot progress ({} of {} ranks are blocked); see what each waits for:{}{}",
          blocked, ranks_, named, partly));
}

template <class Timing>
void Engine<Timing>::require_nothing_left() {
  constexpr std::size_t most_named = 10;
  std::size_t left = 0;
  std::string named;
  const auto add = [&](const std::string& text) {
    if (left++ < most_named) named += "\n  " + text;
  };
  for (const Actor& one : actors_) {
    matching_.for_each(one.inbox, [&](const Entry& entry) {
      const std::uint32_t family = entry.channel() >> 3U;
      const auto traffic = static_cast<Traffic>(entry.channel() & 7U);
      const char* what = entry.kind() == EntryKind::receive
                             ? "a receive was posted that nobody sent to"
                         : traffic == Traffic::message ? "a message was sent and not received"
                                                       : "ranks disagree on a collective";
      add(fmt::format("{}: from rank {} to rank {}, tag {}, communicator '{}'", what, entry.source,
                      one.rank, entry.tag, schedule_.communicators[family].name));
    });
    requests_.for_each(one.index, [&](std::uint32_t number, const Request& request) {
      if ((request.kind == Request::Kind::collective || request.kind == Request::Kind::thread) &&
          request.state != Request::State::done)
        add(fmt::format("rank {}: {} (request {}) never ends", one.rank,
                        call_text(schedule_, *request.operation, one.rank), number));
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
