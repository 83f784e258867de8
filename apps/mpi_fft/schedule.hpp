// Forward transforms, one after the other: their size, and what a rank does in them.
#pragma once

#include "apps/mpi_fft/shape.hpp"
#include "native/harness/program.hpp"
#include "native/parallel/transpose.hpp"

namespace hakaru::apps::mpi_fft {

// Size and memory of all ranks.
base::Work size_of(const Shape& shape);
harness::RankSchedule rank_schedule(const Shape& shape, parallel::TransposeMethod method,
                                    std::int64_t transforms);

}  // namespace hakaru::apps::mpi_fft
