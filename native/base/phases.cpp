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

void Phases::tell(PhaseObserver* observer) {
  HAKARU_EXPECTS(open_.empty());
  observer_ = observer;
}

void Phases::push(Open opened) {
  const double now = now_s();
  if (!open_.empty()) seconds_[open_.back().index] += now - mark_s_;
  open_.push_back(opened);
  mark_s_ = now;
}

void Phases::enter(int index) {
  if (observer_) observer_->begin(descriptions_[index].name.c_str());
  push({index, observer_ != nullptr});
}

void Phases::enter_untold(int index) { push({index, false}); }

void Phases::leave() {
  const Open left = open_.back();
  if (left.told) observer_->end(descriptions_[left.index].name.c_str());
  const double now = now_s();
  seconds_[left.index] += now - mark_s_;
  open_.pop_back();
  mark_s_ = now;
}

void Phases::reset() {
  HAKARU_EXPECTS(open_.empty());
  std::fill(seconds_.begin(), seconds_.end(), 0.0);
}

}  // namespace hakaru::base
