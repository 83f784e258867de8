// One forward transform: its size, and what a rank does in it.
#pragma once

#include "apps/mpi_fft/shape.hpp"
#include "native/harness/program.hpp"
#include "native/parallel/transpose.hpp"

namespace hakaru::apps::mpi_fft {

// Size and memory of all ranks.
base::Work size_of(const Shape& shape);
harness::RankSchedule rank_schedule(const Shape& shape, parallel::TransposeMethod method);

}  // namespace hakaru::apps::mpi_fft
