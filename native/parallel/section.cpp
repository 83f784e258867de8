#include "native/parallel/section.hpp"

namespace hakaru::parallel {

Section::Section(std::vector<SectionAxis> axes, std::size_t element_bytes)
    : repeated_(axes.rbegin(), axes.rend()), item_bytes_(element_bytes) {
  if (std::any_of(axes.begin(), axes.end(), [](const auto& axis) { return axis.count == 0; })) {
    strides_ = 0;
    return;
  }
  repeated_.erase(std::remove_if(repeated_.begin(), repeated_.end(),
                                 [](const auto& axis) { return axis.count == 1; }),
                  repeated_.end());
  while (!repeated_.empty() && repeated_.front().remote_step == item_bytes_ &&
         repeated_.front().local_step == item_bytes_) {
    item_bytes_ *= repeated_.front().count;
    repeated_.erase(repeated_.begin());
  }
  stride_ = {1, item_bytes_, item_bytes_};
  if (repeated_.empty()) return;
  const auto longest =
      std::max_element(repeated_.begin(), repeated_.end(),
                       [](const auto& one, const auto& other) { return one.count < other.count; });
  stride_ = *longest;
  repeated_.erase(longest);
  for (const SectionAxis& axis : repeated_) strides_ *= axis.count;
}

}  // namespace hakaru::parallel
