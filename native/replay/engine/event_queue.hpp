// Earliest first; of equal times, the one that was put first.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace hakaru::replay {

class EventQueue {
 public:
  struct Event {
    double time_s;
    std::uint32_t number;
    std::uint32_t flight;
    bool before(const Event& other) const {
      return time_s < other.time_s ||
             (time_s == other.time_s && static_cast<std::int32_t>(number - other.number) < 0);
    }
  };

  bool empty() const { return heap_.empty(); }
  const Event& top() const { return heap_.front(); }

  void push(double time_s, std::uint32_t flight) {
    const Event event{time_s, number_++, flight};
    std::size_t at = heap_.size();
    heap_.push_back(event);
    while (at > 0) {
      const std::size_t parent = (at - 1) / arity;
      if (!event.before(heap_[parent])) break;
      heap_[at] = heap_[parent];
      at = parent;
    }
    heap_[at] = event;
  }

  Event pop() {
    const Event first = heap_.front();
    const Event moved = heap_.back();
    heap_.pop_back();
    const std::size_t size = heap_.size();
    if (size == 0) return first;
    std::size_t at = 0;
    for (;;) {
      const std::size_t begin = at * arity + 1;
      if (begin >= size) break;
      std::size_t least = begin;
      for (std::size_t child = begin + 1; child < size && child < begin + arity; ++child)
        if (heap_[child].before(heap_[least])) least = child;
      if (!heap_[least].before(moved)) break;
      heap_[at] = heap_[least];
      at = least;
    }
    heap_[at] = moved;
    return first;
  }

 private:
  static constexpr std::size_t arity = 4;  // four children lie in one cache line
  std::vector<Event> heap_;
  std::uint32_t number_ = 0;
};

}  // namespace hakaru::replay
