#include "native/schedule/schedule.hpp"

namespace hakaru::schedule {

const Operation* Cursor::next(const Stream& stream) {
  while (position_ < stream.size()) {
    const Operation& operation = stream[position_];
    if (operation.kind == Kind::loop_begin) {
      if (operation.bytes == 0) {
        position_ = static_cast<std::uint32_t>(operation.payload) + 1;
      } else {
        loops_.push_back({position_, operation.bytes});
        ++position_;
      }
    } else if (operation.kind == Kind::loop_end) {
      if (--loops_.back().left > 0) {
        position_ = loops_.back().begin + 1;
      } else {
        loops_.pop_back();
        ++position_;
      }
    } else {
      ++position_;
      return &operation;
    }
  }
  return nullptr;
}

}  // namespace hakaru::schedule
