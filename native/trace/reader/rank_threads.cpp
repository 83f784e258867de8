// Threads of a rank that call MPI at once: lanes of the builder, each with a stream.
#include <fmt/format.h>

#include "native/base/require.hpp"
#include "native/trace/reader/rank_builder.hpp"

namespace hakaru::trace {

using schedule::Kind;
using schedule::Operation;

namespace {

bool one_sided(Kind kind) { return kind >= Kind::put && kind <= Kind::flag_wait; }

}  // namespace

RankBuilder::Written& RankBuilder::written(std::uint64_t stream) {
  return stream == 0 ? main_ : forked_[static_cast<std::size_t>(stream - 1)];
}

// Puts the state of the builder into the lane, and the lane's into the builder.
void RankBuilder::exchange(Lane& lane) {
  Written& kept = written(lane.stream);
  kept.stream.swap(stream_);
  kept.times.swap(times_);
  std::swap(lane.now, now_);
  std::swap(lane.compute_since, compute_since_);
  std::swap(lane.compute_ticks, compute_ticks_);
  std::swap(lane.owed_ticks, owed_ticks_);
  std::swap(lane.burst_begin, burst_begin_);
  std::swap(lane.polling, polling_);
  std::swap(lane.free_requests, free_requests_);
}

void RankBuilder::use_lane(std::size_t number) {
  if (number == lane_) return;
  exchange(lanes_[lane_]);
  lane_ = number;
  lane_stream_ = lanes_[number].stream;
  exchange(lanes_[number]);
}

void RankBuilder::fork(std::uint64_t time, std::size_t threads) {
  advance(time);
  place_compute(now_);
  compute_from(now_);
  lanes_.assign(1, {});
  lanes_[0].first = stream_.size();
  if (forked_.empty()) first_forked_ = static_cast<std::uint32_t>(shared_.next_stream);
  for (std::size_t i = 0; i < threads; ++i) {
    Operation fork;
    fork.kind = Kind::fork;
    fork.request = take_request();
    fork.payload = shared_.next_stream++;
    place(fork);
    forked_.emplace_back();
    Lane lane;
    lane.stream = forked_.size();
    lane.joined_by = fork.request;
    lane.now = lane.compute_since = lane.burst_begin = now_;
    lanes_.push_back(std::move(lane));
  }
  forking_ = true;
}

// A request that one lane starts and another one waits for has a number that no other request has
// until the lanes are joined: in a replay the wait may come before the start.
void RankBuilder::renumber(OpenRequest& open) {
  const std::uint64_t stream = open.operation >> stream_shift;
  for (Lane& lane : lanes_) {
    if (lane.stream != stream || open.operation < lane.first) continue;
    lane.free_requests.push_back(open.request);
    operation_at(open.operation).request = open.request = new_request();
  }
}

std::int32_t RankBuilder::new_request() {
  base::require(request_count_ < schedule::most_requests,
                "the trace cannot be turned into a schedule",
                fmt::format("rank {} has more than {} requests at once, or in one stretch in "
                            "which its threads complete each other's",
                            rank_, schedule::most_requests),
                "trace a shorter run");
  return request_count_++;
}

std::int32_t RankBuilder::take_request() {
  if (free_requests_.empty()) return new_request();
  const std::int32_t request = free_requests_.back();
  free_requests_.pop_back();
  return request;
}

// One that another thread began: in a replay that thread could start it again before this one has
// waited for it.
void RankBuilder::release(std::int32_t request) {
  (beside_ ? late_requests_ : free_requests_).push_back(request);
  beside_ = false;
}

void RankBuilder::join(std::uint64_t time) {
  use_lane(0);
  advance(time);
  compute_from(now_);
  compute_ticks_ = 0;
  polling_.active = false;
  forking_ = false;
  for (std::size_t i = 1; i < lanes_.size(); ++i) {
    Operation wait;
    wait.kind = Kind::wait;
    wait.request = lanes_[i].joined_by;
    place(wait);
    free_requests_.push_back(wait.request);
    free_requests_.insert(free_requests_.end(), lanes_[i].free_requests.begin(),
                          lanes_[i].free_requests.end());
  }
  free_requests_.insert(free_requests_.end(), late_requests_.begin(), late_requests_.end());
  late_requests_.clear();
}

void RankBuilder::refuse_beside(Kind kind) const {
  if (!one_sided(kind)) return;
  throw base::UserError(
      base::ExitCode::usage,
      base::explain("the trace cannot be turned into a schedule",
                    fmt::format("rank {} calls {} at {:.6f} s while another of its threads calls "
                                "MPI, and replays know no one-sided communication of threads",
                                rank_, call_ == nullptr ? "a one-sided operation" : call_->name,
                                seconds_at(now_)),
                    "trace the program with one-sided calls by one thread at a time"));
}

void RankBuilder::note_posted(Kind kind) {
  if (kind > Kind::probe || kind == Kind::compute) return;
  const auto stream = lane_stream_ == 0
                          ? static_cast<std::uint32_t>(rank_)
                          : first_forked_ + static_cast<std::uint32_t>(lane_stream_ - 1);
  posted_.push_back({stream, static_cast<std::uint32_t>(stream_.size())});
}

void RankBuilder::cut_inside(const Region& call) {
  result_.open_call = call.name;
  result_.ended = "inside " + call.name;
}

}  // namespace hakaru::trace
