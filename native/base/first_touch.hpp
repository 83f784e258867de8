// Memory that messages fill before any thread has written it.
#pragma once

#include <cstddef>

#include "native/base/aligned.hpp"

namespace hakaru::base {

// Each of `threads` touches its share of the pages: else the first messages would, on one memory
// node and in their own time.
template <typename Element>
void touch_by_threads(AlignedArray<Element>& array, int threads) {
  constexpr std::size_t page = 4096 / sizeof(Element);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::size_t i = 0; i < array.size(); i += page) array[i] = {};
}

}  // namespace hakaru::base
