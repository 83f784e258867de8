// What non-blocking calls have started. Those of all ranks stand side by side, each at its rank's
// first place and its own number: schedules use small numbers again and again.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "native/base/require.hpp"
#include "native/replay/engine/pool.hpp"
#include "native/schedule/schedule.hpp"

namespace hakaru::replay {

struct Request {
  // own_receive: from the rank itself, which costs what no network does.
  enum class Kind : std::uint8_t { send, receive, own_receive, collective, access, thread };
  enum class State : std::uint8_t {
    free,
    started,
    waited,   // `actor` is blocked until it is done
    done,     // at time_s
    at_once,  // a send whose buffer was free when it began: nothing to wait for
  };
  // Of a paired receive (Pairs), messages that came before it was posted again: the first of them
  // is told by Requests::early, and those behind it are in the inbox.
  enum class Ahead : std::uint8_t { none, one, more };
  double time_s = 0;
  union {
    std::uint64_t bytes = 0;  // of the message received; of a thread: its actor
    double left_s;            // of a send: when its last byte had left
  };
  const schedule::Operation* operation = nullptr;  // that started it
  std::uint32_t actor = 0;                         // that waits
  Kind kind = Kind::send;
  State state = State::free;
  bool paired = false;
  Ahead ahead = Ahead::none;
};
static_assert(sizeof(Request) == 32);

// A message that came before its receive was posted.
struct Early {
  double arrival_s = 0;
  std::int32_t from = 0;
  std::uint32_t operation = 0;  // of the sender's stream
};

class Requests {
 public:
  // Throws UserError(usage) when there are more than an index can say.
  explicit Requests(const schedule::Schedule& schedule) {
    std::vector<std::uint32_t> numbers;                        // of each stream
    std::vector<std::pair<std::size_t, std::size_t>> threads;  // stream, of its thread
    for (const schedule::Stream& stream : schedule.streams) {
      std::int32_t last = schedule::no_request;
      for (const schedule::Operation& operation : stream) {
        last = std::max(last, operation.request);
        if (operation.kind == schedule::Kind::fork)
          threads.emplace_back(numbers.size(), static_cast<std::size_t>(operation.payload));
      }
      numbers.push_back(static_cast<std::uint32_t>(last + 1));
    }
    for (const auto& [stream, thread] : threads)
      numbers[stream] = std::max(numbers[stream], numbers[thread]);
    std::uint64_t total = 0;
    first_.reserve(schedule.stream_of_rank.size());
    for (const std::uint32_t stream : schedule.stream_of_rank) {
      first_.push_back(static_cast<std::uint32_t>(total));
      total += numbers[stream];
      base::require(total <= most, fmt::format("the ranks use more than {} requests", most),
                    "their numbers are far apart, or there are too many ranks",
                    "number the requests of a rank from 0");
    }
    numbered_ = static_cast<std::uint32_t>(total);
    records_.resize(total);
  }

  bool none_numbered() const { return numbered_ == 0; }
  // Of the request with this number; numbers of a rank are neighbours.
  std::uint32_t index(std::size_t rank, std::int32_t number) const {
    return first_[rank] + static_cast<std::uint32_t>(number);
  }
  // Those of a rank by their numbers.
  Request* of_rank(std::size_t rank) { return records_.data() + first_[rank]; }
  // Of a request with a number, after expect_early().
  void expect_early() { early_.resize(numbered_); }
  Early& early(std::uint32_t index) { return early_[index]; }
  Request& operator[](std::uint32_t index) { return records_[index]; }
  const Request& operator[](std::uint32_t index) const { return records_[index]; }

  // One without a number. References are valid until then.
  std::uint32_t take() {
    if (spare_.empty()) {
      records_.emplace_back();
      return static_cast<std::uint32_t>(records_.size() - 1);
    }
    const std::uint32_t index = spare_.back();
    spare_.pop_back();
    return index;
  }
  void give_back(std::uint32_t index) { spare_.push_back(index); }

  // visit(number, request) for those of a rank that are not free.
  template <class Visit>
  void for_each(std::size_t rank, const Visit& visit) const {
    for (std::uint32_t i = first_[rank]; i < end(rank); ++i)
      if (records_[i].state != Request::State::free) visit(i - first_[rank], records_[i]);
  }
  // visit(message) for those that were not received.
  template <class Visit>
  void for_each_early(std::size_t rank, const Visit& visit) const {
    for (std::uint32_t i = first_[rank]; i < end(rank); ++i)
      if (records_[i].ahead != Request::Ahead::none) visit(early_[i]);
  }

 private:
  static constexpr std::uint64_t most = 1U << 28U;
  std::uint32_t end(std::size_t rank) const {
    return rank + 1 < first_.size() ? first_[rank + 1] : numbered_;
  }

  std::vector<std::uint32_t> first_;
  std::uint32_t numbered_ = 0;
  std::vector<Request, LargePages<Request>> records_;
  std::vector<Early, LargePages<Early>> early_;  // of those with numbers, or none
  std::vector<std::uint32_t> spare_;
};

}  // namespace hakaru::replay
