#include "native/schedule/schedule.hpp"

namespace hakaru::schedule {

void Cursor::turn(const Operation& marker) {
  if (marker.kind == Kind::loop_begin && marker.bytes == 0) {
    position_ = static_cast<std::uint32_t>(marker.payload) + 1;
    return;
  }
  if (marker.kind == Kind::loop_begin) {
    if (left_ > 0) outer_.push_back({begin_, left_});
    begin_ = position_;
    left_ = marker.bytes;
  } else if (outer_.empty()) {
    left_ = 0;
  } else {
    begin_ = outer_.back().begin;
    left_ = outer_.back().left;
    outer_.pop_back();
  }
  ++position_;
}

}  // namespace hakaru::schedule
