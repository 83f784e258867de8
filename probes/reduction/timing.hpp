// What sums cost: on one core, a summand; over ranks, a call.
#pragma once

#include <cstdint>
#include <span>

#include "native/parallel/communicator.hpp"
#include "probes/reduction/methods.hpp"

namespace hakaru::probes::reduction {

// Seconds of adding all values once; `sum` is what came out, so that nothing is left away.
double time_local(Method method, std::span<const double> values, double& sum);

enum class Reduction { plain, exact };
inline constexpr std::array reductions{Reduction::plain, Reduction::exact};
std::string name_of(Reduction reduction);

// Seconds of one of `calls` reductions of a double of each rank to all, one after another: MPI_SUM,
// or exact_sum with its conversions. The mean on the slowest rank. Collective.
double time_reduction(Reduction reduction, const parallel::Communicator& communicator,
                      std::int64_t calls, double value, double& sum);

}  // namespace hakaru::probes::reduction
