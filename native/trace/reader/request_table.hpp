// Open requests of one rank: from the numbers of the trace to where they began. Open addressing;
// numbers are mostly consecutive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hakaru::trace {

struct OpenRequest {
  std::uint64_t number = 0;     // in the trace
  std::uint64_t operation = 0;  // index in the stream
  std::int32_t request = -1;    // in the schedule; < 0: an empty place of the table
};

class RequestTable {
 public:
  RequestTable() : places_(64) {}

  // False when the number is open already.
  bool insert(std::uint64_t number, std::uint64_t operation, std::int32_t request) {
    if (2 * (size_ + 1) > places_.size()) grow();
    std::size_t place = home(number);
    for (; places_[place].request >= 0; place = next(place)) {
      if (places_[place].number == number) return false;
    }
    places_[place] = {number, operation, request};
    ++size_;
    return true;
  }

  // Takes the request out; its `request` is negative when the number is not open.
  OpenRequest take(std::uint64_t number) {
    std::size_t place = home(number);
    for (; places_[place].request >= 0; place = next(place)) {
      if (places_[place].number == number) {
        const OpenRequest found = places_[place];
        close_gap(place);
        --size_;
        return found;
      }
    }
    return {};
  }

  template <typename Work>
  void each(Work&& work) const {
    for (const OpenRequest& open : places_) {
      if (open.request >= 0) work(open);
    }
  }
  std::size_t size() const { return size_; }

 private:
  std::size_t home(std::uint64_t number) const { return number & (places_.size() - 1); }
  std::size_t next(std::size_t place) const { return (place + 1) & (places_.size() - 1); }

  // Moves later entries of the run back, so that no search ends at the gap (Knuth, The Art of
  // Computer Programming 3, 6.4, R).
  void close_gap(std::size_t gap) {
    for (std::size_t place = next(gap); places_[place].request >= 0; place = next(place)) {
      const std::size_t wanted = home(places_[place].number);
      const std::size_t mask = places_.size() - 1;
      if (((place - wanted) & mask) >= ((place - gap) & mask)) {
        places_[gap] = places_[place];
        gap = place;
      }
    }
    places_[gap].request = -1;
  }

  void grow() {
    std::vector<OpenRequest> old(2 * places_.size());
    old.swap(places_);
    size_ = 0;
    for (const OpenRequest& open : old) {
      if (open.request >= 0) insert(open.number, open.operation, open.request);
    }
  }

  std::vector<OpenRequest> places_;  // a power of two
  std::size_t size_ = 0;
};

}  // namespace hakaru::trace
