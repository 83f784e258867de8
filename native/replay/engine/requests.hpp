// A rank's outstanding requests by their number.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <utility>

#include "native/replay/engine/pool.hpp"

namespace hakaru::replay {

// Open addressing. Numbers that count up are spread (Knuth's multiplicative hash), as a long run of
// full places would make each removal look at all of it. Without memory until first used.
class RequestTable {
 public:
  // False when the request is in the table already.
  bool insert(std::int32_t request, std::uint32_t record) {
    if (!places_ || 2 * (size_ + 1) > mask_ + 1) grow();
    std::uint32_t at = home(request);
    for (; places_[at].record != none; at = (at + 1) & mask_)
      if (places_[at].request == request) return false;
    places_[at] = {request, record};
    ++size_;
    return true;
  }
  // Takes the request out and returns its record, or none.
  std::uint32_t take(std::int32_t request) {
    if (!places_) return none;
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
    for (std::uint32_t at = 0; places_ && at <= mask_; ++at)
      if (places_[at].record != none) visit(places_[at].request, places_[at].record);
  }

 private:
  struct Place {
    std::int32_t request = 0;
    std::uint32_t record = none;
  };

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
  void grow() {
    const std::uint32_t places = places_ ? 2 * (mask_ + 1) : 16;
    const std::unique_ptr<Place[]> old = std::move(places_);
    const std::uint32_t old_places = old ? mask_ + 1 : 0;
    places_ = std::make_unique<Place[]>(places);
    mask_ = places - 1;
    shift_ = static_cast<std::uint32_t>(std::countl_zero(mask_));
    for (std::uint32_t i = 0; i < old_places; ++i)
      if (old[i].record != none) put(old[i].request, old[i].record);
  }

  std::unique_ptr<Place[]> places_;
  std::uint32_t mask_ = 0;
  std::uint32_t shift_ = 0;
  std::uint32_t size_ = 0;
};

}  // namespace hakaru::replay
