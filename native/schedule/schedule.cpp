#include "native/schedule/schedule.hpp"

namespace hakaru::schedule {

// Past a loop marker, or back to the begin of the body.
void Cursor::turn(const Operation& marker) {
  if (marker.kind == Kind::loop_begin) {
    if (marker.bytes == 0) {
      position_ = static_cast<std::uint32_t>(marker.payload) + 1;
    } else {
      loops_.push_back({position_, marker.bytes});
      ++position_;
    }
  } else if (--loops_.back().left > 0) {
    position_ = loops_.back().begin + 1;
  } else {
    loops_.pop_back();
    ++position_;
  }
}

}  // namespace hakaru::schedule
