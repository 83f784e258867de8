// Regular sections of arrays as one-dimensional strides.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "native/parallel/remote_memory.hpp"

namespace hakaru::parallel {

// One dimension of a section, at both ends of a transfer; steps in bytes.
struct SectionAxis {
  std::size_t count, remote_step, local_step;
};

// A section as repetitions of one stride: what follows without a gap at both ends becomes one item,
// the longest axis of the rest the stride, so that the repetitions are fewest.
class Section {
 public:
  // Axes from the outermost to the innermost.
  Section(std::vector<SectionAxis> axes, std::size_t element_bytes);

  // 0 when the section is empty.
  std::size_t strides() const { return strides_; }

  // Calls move(remote_offset, remote_stride, local_offset, local_stride, is_last).
  template <typename Move>
  void for_each(Move move) const {
    const Stride remote{item_bytes_, stride_.count, stride_.remote_step};
    const Stride local{item_bytes_, stride_.count, stride_.local_step};
    for (std::size_t number = 0; number < strides_; ++number) {
      std::size_t left = number, remote_offset = 0, local_offset = 0;
      for (const SectionAxis& axis : repeated_) {
        remote_offset += left % axis.count * axis.remote_step;
        local_offset += left % axis.count * axis.local_step;
        left /= axis.count;
      }
      move(remote_offset, remote, local_offset, local, number + 1 == strides_);
    }
  }

 private:
  std::vector<SectionAxis> repeated_;  // innermost first
  SectionAxis stride_{1, 0, 0};
  std::size_t item_bytes_, strides_ = 1;
};

}  // namespace hakaru::parallel
