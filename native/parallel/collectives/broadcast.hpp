// What other algorithms are made of.
#pragma once

#include "native/parallel/collectives/algorithms.hpp"

namespace hakaru::parallel::collectives {

void broadcast_binomial(const Communicator& communicator, std::byte* data, std::size_t bytes,
                        int root);

}  // namespace hakaru::parallel::collectives
