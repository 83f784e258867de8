// A rank's outstanding requests by their number.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <utility>

#include "native/replay/engine/pool.hpp"

namespace hakaru::replay {

// Open addressing. Numbers that count up are spread (Knuth's multiplicative hash), as a long run of
// full places would make each removal look at all of it. The first places may be lent, so that
// those of all ranks lie where they can be fetched ahead.
class RequestTable {
 public:
  struct Place {
    std::int32_t request = 0;
    std::uint32_t record = none;
  };
  static constexpr std::uint32_t first_places = 16;
  // `places`: first_places free ones that outlive the table. Before the first insert.
  void lend(Place* places) { take_over(places, first_places); }

  // False when the request is in the table already.
  bool insert(std::int32_t request, std::uint32_t record) {
    if (places_ == nullptr || 2 * (size_ + 1) > mask_ + 1) grow();
    std::uint32_t at = home(request);
    for (; places_[at].record != none; at = (at + 1) & mask_)
      if (places_[at].request == request) return false;
    places_[at] = {request, record};
    ++size_;
    return true;
  }
  // Takes the request out and returns its record, or none.
  std::uint32_t take(std::int32_t request) {
    if (places_ == nullptr) return none;
    std::uint32_t at = home(request);
    while (places_[at].record != none && places_[at].request != request) at = (at + 1) & mask_;
    const std::uint32_t record = places_[at].record;
    if (record != none) {
      --size_;
      close(at);
    }
    return record;
  }

  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::uint32_t at = 0; places_ != nullptr && at <= mask_; ++at)
      if (places_[at].record != none) visit(places_[at].request, places_[at].record);
  }

 private:
  std::uint32_t home(std::int32_t request) const {
    return (static_cast<std::uint32_t>(request) * 2654435769U) >> shift_;
  }
  void put(std::int32_t request, std::uint32_t record) {
    std::uint32_t at = home(request);
    while (places_[at].record != none) at = (at + 1) & mask_;
    places_[at] = {request, record};
  }
  void close(std::uint32_t hole) {
    for (std::uint32_t i = (hole + 1) & mask_; places_[i].record != none; i = (i + 1) & mask_) {
      if (((i - home(places_[i].request)) & mask_) >= ((i - hole) & mask_)) {
        places_[hole] = places_[i];
        hole = i;
      }
    }
    places_[hole].record = none;
  }
  void take_over(Place* places, std::uint32_t count) {
    places_ = places;
    mask_ = count - 1;
    shift_ = static_cast<std::uint32_t>(std::countl_zero(mask_));
  }
  void grow() {
    const Place* old = places_;
    const std::uint32_t old_count = old != nullptr ? mask_ + 1 : 0;
    const std::uint32_t count = old != nullptr ? 2 * old_count : first_places;
    std::unique_ptr<Place[]> bigger = std::make_unique<Place[]>(count);
    take_over(bigger.get(), count);
    for (std::uint32_t i = 0; i < old_count; ++i)
      if (old[i].record != none) put(old[i].request, old[i].record);
    own_ = std::move(bigger);
  }

  Place* places_ = nullptr;
  std::uint32_t mask_ = 0;
  std::uint32_t shift_ = 0;
  std::uint32_t size_ = 0;
  std::unique_ptr<Place[]> own_;
};

}  // namespace hakaru::replay
