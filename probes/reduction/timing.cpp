#include "probes/reduction/timing.hpp"

#include "native/base/clock.hpp"
#include "native/parallel/exact_reduction.hpp"

namespace hakaru::probes::reduction {

double time_local(Method method, std::span<const double> values, double& sum) {
  const double begin = base::now_s();
  sum = sum_of(method, values);
  return base::now_s() - begin;
}

std::string name_of(Reduction reduction) {
  return reduction == Reduction::plain ? "plain" : "exact";
}

double time_reduction(Reduction reduction, const parallel::Communicator& communicator,
                      std::int64_t calls, double value, double& sum) {
  communicator.barrier();
  const double begin = base::now_s();
  for (std::int64_t call = 0; call < calls; ++call)
    sum = reduction == Reduction::plain ? communicator.sum(value)
                                        : parallel::exact_sum(communicator, value);
  const double own_s = (base::now_s() - begin) / static_cast<double>(calls);
  return communicator.maximum(own_s);
}

}  // namespace hakaru::probes::reduction
