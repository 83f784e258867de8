#include "native/trace/reader/rank_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "native/base/require.hpp"
#include "native/trace/own_names.hpp"

namespace hakaru::trace {

using schedule::Kind;
using schedule::Operation;

namespace {
// Beyond these a number is damage.
constexpr double most_cost_s = 1;
constexpr std::uint64_t owed_calls = 8;           // whose work of the tracer may be taken off later
constexpr std::uint64_t events_of_operation = 2;  // at least, of most programs
constexpr std::uint64_t most_ticks = 1ull << 62;

Operation nothing_in(std::uint16_t phase) {
  Operation nothing;
  nothing.kind = Kind::compute;
  nothing.seconds = 0;
  nothing.phase = phase;
  return nothing;
}
}  // namespace

void require_numbered(std::size_t phases) {
  base::require(phases <= schedule::no_phase, "the trace has too many phases",
                fmt::format("more than {}", schedule::no_phase),
                "read it with phases of user regions only");
}

std::uint16_t Shared::phase(const Region& region) {
  const auto known = phase_of_name.find(region.name);
  if (known != phase_of_name.end()) return known->second;
  require_numbered(phases.size() + 1);
  phases.push_back({region.name, region.phase_kind});
  return phase_of_name[region.name] = static_cast<std::uint16_t>(phases.size() - 1);
}

std::int32_t Shared::list(const std::vector<std::int64_t>& values) {
  const auto [place, fresh] =
      list_of_values.try_emplace(values, static_cast<std::int32_t>(lists.size()));
  if (fresh) lists.push_back(values);
  return place->second;
}

std::uint32_t Shared::self_family() {
  std::vector<schedule::CommunicatorFamily>& families = definitions.families;
  for (std::size_t i = 0; i < families.size(); ++i) {
    if (families[i].self) return static_cast<std::uint32_t>(i);
  }
  families.push_back({"self", {}, true});
  return static_cast<std::uint32_t>(families.size() - 1);
}

std::uint32_t Shared::window_family(std::uint32_t family, std::uint32_t slot, bool created) {
  if (slot == 0 && !created) return family;
  std::vector<schedule::CommunicatorFamily>& families = definitions.families;
  const auto [place, fresh] = window_families.try_emplace(
      {family, slot, created}, static_cast<std::uint32_t>(families.size()));
  if (fresh) {
    schedule::CommunicatorFamily copy = families[family];
    copy.name += fmt::format(" {}window {}", created ? "created " : "", slot + 1);
    copy.created_windows = created;
    if (copy.groups.empty() && !copy.self) {
      copy.groups.emplace_back();
      for (std::int32_t rank = 0; rank < definitions.ranks(); ++rank)
        copy.groups[0].push_back(rank);
    }
    families.push_back(std::move(copy));
  }
  return place->second;
}

RankBuilder::RankBuilder(Shared& shared, std::int32_t rank)
    : shared_(shared),
      definitions_(shared.definitions),
      rank_(rank),
      polling_gap_(polling_gap_ticks(shared.definitions)) {
  result_.host = definitions_.hosts[static_cast<std::size_t>(rank)];
  stream_.swap(shared.spare_stream);
  times_.swap(shared.spare_times);
  stream_.clear();
  times_.clear();
  stream_.reserve(own_location().events / events_of_operation);
  read_costs();
}

const Location& RankBuilder::own_location() const {
  return definitions_.locations[definitions_.location_of_rank[static_cast<std::size_t>(rank_)]];
}

// What hakaru's own tracer says of itself, by the name of the call.
void RankBuilder::read_costs() {
  for (const auto& [name, value] : own_location().properties) {
    if (name == property::inside_ns) inside_ = ticks_of("the inside of a call", value);
    if (!name.starts_with(property::cost_ns)) continue;
    const auto& names = definitions_.region_names;
    const auto place = std::find(names.begin(), names.end(), name.substr(property::cost_ns.size()));
    if (place == names.end()) continue;
    costs_.resize(names.size());
    const std::uint64_t ticks = ticks_of(*place, value);
    costs_[static_cast<std::size_t>(place - names.begin())] = ticks;
    most_owed_ = std::max(most_owed_, owed_calls * ticks);
  }
}

std::uint64_t RankBuilder::ticks_of(const std::string& what, const std::string& ns) const {
  const double seconds = 1e-9 * std::strtod(ns.c_str(), nullptr);
  if (!(seconds >= 0 && seconds < most_cost_s))
    impossible(fmt::format("{} took the tracer {:g} s", what, seconds));
  return static_cast<std::uint64_t>(seconds * definitions_.ticks_per_second + 0.5);
}

std::uint64_t RankBuilder::ticks_before(std::uint64_t ns, const char* what) const {
  constexpr std::uint64_t most_ns = 1'000'000'000'000;
  if (ns > most_ns) impossible(fmt::format("{} for {} ns before one call", what, ns));
  return static_cast<std::uint64_t>(1e-9 * static_cast<double>(ns) * definitions_.ticks_per_second);
}

// Sensing is no computing of the program's. What several calls before the next operation found adds
// up.
void RankBuilder::sensed(const Attributes& attributes) {
  if (attributes.sensed_ns == 0) return;
  const std::uint64_t ticks = ticks_before(attributes.sensed_ns, "caches were sensed");
  cold_s_ = std::max(cold_s_, 0.0f) + 1e-9f * static_cast<float>(attributes.cold_ns);
  take_out(ticks);
}

void RankBuilder::take_out(std::uint64_t ticks) {
  if (!shared_.options.tracing) compute_since_ += ticks;
  tracers_ticks_ += ticks;
}

void RankBuilder::impossible(const std::string& what) const {
  throw base::UserError(
      base::ExitCode::usage,
      base::explain(fmt::format("the events of rank {} cannot be true", rank_), what,
                    "trace the program again, or give an archive that otf2-print can read"));
}

double RankBuilder::seconds_at(std::uint64_t time) const {
  return (static_cast<double>(time) - static_cast<double>(definitions_.time_offset)) /
         definitions_.ticks_per_second;
}

void RankBuilder::advance(std::uint64_t time) {
  if (!started_) {
    started_ = true;
    begin_ = now_ = compute_since_ = burst_begin_ = time;
  }
  if (time < now_) {
    if (merged_) return;
    impossible(fmt::format("time goes back from {} to {} ticks", now_, time));
  }
  now_ = time;
}

void RankBuilder::enter(std::uint64_t time, std::uint32_t reference, const Attributes& attributes) {
  advance(time);
  time = now_;
  if (call_ != nullptr) {
    ++nested_;
    return;
  }
  const Region* region = definitions_.regions.find(reference);
  if (region == nullptr) impossible(fmt::format("region {} is not defined", reference));
  sensed(attributes);
  if (region->mpi) {
    call_ = region;
    call_reference_ = reference;
    call_enter_ = call_begin_ = time;
    call_has_operations_ = false;
    tested_ = completed_ = Polling::unknown;
    // In front of the call: a rank that waits there anyway loses nothing. The run neither has what
    // is before the end of MPI_Init nor what is after the beginning of MPI_Finalize.
    if (shared_.options.inside && attributes.delayed_ns > 0 &&
        call_->call.kind != CallKind::environment)
      compute_ticks_ += ticks_before(attributes.delayed_ns, "others had the processor");
  } else if (region->phase) {
    place_compute(now_);
    compute_from(now_);
    const std::uint16_t phase = shared_.phase(*region);
    phases_.emplace_back(reference, phase);
    Operation mark;
    mark.kind = Kind::phase_begin;
    place(mark);
  }
}

void RankBuilder::leave(std::uint64_t time, std::uint32_t reference, const Attributes& attributes) {
  advance(time);
  time = now_;
  if (call_ != nullptr) {
    if (nested_ > 0) {
      --nested_;
      return;
    }
    if (reference != call_reference_)
      impossible(fmt::format("region {} is left inside {}", reference, call_->name));
    if (attributes.has_probe) {
      place(message(Kind::probe, attributes.probe_source, attributes.probe_communicator,
                    static_cast<std::uint32_t>(attributes.probe_tag), attributes.probe_bytes));
    }
    if (!call_has_operations_) {
      silent_call(time);
    } else {
      if (call_->call.kind == CallKind::send_receive) split_send_receive();
      if (!result_.making.empty() && result_.making.back().computing + 1 >= call_first_) {
        result_.making.back().begin_s = seconds_at(call_enter_);
        result_.making.back().end_s = seconds_at(time);
      }
      if (shared_.options.times) {
        std::uint32_t part = 0;
        for (std::size_t i = call_first_; i < stream_.size(); ++i) {
          times_[i] = {seconds_at(call_begin_), seconds_at(time), call_->index, part++};
        }
      }
      compute_from(time);
      compute_after_call(time);
    }
    call_ = nullptr;
    return;
  }
  const Region* region = definitions_.regions.find(reference);
  if (region == nullptr) impossible(fmt::format("region {} is not defined", reference));
  if (region->mpi) impossible(region->name + " is left but was not entered");
  if (region->phase) {
    if (phases_.empty() || phases_.back().first != reference)
      impossible("region " + region->name + " is left but was not entered last");
    sensed(attributes);
    place_compute(now_);
    compute_from(now_);
    Operation mark;
    mark.kind = Kind::phase_end;
    place(mark);
    phases_.pop_back();
  }
}

void RankBuilder::silent_call(std::uint64_t leave) {
  SilentCall& silent = silent_[call_->index];
  silent.call = call_->index;
  ++silent.calls;
  silent.seconds += static_cast<double>(leave - call_enter_) / definitions_.ticks_per_second;
  if (call_->call.kind == CallKind::environment && call_->name.starts_with("MPI_Init"))
    result_.initialised_s = seconds_at(leave);
  if (shared_.options.silent_times)
    result_.silent_at.push_back({seconds_at(call_enter_), seconds_at(leave), call_->index, 0});
  if (call_->call.kind == CallKind::test) return poll(silent, leave);
  if (computes(call_->call.kind)) {
    take_out(inside_ + cost_of(*call_));
    return;
  }
  polling_.active = false;
  compute_ticks_ += computed(call_enter_);
  compute_after_call(leave);
}

void RankBuilder::compute_after_call(std::uint64_t leave) {
  compute_since_ = leave;
  take_out(cost_of(*call_));
  if (!shared_.options.inside) return;
  const std::uint64_t inside = std::min(inside_, leave - call_begin_);
  compute_since_ -= inside;
  tracers_ticks_ += inside;
}

std::uint64_t RankBuilder::cost_of(const Region& call) const {
  return call.index < costs_.size() ? costs_[call.index] : 0;
}

std::uint64_t RankBuilder::computed(std::uint64_t until) {
  if (until < compute_since_) {
    owed_ticks_ = std::min(owed_ticks_ + (compute_since_ - until), most_owed_);
    return 0;
  }
  const std::uint64_t paid = std::min(until - compute_since_, owed_ticks_);
  owed_ticks_ -= paid;
  return until - compute_since_ - paid;
}

void RankBuilder::compute_from(std::uint64_t time) { compute_since_ = burst_begin_ = time; }

void RankBuilder::flush(std::uint64_t begin, std::uint64_t end) {
  advance(begin);
  if (end < begin || end - begin > most_ticks)
    impossible(fmt::format("a buffer was flushed from {} to {} ticks", begin, end));
  if (call_ == nullptr) take_out(end - begin);
}

void RankBuilder::place_compute(std::uint64_t until) {
  polling_.active = false;
  const std::uint64_t ticks = compute_ticks_ + computed(until);
  compute_ticks_ = 0;
  const std::uint64_t tracers = std::min(std::exchange(tracers_ticks_, 0), ticks);
  if (ticks == 0) return;
  Operation burst;
  burst.kind = Kind::compute;
  burst.seconds = static_cast<double>(ticks) / definitions_.ticks_per_second;
  burst.cold_s = std::exchange(cold_s_, -1.0f);
  if (shared_.options.inside)
    burst.tag = static_cast<std::int32_t>(
        std::min(1e9 * static_cast<double>(tracers) / definitions_.ticks_per_second, 1e9));
  burst.phase = phases_.empty() ? schedule::no_phase : phases_.back().second;
  stream_.push_back(burst);
  if (shared_.options.times)
    times_.push_back({seconds_at(burst_begin_), seconds_at(until), no_call, 0});
}

// Operations inside an MPI call get its times when it is left.
void RankBuilder::place(Operation operation) {
  const bool mark = operation.kind == Kind::phase_begin || operation.kind == Kind::phase_end;
  if (forking_) refuse_beside(operation.kind);
  if (call_ != nullptr && !call_has_operations_) {
    if (ends_polling(operation)) take_polls();
    place_compute(call_begin_);
    call_first_ = stream_.size();
    call_has_operations_ = true;
  } else if (call_ == nullptr && !mark) {
    place_compute(now_);
    compute_from(now_);
  }
  operation.phase = phases_.empty() ? schedule::no_phase : phases_.back().second;
  if (merged_) note_posted(operation.kind);
  stream_.push_back(operation);
  if (shared_.options.times) times_.push_back({seconds_at(now_), seconds_at(now_), no_call, 0});
}

// The computing before it is there, if without seconds.
void RankBuilder::place_making(const Operation& barrier) {
  place(barrier);
  if (!shared_.options.making || merged_ || call_ == nullptr) return;
  const std::size_t at = stream_.size() - 1;
  const std::uint16_t phase = stream_[at].phase;
  const bool computed =
      at > 0 && stream_[at - 1].kind == Kind::compute && stream_[at - 1].phase == phase;
  if (!computed) {
    stream_.insert(stream_.end() - 1, nothing_in(phase));
    if (shared_.options.times) times_.push_back(times_.back());
  }
  result_.making.push_back({computed ? at - 1 : at, 0, 0});
}

// Both messages at once, in the form of schedule::RankWriter::send_receive: the receive is posted,
// the send blocks, the receive is waited for.
void RankBuilder::split_send_receive() {
  std::size_t send = stream_.size(), receive = stream_.size();
  for (std::size_t i = call_first_; i < stream_.size(); ++i) {
    if (stream_[i].kind == Kind::send) send = i;
    if (stream_[i].kind == Kind::receive) receive = i;
  }
  if (send == stream_.size() || receive == stream_.size()) return;
  const std::int32_t request = take_request();
  beside_ = false;
  stream_[receive].kind = Kind::ireceive;
  stream_[receive].request = request;
  if (send < receive) std::swap(stream_[send], stream_[receive]);
  add_wait(request);
}

void RankBuilder::add_wait(std::int32_t request) {
  Operation wait;
  wait.kind = Kind::wait;
  wait.request = request;
  place(wait);
  release(request);
}

void RankBuilder::make_void(std::uint64_t place) {
  Operation& operation = operation_at(place);
  operation = nothing_in(operation.phase);
}

// What happens while recording is off is no computation.
void RankBuilder::recording(std::uint64_t time, bool on) {
  advance(time);
  if (!on) {
    place_compute(now_);
    result_.unrecorded_from_s = seconds_at(time);
  }
  if (on && result_.unrecorded_from_s >= 0) {
    result_.unrecorded_s += seconds_at(time) - result_.unrecorded_from_s;
    result_.unrecorded_from_s = -1;
  }
  compute_from(now_);
}

void RankBuilder::program_end(std::uint64_t time) {
  advance(time);
  ended_ = true;
}

void RankBuilder::finish() {
  const Location& location = own_location();
  result_.events += location.events;
  result_.begin_s = started_ ? seconds_at(begin_) : 0;
  result_.end_s = started_ ? seconds_at(now_) : 0;
  result_.initialised_s = std::max(result_.initialised_s, result_.begin_s);
  if (call_ != nullptr) {
    result_.open_call = call_->name;
    result_.ended = "inside " + call_->name;
    // What this call did before the end is not known to be all it does.
    if (call_has_operations_) {
      for (std::size_t i = call_first_; i < stream_.size(); ++i) {
        if (stream_[i].kind == Kind::send || stream_[i].kind == Kind::receive) make_void(i);
      }
    }
    call_ = nullptr;
    compute_since_ = now_;
  }
  place_compute(now_);
  compute_since_ = now_;
  if (!phases_.empty() && result_.ended.empty()) result_.ended = "inside a region";
  while (!phases_.empty()) {
    Operation mark;
    mark.kind = Kind::phase_end;
    place(mark);
    phases_.pop_back();
  }
  if (forked_.empty()) posted_.clear();
  requests_.each([&](const OpenRequest& open) {
    if (operation_at(open.operation).kind != Kind::isend) make_void(open.operation);
  });
  std::uint64_t freed = 0;  // by MPI_Request_free: they complete unseen
  for (const auto& [name, value] : location.properties) {
    if (name == property::ended && value != "finalized") result_.ended = value;
    if (name == property::open_call) result_.open_call = value;
    const std::uint64_t number = std::strtoull(value.c_str(), nullptr, 10);
    if (name == property::freed_requests) freed = number;
    if (name == property::memory_bytes) result_.memory_bytes = number;
    if (name == property::long_bytes) result_.long_bytes = number;
    if (name == property::large_page_bytes) result_.large_page_bytes = number;
    if (name.starts_with(property::uncovered))
      result_.uncovered.push_back({name.substr(property::uncovered.size()), number});
  }
  result_.unfinished_requests = requests_.size() - std::min<std::uint64_t>(freed, requests_.size());
  if (unblocked_between_groups_ > 0)
    result_.uncovered.push_back(
        {"collectives with another group that do not block", unblocked_between_groups_});
  result_.complete = result_.ended.empty();
  for (const auto& [index, silent] : silent_) result_.silent.push_back(silent);
  std::sort(result_.silent.begin(), result_.silent.end(),
            [](const SilentCall& a, const SilentCall& b) { return a.call < b.call; });
}

}  // namespace hakaru::trace
