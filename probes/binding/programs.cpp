#include "probes/binding/programs.hpp"

#include <vector>

#include "native/base/aligned.hpp"
#include "native/base/clock.hpp"

namespace hakaru::probes::binding {

Outcome run_triad(const parallel::Communicator& world, std::size_t bytes, std::int64_t passes) {
  const std::size_t count = bytes / sizeof(double);
  base::AlignedArray<double> a(count), b(count), c(count);
  for (std::size_t i = 0; i < count; ++i) a[i] = 0.0, b[i] = 2.0, c[i] = 0.5;
  double scalar = 1.0;
  const auto pass = [&] {
    scalar += 1.0;  // each pass stores other numbers, so that none can be left away
    double* to = a.data();
    const double *from = b.data(), *scaled = c.data();
#pragma omp simd
    for (std::size_t i = 0; i < count; ++i) to[i] = from[i] + scalar * scaled[i];
  };
  pass();
  world.barrier();
  const double begin = base::now_s();
  for (std::int64_t i = 0; i < passes; ++i) pass();
  const double own_s = (base::now_s() - begin) / static_cast<double>(passes);
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) wrong += a[i] != 2.0 + 0.5 * scalar;
  return {world.maximum(own_s), world.sum(wrong)};
}

Outcome run_alltoall(const parallel::Communicator& world, std::size_t bytes, std::int64_t calls) {
  const auto ranks = static_cast<std::size_t>(world.size());
  std::vector<char> outgoing(bytes * ranks), incoming(bytes * ranks);
  const auto value = [](int from, int to, std::size_t i) {
    return static_cast<char>(static_cast<std::size_t>(31 * from + 7 * to) + i);
  };
  for (std::size_t to = 0; to < ranks; ++to)
    for (std::size_t i = 0; i < bytes; ++i)
      outgoing[to * bytes + i] = value(world.rank(), static_cast<int>(to), i);
  const auto call = [&] {
    HAKARU_MPI(MPI_Alltoall(outgoing.data(), static_cast<int>(bytes), MPI_CHAR, incoming.data(),
                            static_cast<int>(bytes), MPI_CHAR, world.handle()));
  };
  call();
  world.barrier();
  const double begin = base::now_s();
  for (std::int64_t i = 0; i < calls; ++i) call();
  const double own_s = (base::now_s() - begin) / static_cast<double>(calls);
  std::int64_t wrong = 0;
  for (std::size_t from = 0; from < ranks; ++from)
    for (std::size_t i = 0; i < bytes; ++i)
      wrong += incoming[from * bytes + i] != value(static_cast<int>(from), world.rank(), i);
  return {world.maximum(own_s), world.sum(wrong)};
}

}  // namespace hakaru::probes::binding
