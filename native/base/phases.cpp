#include "native/base/phases.hpp"

#include <algorithm>

#include "native/base/clock.hpp"
#include "native/base/require.hpp"

namespace hakaru::base {

Phases::Phases(const std::vector<PhaseDescription>& phases)
    : descriptions_(phases), seconds_(phases.size(), 0.0) {
  open_.reserve(16);
}

int Phases::index(const std::string& name) const {
  for (std::size_t i = 0; i < descriptions_.size(); ++i)
    if (descriptions_[i].name == name) return static_cast<int>(i);
  throw std::logic_error("phase '" + name + "' is not described");
}

void Phases::enter(int index) {
  const double now = now_s();
  if (!open_.empty()) seconds_[open_.back()] += now - mark_s_;
  open_.push_back(index);
  mark_s_ = now;
}

void Phases::leave() {
  const double now = now_s();
  seconds_[open_.back()] += now - mark_s_;
  open_.pop_back();
  mark_s_ = now;
}

void Phases::reset() {
  HAKARU_EXPECTS(open_.empty());
  std::fill(seconds_.begin(), seconds_.end(), 0.0);
}

}  // namespace hakaru::base
